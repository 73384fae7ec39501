"""The sentences a person reads about a refusal: what happened, and what to do. No sentence shows a key."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from urllib.parse import urlsplit, urlunsplit

from conch_desktop.domain.events import RefusalKind
from conch_desktop.providers.refusal_bodies import Told

_QUOTED = 240
"""Characters of a provider's own words that are quoted in a sentence."""
_LONG_WAIT = 3600.0
"""Nobody waits longer than this in front of a window."""


@dataclass(frozen=True, slots=True)
class Case:
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


def _auth(case: Case) -> tuple[str, str]:
    if re.search(r"country|region", case.told.words, re.IGNORECASE):
        return case.but(f"{case.provider} does not serve this place."), "Choose another provider."
    return f"{case.provider} refused the key.{_status(case)}", "Enter another key in the settings, under Providers."


def _rate(case: Case) -> tuple[str, str]:
    if case.wait is None:
        return f"{case.provider} takes no more requests at the moment.{_status(case)}", "Try again in a minute."
    if case.wait > _LONG_WAIT:
        return f"{case.provider} asks to wait {_span(case.wait)}.", "Choose another model until then."
    return f"{case.provider} asks to wait {_span(case.wait)}.", "Try again after that."


def _context(case: Case) -> tuple[str, str]:
    tokens, window = case.told.numbers.get("n_prompt_tokens"), case.told.numbers.get("n_ctx")
    if tokens and window:  # llama.cpp tells both
        what = f"The chat is too long for this model: {tokens:,.0f} tokens, and its window is {window:,.0f}."
    else:
        what = case.but("The chat is too long for this model.")
    return what, "Start a new chat, or choose a model with a larger window."


def _not_found(case: Case) -> tuple[str, str]:
    if case.moved:
        return f"{case.asked} answered {case.status}: the address is now {shown(case.moved)}.", "Enter that address."
    if case.during != "models" and re.search(r"\b(model|deployment|endpoints)\b", case.told.words, re.IGNORECASE):
        return case.but(f"{case.provider} does not have this model."), "Choose another model."
    advice = "Check the address." if "/v1/" in case.asked else "The address usually ends in /v1."
    return f"{case.asked} answered {case.status}.", advice


def _network(case: Case) -> tuple[str, str]:
    advice = "Check the address; a proxy or a sign-in page may stand in between."
    if case.told.page:
        status = f" with status {case.status}" if case.status >= 400 else ""
        return f"{case.asked} was answered by a web page{status}, not by a model.", advice
    if not case.told.text.strip():
        status = f"Status {case.status} and" if case.status >= 400 else "An answer came, but"
        return f"{status} nothing in it from {case.provider}.", "Try again. If it stays so, check the address."
    return case.but(f"{case.asked} was not answered as a model answers."), advice


def _status(case: Case) -> str:
    return f" Status {case.status}." if case.status >= 400 else ""


def _said(sentence: str, advice: str) -> Callable[[Case], tuple[str, str]]:
    """A sentence that is followed by the provider's own words."""
    return lambda case: (case.but(sentence.format(provider=case.provider)), advice)


SENTENCES: Mapping[RefusalKind, Callable[[Case], tuple[str, str]]] = {
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
