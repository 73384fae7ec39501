"""What the servers that speak chat completions want otherwise than most: one row a host, each rule with its report."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field

from conch_desktop.domain.calls import Json

_NEVER = re.compile(r"(?!)")


@dataclass(frozen=True, slots=True)
class HostRules:
    """The rules of one host.

    `max_tokens` and `effort` are the names of those fields; `without` are fields it refuses. `thinking_back`: thinking
    must go back (elsewhere it must not: Alishahryar1/free-claude-code #1136). `call_id` is how a call's id may look.
    `no_words` stands where an answer has calls and no words. `forced` goes along with a forced call. `cool` are models
    that take no temperature, `signed` those whose calls must carry a signature.
    """

    max_tokens: str = "max_tokens"
    effort: str = "reasoning_effort"
    without: tuple[str, ...] = ()
    thinking_back: bool = False
    call_id: re.Pattern[str] = re.compile(r"[a-zA-Z0-9_-]{1,40}")  # OpenAI's limit (vercel/ai #5171)
    no_words: str | None = None
    forced: Mapping[str, Json] = field(default_factory=dict)
    cool: re.Pattern[str] = _NEVER
    signed: re.Pattern[str] = _NEVER


MOST = HostRules()

_THINKS = re.compile(r"(?:o\d|gpt-5(?!.*chat))")
_GEMINI_3 = re.compile(r"(?:models/)?gemini-(?:[3-9]|\d\d)")
_MOONSHOT = HostRules(thinking_back=True)  # MoonshotAI/kimi-agent-sdk #169

HOSTS: Mapping[str, HostRules] = {
    # Models that think take no other name of the limit (CherryHQ/cherry-studio #1403), and no temperature.
    "api.openai.com": HostRules(max_tokens="max_completion_tokens", cool=_THINKS),
    # Ids of nine letters and digits (anomalyco/opencode #1680); an unknown field is a 422.
    "api.mistral.ai": HostRules(without=("stream_options",), call_id=re.compile(r"[a-zA-Z0-9]{9}")),
    # Thinking goes back (the-open-agent/openagent #2206), and excludes a forced call (shareAI-lab/Kode-CLI PR #182).
    "api.deepseek.com": HostRules(thinking_back=True, forced={"thinking": {"type": "disabled"}}),
    "api.moonshot.ai": _MOONSHOT,
    "api.moonshot.cn": _MOONSHOT,
    # It wants an element of content in every message (charmbracelet/crush #964).
    "api.x.ai": HostRules(no_words=""),
    # Calls another model made have no signature, and are refused without (jeremychone/rust-genai PR #115).
    "generativelanguage.googleapis.com": HostRules(signed=_GEMINI_3),
    # Its own name for the level (openrouter.ai, "Reasoning Tokens").
    "openrouter.ai": HostRules(effort="reasoning"),
}
