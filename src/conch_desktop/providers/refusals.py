"""What a provider's refusal means, and the sentence a person reads about it.

The body is unfolded first: providers write errors in many shapes, and routers wrap them in each other. An ordered table
of rules then reads the unfolded words and the raw text; the order matters more than the patterns (each part says why).
The status comes last, because it says little: a server without tools answers 400, 404, 405 or 500.
"""

from __future__ import annotations

import json
import re
from collections import deque
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from email.utils import parsedate_to_datetime
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit, urlunsplit

from conch_desktop.domain.events import Refusal, RefusalKind

if TYPE_CHECKING:
    import httpx

_WORDS = 500
"""Characters of a provider's own words that are kept."""
_QUOTED = 240
"""Characters of them that are quoted in a sentence."""
_BODY = 200_000
"""Characters of a body that are read."""
_LONG_WAIT = 3600.0
"""Nobody waits longer than this in front of a window."""


# unfolding ----------------------------------------------------------------------------------------------------------

_MODEL_WORDS = frozenset({"failed_generation"})
"""Keys whose text is the model's, not the provider's (Groq)."""
_SAYING = ("message", "detail", "status_msg", "msg", "error", "reason", "title", "raw")
"""Keys that hold a sentence, the best first."""
_EMPTY_PHRASES = frozenset({"", "provider returned error", "error", "bad request", "null"})


@dataclass(frozen=True, slots=True)
class Told:
    """What a body says: all its texts in one, the sentence to quote, and the numbers in it by key."""

    text: str
    words: str
    numbers: Mapping[str, float]
    page: bool


def unfold(body: str) -> Told:
    """Reads a body of any shape: nested errors, lists around them, JSON inside a text, or plain text."""
    body = body[:_BODY]
    page = bool(re.match(r"\s*(<!doctype html|<html|<head|<body|<\?xml)", body, re.IGNORECASE))
    texts: list[tuple[str, str]] = []
    numbers: dict[str, float] = {}
    value = _json_in(body)
    if value is not None:
        for key, part in _walk(value):
            if isinstance(part, str):
                texts.append((key, part))
            elif isinstance(part, (int, float)) and not isinstance(part, bool):
                numbers.setdefault(key, part)
    whole = re.sub(r'"failed_generation"\s*:\s*"(\\.|[^"\\])*"', "", body)
    text = "\n".join([*(part for _, part in texts), whole])
    return Told(text, _sentence(texts) or ("" if page or value is not None else " ".join(body.split())), numbers, page)


def _walk(value: Any) -> Iterator[tuple[str, Any]]:
    """Every text and number of a JSON value with its key, also those of JSON inside a text. Nested at most 12 deep."""
    waiting: deque[tuple[str, Any, int]] = deque([("", value, 0)])
    while waiting:
        key, part, depth = waiting.popleft()
        if key in _MODEL_WORDS or depth > 12:
            continue
        if isinstance(part, dict):
            waiting.extend((str(name), each, depth + 1) for name, each in part.items())
        elif isinstance(part, list):
            waiting.extend((key, each, depth + 1) for each in part)
        else:
            yield key, part
            if isinstance(part, str) and "{" in part and (inner := _json_in(part)) is not None:
                waiting.append((key, inner, depth + 1))


def _json_in(text: str) -> Any:
    """The object or list a text is or holds, None when there is none."""
    for start in re.finditer(r"[\[{]", text):
        try:
            value, _ = json.JSONDecoder().raw_decode(text, start.start())
        except (ValueError, RecursionError):
            if start.start() > 2_000:
                return None
            continue
        if isinstance(value, (dict, list)) and value:
            return value
    return None


def _sentence(texts: list[tuple[str, str]]) -> str:
    """The best text to quote: the innermost of the best key that says something."""
    for wanted in _SAYING:
        for key, text in reversed(texts):
            if (
                key == wanted
                and text.strip().lower() not in _EMPTY_PHRASES
                and not text.lstrip().startswith(("{", "["))
            ):
                return " ".join(text.split())
    return next((f"{key}: {text}" for key, text in texts if "error" in key and text.strip()), "")


# the rules ----------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Rule:
    """A kind, the words that mean it, and the statuses it is asked for (none: any)."""

    kind: RefusalKind
    words: str = ""
    statuses: tuple[int, ...] = ()
    page: bool | None = None

    def fits(self, status: int, told: Told) -> bool:
        """Does the rule hold for an answer?"""
        if self.statuses and status not in self.statuses:
            return False
        if self.page is not None and told.page is not self.page:
            return False
        return not self.words or re.search(self.words, told.text, re.IGNORECASE) is not None


_SERVER = (500, 502, 503, 504, 520, 521, 522, 524, 529)

RULES: tuple[Rule, ...] = (
    # Pages come from a proxy, a gateway or a sign-in in between, not from the provider.
    Rule("auth", page=True, statuses=(401, 403)),
    Rule("network", page=True),
    # The model's own malformed call. Its words are those of a refused schema, so it comes first.
    Rule("generation", r"tool_use_failed|error parsing tool call|failed to parse input at pos|no valid tool call"),
    # llama.cpp started without templates: `tools` and `tool_choice` alike, with status 500.
    Rule("tools", r"tools?(_choice)? param (requires --jinja|is not fully supported)"),
    Rule("tools", r"tool choice requires --enable-auto-tool-choice"),  # vLLM
    # History, ids, names and switches: a fault of the request that says nothing of tools or schemas.
    Rule(
        "bad_request",
        r"thought_signature|reasoning_content|reasoning details|tool_call_ids?\b|`tool_(use|result)` ids?",
    ),
    Rule("bad_request", r"messages[.\[].{0,60}tool_calls|function_response\.name|function\.name|tool call id was"),
    Rule("bad_request", r"image input is not supported|does not support (thinking|images?|vision)"),
    Rule("bad_request", r"parallel_tool_calls|tools cannot be empty|'tools': array too long|mixed values for 'strict'"),
    Rule("bad_request", r"raise_exception|conversation roles must alternate|custom grammar constraints"),
    # Schema words before tools words: both say "not supported", and only one of them costs a model its native tools.
    Rule("schema", r"json schema error at|json schema conversion failed|failed to parse grammar|flavored json schema"),
    Rule(
        "schema",
        r"invalid schema for (function|tool)|input_?schema|json schema (is invalid|contains)|schema type field",
    ),
    Rule("schema", r"function_?declarations|tools\.function\.parameters|function parameters is empty"),
    Rule("schema", r"go struct field \S{0,80}tools\.function\.parameters|tools\[\d{1,4}\]\S{0,80}parameters"),
    Rule("tools", r"(does ?n[o']t|not) support (tools?|tool use|tool calling|function calling)\b"),
    Rule(
        "tools",
        r"(tools?|tool (use|calling)|function calling)['`\"]?( param)? (is|are) not (fully )?(supported|enabled)",
    ),
    Rule("tools", r"no endpoints found that support tool use|does not support parameters: \['tools'\]"),
    Rule("bad_request", r"tool_choice"),  # after tools: xAI names both in one sentence
    # The rest, by words that are each a provider's own.
    Rule(
        "context_length", r"exceed_context_size|context_length_exceeded|maximum context length|available context size"
    ),
    Rule(
        "context_length",
        r"prompt is (too long|\d+ tokens)|tokens_limit_reached|range of input length|context window|too many tokens",
    ),
    Rule("context_length", r"must be <= \d+\. given: \d+ `inputs`"),
    Rule("rate", r"resource.exhausted|per.?(minute|second|day)\S{0,40}perproject|rate.?limit|too many requests"),
    Rule("quota", r"insufficient_quota|current quota|credit balance|insufficient balance|balance is insufficient"),
    Rule("quota", r"requires more credits|exceeded your monthly|余额不足", statuses=()),
    Rule("quota", statuses=(402,)),
    Rule("auth", r"(incorrect|invalid|no|missing|wrong) (x-)?api.?key|api key not valid|invalid_api_key|login fail"),
    Rule("auth", r"authentication_error|unauthori[sz]ed|country, region"),
    Rule(
        "content_policy",
        r"content_policy|content management policy|content_filter|flagged as|violating our usage|敏感内容",
    ),
    Rule("not_found", r"model_not_(found|supported)|invalid_model|deploymentnotfound|no endpoints found for"),
    Rule("not_found", r"\bmodels?\b.{0,80}(does not exist|not found|is not supported)|could not route to"),
    Rule(
        "overloaded",
        r"overloaded|loading model|server busy|server had an error|temporarily unavailable|unavailable_error",
    ),
    # What the status says.
    Rule("auth", statuses=(401, 403)),
    Rule("not_found", statuses=(301, 302, 303, 307, 308, 404, 405, 410)),
    Rule("context_length", statuses=(413,)),
    Rule("rate", statuses=(429,)),
    Rule("overloaded", statuses=(408, *_SERVER)),
    Rule("bad_request", statuses=(400, 402, 406, 409, 411, 412, 414, 415, 422, 451)),
)


def classify(
    *,
    status: int,
    headers: Mapping[str, str],
    body: str,
    during: str,
    provider: str,
    url: str,
    tools_sent: bool = True,
) -> Refusal:
    """What an answer that is none means.

    `during` is "before_first_token", "mid_stream" (then `body` is the data of the event that told it) or "models" (the
    list of models was asked for). Without `tools_sent` no answer is about tools or schemas.
    """
    told = unfold(body)
    coded = status
    if status < 400:
        code = int(told.numbers.get("code", told.numbers.get("status_code", told.numbers.get("status", 0))))
        coded = code if 400 <= code < 600 else status
    kind = _kind(coded, told, tools_sent)
    case = _Case(
        kind=kind,
        status=coded,
        told=told,
        provider=provider,
        asked=f"{'GET' if during == 'models' else 'POST'} {shown(url)}",
        wait=_wait(headers, told),
        moved=str(headers.get("location", "")),
        during=during,
    )
    what, advice = _SENTENCES[kind](case)
    return Refusal(kind, mask(told.words[:_WORDS]), mask(what), mask(advice), status, case.wait)


def strange(*, headers: Mapping[str, str], body: str, during: str, provider: str, url: str) -> Refusal:
    """An answer with a good status that is neither what was asked for nor an error: another program is speaking."""
    told = unfold(body)
    asked = f"{'GET' if during == 'models' else 'POST'} {shown(url)}"
    case = _Case("network", 200, told, provider, asked, None, "", during)
    what, advice = _network(case)
    return Refusal("network", mask(told.words[:_WORDS]), mask(what), advice, 200)


def is_fault(value: Mapping[str, Any]) -> bool:
    """Is an object of a stream, or one in its place, an error? Whatever has an answer in it and no error is none."""
    choices = value.get("choices")
    first = choices[0] if isinstance(choices, list) and choices and isinstance(choices[0], dict) else {}
    if value.get("error") or first.get("error"):
        return True
    base = value.get("base_resp")  # MiniMax
    if isinstance(base, dict) and base.get("status_code"):
        return True
    if "choices" in value:
        return False
    if value.get("object") == "error" or value.get("type") == "error" or value.get("success") is False:
        return True
    return any(value.get(key) for key in ("errors", "detail", "message")) or any("error" in key for key in value)


def _kind(status: int, told: Told, tools_sent: bool) -> RefusalKind:
    if status == 0 or not told.text.strip():
        return _status_kind(status, told)
    for rule in RULES:
        if rule.fits(status, told):
            if rule.kind in ("tools", "schema") and not tools_sent:
                continue
            return rule.kind
    return "overloaded" if status < 300 else "bad_request"


def _status_kind(status: int, told: Told) -> RefusalKind:
    """An answer without words: the status is all there is, and without that nothing answered."""
    if status < 300 or status in (502, 504):
        return "network"
    return next(
        (rule.kind for rule in RULES if rule.statuses and not rule.words and rule.fits(status, told)), "bad_request"
    )


def _wait(headers: Mapping[str, str], told: Told) -> float | None:
    """Seconds to wait, when the answer tells them: in a header, a field, or in words."""
    named = {name.lower(): value for name, value in headers.items()}
    for name, unit in (("retry-after-ms", 0.001), ("retry-after", 1.0)):
        try:
            return float(named[name]) * unit
        except (KeyError, ValueError):
            continue
    if "retry-after" in named:
        return _until(named["retry-after"], named.get("date", ""))
    for pattern in (r'"retryDelay"\s*:\s*"([\d.]+)s"', r"try again in ([\d.]+) ?s", r"wait ([\d.]+) seconds"):
        if found := re.search(pattern, told.text, re.IGNORECASE):
            return float(found[1].rstrip("."))
    return None


def _until(moment: str, sent: str) -> float | None:
    """Seconds between two HTTP dates; nothing without the second, because this computer's clock may be wrong."""
    try:
        return max(0.0, (parsedate_to_datetime(moment) - parsedate_to_datetime(sent)).total_seconds())
    except (ValueError, TypeError):
        return None


# sentences ----------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Case:
    """What a sentence can be made of."""

    kind: RefusalKind
    status: int
    told: Told
    provider: str
    asked: str
    wait: float | None
    moved: str
    during: str

    def but(self, sentence: str) -> str:
        """The sentence, the status when there is one, and the provider's own words."""
        status = f" Status {self.status}." if self.status >= 400 else ""
        return f"{sentence}{status}{self.quote}"

    @property
    def quote(self) -> str:
        words = self.told.words
        if not words:
            return ""
        return f" It said: “{words[:_QUOTED].rstrip()}{'…' if len(words) > _QUOTED else ''}”"


def _auth(case: _Case) -> tuple[str, str]:
    if re.search(r"country|region", case.told.words, re.IGNORECASE):
        return case.but(f"{case.provider} does not serve this place."), "Choose another provider."
    return f"{case.provider} refused the key.{_status(case)}", "Enter another key in the settings, under Providers."


def _rate(case: _Case) -> tuple[str, str]:
    if case.wait is None:
        return f"{case.provider} takes no more requests at the moment.{_status(case)}", "Try again in a minute."
    if case.wait > _LONG_WAIT:
        return f"{case.provider} asks to wait {_span(case.wait)}.", "Choose another model until then."
    return f"{case.provider} asks to wait {_span(case.wait)}.", "Try again after that."


def _context(case: _Case) -> tuple[str, str]:
    tokens, window = case.told.numbers.get("n_prompt_tokens"), case.told.numbers.get("n_ctx")
    if tokens and window:  # llama.cpp tells both
        what = f"The chat is too long for this model: {tokens:,.0f} tokens, and its window is {window:,.0f}."
    else:
        what = case.but("The chat is too long for this model.")
    return what, "Start a new chat, or choose a model with a larger window."


def _not_found(case: _Case) -> tuple[str, str]:
    if case.moved:
        return f"{case.asked} answered {case.status}: the address is now {shown(case.moved)}.", "Enter that address."
    if case.during != "models" and re.search(r"\b(model|deployment|endpoints)\b", case.told.words, re.IGNORECASE):
        return case.but(f"{case.provider} does not have this model."), "Choose another model."
    return f"{case.asked} answered {case.status}.", "The address usually ends in /v1."


def _network(case: _Case) -> tuple[str, str]:
    advice = "Check the address; a proxy or a sign-in page may stand in between."
    if case.told.page:
        status = f" with status {case.status}" if case.status >= 400 else ""
        return f"{case.asked} was answered by a web page{status}, not by a model.", advice
    if not case.told.text.strip():
        status = f"Status {case.status} and" if case.status >= 400 else "An answer came, but"
        return f"{status} nothing in it from {case.provider}.", "Try again. If it stays so, check the address."
    return case.but(f"{case.asked} was not answered as a model answers."), advice


def _status(case: _Case) -> str:
    return f" Status {case.status}." if case.status >= 400 else ""


def _said(sentence: str, advice: str) -> Callable[[_Case], tuple[str, str]]:
    """A sentence that is followed by the provider's own words."""
    return lambda case: (case.but(sentence.format(provider=case.provider)), advice)


_SENTENCES: Mapping[RefusalKind, Callable[[_Case], tuple[str, str]]] = {
    "auth": _auth,
    "rate": _rate,
    "context_length": _context,
    "not_found": _not_found,
    "network": _network,
    "quota": _said("There is no credit left at {provider}.", "Add credit there, or choose another model."),
    "schema": _said("{provider} refused the definition of a tool.", "Switch that tool off, or choose another model."),
    "tools": _said("This model takes no tools natively.", "It can get them in words."),
    "generation": _said("The model wrote a call that {provider} could not read.", "Try again."),
    "overloaded": _said("{provider} is in trouble of its own.", "Try again in a moment."),
    "content_policy": _said("{provider} blocked this.", "Say it in other words, or choose another model."),
    "bad_request": _said("{provider} did not take the request.", "Try again, or choose another model."),
}


def _span(seconds: float) -> str:
    if seconds < 90:
        return f"{seconds:.0f} s" if seconds >= 1 else "a moment"
    return f"{seconds / 60:.0f} min" if seconds < 5400 else f"{seconds / 3600:.0f} h"


# no answer at all ---------------------------------------------------------------------------------------------------


def broken_off(*, provider: str, characters: int, calling: bool = False) -> Refusal:
    """An answer that stopped before its end. `calling`: a call had begun."""
    advice = "What had arrived is kept." if characters else "Try again."
    place = f"after {_characters(characters)}" if characters else "before an answer came"
    if calling:
        place = place if characters else "in the middle of a call"
        advice = "The call that had begun did not run."
    return Refusal("network", "", f"The connection to {provider} broke off {place}.", advice)


def _characters(number: int) -> str:
    return f"{number:,} character{'' if number == 1 else 's'}"


def from_transport(error: httpx.HTTPError, *, provider: str, url: str, characters: int) -> Refusal:
    """What it means that a request got no answer, or only the beginning of one. `characters` had arrived."""
    import httpx

    place = shown(url)
    words = mask(f"{type(error).__name__}: {error}"[:_WORDS])
    if characters:
        found = broken_off(provider=provider, characters=characters)
        if isinstance(error, httpx.ReadTimeout):
            return Refusal("network", words, f"{provider} fell silent after {_characters(characters)}.", found.advice)
        return Refusal("network", words, found.what, found.advice)
    what, advice = _no_answer(error, provider, place)
    return Refusal("network", words, mask(what), advice)


def _no_answer(error: httpx.HTTPError, provider: str, place: str) -> tuple[str, str]:
    import httpx

    text = str(error).lower()
    if isinstance(error, httpx.ProxyError):
        return f"The proxy did not let the request to {place} through.", "Check the proxy's settings."
    if "certificate" in text or "ssl" in text:
        return f"The certificate of {place} was not accepted.", "Check the address, and this computer's date."
    if any(sign in text for sign in ("name or service", "nodename", "getaddrinfo", "name resolution", "no address")):
        return f"The name in {place} was not found.", "Check the address and the network."
    if isinstance(error, httpx.ConnectTimeout):
        return f"{place} did not answer in time.", "Check that the server is running and can be reached."
    if isinstance(error, httpx.ConnectError):
        return f"Nothing answers at {place}.", "Check that the server is running and that the address is right."
    if isinstance(error, httpx.TimeoutException):
        return f"{provider} did not answer in time.", "Try again. A large model may still be loading."
    if isinstance(error, (httpx.UnsupportedProtocol, httpx.LocalProtocolError)):
        return f"{place} can't be asked.", "Check the address and the key."
    if isinstance(error, httpx.DecodingError):
        return f"The answer from {provider} could not be unpacked.", "Try again."
    return f"The connection to {provider} broke off before an answer came.", "Try again."


# what is never shown ------------------------------------------------------------------------------------------------

_SECRETS = re.compile(r"(bearer\s+|\b(?:sk|pk|rk|gsk|xai|hf)[-_])[A-Za-z0-9_\-.+/=]{8,}", re.IGNORECASE)


def mask(text: str, key: str | None = None) -> str:
    """The text without `key` and without anything that looks like a key. Servers echo what they were sent."""
    if key and len(key) >= 4:
        text = text.replace(key, "…")
    return _SECRETS.sub(lambda found: f"{found[1]}…", text)


def shown(url: str) -> str:
    """An address as it may be shown: without a user's name, a password, a query or a fragment."""
    try:
        parts = urlsplit(url)
        host = parts.netloc.rpartition("@")[2]
    except ValueError:
        return "the address"
    return urlunsplit((parts.scheme, host, parts.path, "", ""))
