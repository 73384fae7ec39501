"""What a provider's refusal means.

The words of the body are unfolded (`refusal_bodies`), an ordered table of rules says what they mean (`refusal_rules`),
and what else they teach is read from them (`refusal_lessons`). The status comes last, because it says little: a server
without tools answers 400, 404, 405 or 500. The sentences people read are in `refusal_sentences`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from conch_desktop.domain.events import Refusal, RefusalKind
from conch_desktop.providers.refusal_bodies import Told, unfold, wait_in
from conch_desktop.providers.refusal_lessons import names_tool, teaches
from conch_desktop.providers.refusal_rules import RULES
from conch_desktop.providers.refusal_sentences import SENTENCES, Case, mask, shown

if TYPE_CHECKING:
    import httpx

__all__ = ["broken_off", "classify", "from_transport", "is_fault", "mask", "shown", "strange"]

_WORDS = 500
"""Characters of a provider's own words that are kept."""


def classify(
    *,
    status: int,
    headers: Mapping[str, str],
    body: str,
    during: str,
    provider: str,
    url: str,
    tools_sent: bool = True,
    tools: Sequence[str] = (),
    now: float | None = None,
) -> Refusal:
    """What an answer that is none means.

    `during` is "before_first_token", "mid_stream" (then `body` is the data of the event that told it) or "models" (the
    list of models was asked for). Without `tools_sent` no answer is about tools or schemas; `tools` are the names that
    were offered, in order. `now` is in seconds since 1970, for waits that are told as a moment.
    """
    told = unfold(body, headers)
    coded = _coded(status, told)
    kind = _kind(coded, told, tools_sent)
    case = Case(
        kind=kind,
        status=coded,
        told=told,
        provider=provider,
        asked=f"{'GET' if during == 'models' else 'POST'} {shown(url)}",
        wait=wait_in(headers, told, now),
        moved=str(headers.get("location", "")),
        during=during,
    )
    what, advice = SENTENCES[kind](case)
    return Refusal(
        kind,
        mask(told.words[:_WORDS]),
        mask(what),
        mask(advice),
        status,
        case.wait,
        names_tool(told, tools) if kind == "schema" else "",
        teaches(kind, told),
        passing=kind in ("rate", "overloaded") or (kind == "network" and coded >= 500),
    )


def _coded(status: int, told: Told) -> int:
    """The status an answer means: one with a good status, or none, may have another in its body."""
    if status >= 400:
        return status
    codes = (told.numbers.get(key, 0) for key in ("code", "status_code", "status", "http_code"))
    return next((int(code) for code in codes if 400 <= code < 600), status)


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
    if status == 0 or not (told.text.strip() or told.page):
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
    broke = isinstance(error, (httpx.ReadError, httpx.WriteError, httpx.RemoteProtocolError))
    return Refusal("network", words, mask(what), advice, passing=broke)


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
