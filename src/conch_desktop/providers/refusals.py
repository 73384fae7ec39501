"""What a provider's refusal means.

An ordered table of rules reads the words of the body (`refusal_bodies`) and the raw text; the order matters more than
the patterns, and each part says why. The status comes last, because it says little: a server without tools answers 400,
404, 405 or 500. The sentences people read are in `refusal_sentences`.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from conch_desktop.domain.events import Refusal, RefusalKind
from conch_desktop.providers.refusal_bodies import Told, unfold, wait_in
from conch_desktop.providers.refusal_sentences import SENTENCES, Case, mask, shown

if TYPE_CHECKING:
    import httpx

__all__ = ["RULES", "Rule", "broken_off", "classify", "from_transport", "is_fault", "mask", "shown", "strange"]

_WORDS = 500
"""Characters of a provider's own words that are kept."""


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
    case = Case(
        kind=kind,
        status=coded,
        told=told,
        provider=provider,
        asked=f"{'GET' if during == 'models' else 'POST'} {shown(url)}",
        wait=wait_in(headers, told),
        moved=str(headers.get("location", "")),
        during=during,
    )
    what, advice = SENTENCES[kind](case)
    return Refusal(kind, mask(told.words[:_WORDS]), mask(what), mask(advice), status, case.wait)


def strange(*, headers: Mapping[str, str], body: str, during: str, provider: str, url: str) -> Refusal:
    """An answer with a good status that is neither what was asked for nor an error: another program is speaking."""
    told = unfold(body)
    asked = f"{'GET' if during == 'models' else 'POST'} {shown(url)}"
    case = Case("network", 200, told, provider, asked, None, "", during)
    what, advice = SENTENCES["network"](case)
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
