"""What a person sets for one chat."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class ChatOptions:
    """What goes with every request of a chat, where its model takes it.

    `system` is added to the program's own system prompt. `temperature` None, `max_tokens` None (tokens an answer may
    take) and `effort` "" (one of `domain.efforts.EFFORTS`) leave it to the provider. `spend_limit` is in US dollars:
    once as much was spent in the chat, its turns pause.
    """

    system: str = ""
    temperature: float | None = None
    max_tokens: int | None = None
    effort: str = ""
    spend_limit: float | None = None


AS_USUAL = ChatOptions()
"""Nothing was set."""
