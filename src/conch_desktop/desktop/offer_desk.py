"""Joins the switch offer and the window: once a chat and model, before a message goes to a model without tools."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal

from conch_desktop.desktop.announce import announce
from conch_desktop.desktop.wording import model_name
from conch_desktop.engine.commands import split_command
from conch_desktop.engine.switching import SwitchOffer, switch_offer

if TYPE_CHECKING:
    from conch_desktop.desktop.window import Window
    from conch_desktop.engine.assembly import Program


class OfferDesk(QObject):
    """`answered` tells the text to send and the model that shall answer, "" for the one that was chosen."""

    answered = Signal(str, str)

    def __init__(self, window: Window, program: Program) -> None:
        super().__init__(window)
        self._window, self._program = window, program
        self._made: set[tuple[str, str]] = set()
        self._open: tuple[str, str] | None = None
        window.composer.offer.answered.connect(self._answer)
        window.escapes.append(self.close)

    def named(self, chat: str) -> None:
        """The new chat has its id now."""
        self._made = {(known or chat, model) for known, model in self._made}

    async def make(self, text: str, chat: str, model_id: str) -> bool:
        """Offers another model for this message; False when there is nothing to offer."""
        if (chat, model_id) in self._made:
            return False
        model = await self._program.find_model(model_id)
        offer = await self._find(text, model_id)
        if offer is None:
            return False
        self._made.add((chat, model_id))
        self._open = (text, offer.other.id)
        self._window.composer.offer.show_offer(
            model_name(model, model_id), model_name(offer.other, offer.other.id), offer.named
        )
        self._window.page.arrange()
        announce(self._window, "Another model is offered for this message.")
        return True

    async def _find(self, text: str, model_id: str) -> SwitchOffer | None:
        model = await self._program.find_model(model_id)
        if model is None or model.tools is not False:
            return None
        asked, rest = split_command(text, self._program.everything())
        return switch_offer(
            rest,
            asked=asked,
            model=model,
            toolbox=self._program.offered(asked),
            models=(await self._program.models()).models,
            lessons=await self._program.lessons_of(model_id),
            choice=self._program.own_choice(model_id),
        )

    def close(self) -> bool:
        """Takes the offer away; the text stays."""
        was, self._open = self._open is not None, None
        if was:
            self._window.composer.offer.hide()
            self._window.page.arrange()
        return was

    def _answer(self, answer: str) -> None:
        offer = self._open
        self.close()
        self._window.composer.setFocus()
        if offer is not None and answer:
            text = self._window.composer.text() or offer[0]
            self.answered.emit(text, offer[1] if answer == "switch" else "")
