"""A whole chat as it is taken along in a file and brought back."""

from __future__ import annotations

import uuid
from dataclasses import dataclass, replace

from conch_desktop.domain.calls import CallRecord
from conch_desktop.domain.messages import Attached, Chat, Message
from conch_desktop.domain.options import AS_USUAL, ChatOptions

_NAMES = uuid.UUID("6f1b6d0e-2f0c-4a53-9a54-0b7c1c6de1a7")
"""The space of the ids that copies get."""


@dataclass(frozen=True, slots=True)
class ArchivedChat:
    """A chat with everything that is kept of it. `attached` goes with its draft."""

    chat: Chat
    messages: tuple[Message, ...] = ()
    options: ChatOptions = AS_USUAL
    attached: tuple[Attached, ...] = ()

    def is_part_of(self, kept: tuple[Message, ...]) -> bool:
        """Whether a chat that is kept has all these messages, and perhaps more after them."""
        return kept[: len(self.messages)] == self.messages

    def beside(self) -> ArchivedChat:
        """The same as a chat of its own, with other ids for the chat and its calls; the same each time."""
        told = repr(self.messages).encode("utf-8", "surrogatepass").decode("latin-1")
        new = uuid.uuid5(_NAMES, f"{self.chat.id} {told}").hex
        messages = (
            replace(
                message,
                parts=tuple(
                    replace(part, id=f"call_{uuid.uuid5(_NAMES, f'{new} {part.id}').hex[:20]}")
                    if isinstance(part, CallRecord)
                    else part
                    for part in message.parts
                ),
            )
            for message in self.messages
        )
        return replace(self, chat=replace(self.chat, id=new), messages=tuple(messages))
