"""Joins the options of a chat and the program: what is set, and what the chat took so far."""

from __future__ import annotations

from collections.abc import Coroutine
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QObject, QPoint, QRect

from conch_desktop.desktop.options_card import OptionsCard
from conch_desktop.desktop.usage_words import usage_words
from conch_desktop.domain.messages import UsageCount
from conch_desktop.domain.options import AS_USUAL, ChatOptions
from conch_desktop.providers.registry import KINDS
from conch_desktop.store.settings import DAY_LIMIT

if TYPE_CHECKING:
    from conch_desktop.desktop.chats_desk import ChatsDesk
    from conch_desktop.desktop.models_desk import ModelsDesk
    from conch_desktop.desktop.spawn import Tasks
    from conch_desktop.desktop.window import Window
    from conch_desktop.engine.assembly import Program

_UNKNOWN = "No price is known for this model, so it does not count towards a limit."


class OptionsDesk(QObject):
    """The button in the head of the chat, and its card."""

    def __init__(self, window: Window, program: Program, chats: ChatsDesk, models: ModelsDesk, tasks: Tasks) -> None:
        super().__init__(window)
        self._window, self._program, self._chats, self._models, self._tasks = window, program, chats, models, tasks
        self._card: OptionsCard | None = None
        self._set = AS_USUAL
        self._card_of, self._told = "", AS_USUAL
        """The chat the card was opened in, and what of it was told last."""
        window.header.options.connect(lambda: self._do(self._open(), "open the options of the chat"))
        chats.model_changed.connect(self._refresh)
        chats.ended.connect(self._refresh)

    def _do(self, work: Coroutine[Any, Any, Any], name: str) -> None:
        self._tasks.spawn(work, name)

    def _refresh(self) -> None:
        self._do(self._show(), "read what the chat took")

    async def _show(self) -> UsageCount:
        """Says on the button what is set and what the chat took."""
        chat = self._chats.chat
        options = await self._program.options.of(chat) if chat else AS_USUAL
        took = await self._program.spending.of_chat(chat) if chat else UsageCount()
        if chat == self._chats.chat:
            self._set = options
            said = [part for part in (_set_words(options), usage_words(took)) if part]
            self._window.header.options_button.set_name("\n".join(["Options of this chat", *said]))
        return took

    async def _open(self) -> None:
        if self._window.whole.currentWidget() is not self._window.shell:
            return
        took = await self._show()
        if self._card is None:
            card = self._card = OptionsCard(self._window)
            self._window.popups.append(card)
            card.changed.connect(self._changed)
        words = usage_words(took)
        counts = await self._is_priced(self._chats.model_id)
        self._card.show_spent(f"So far: {words}." if words else "", "" if counts else _UNKNOWN)
        button = self._window.header.options_button
        anchor = QRect(button.mapTo(self._window, QPoint(0, 0)), button.size())
        self._card_of, self._told = self._chats.chat, self._set
        self._card.open_below(anchor, self._set, self._program.settings.get(DAY_LIMIT))

    def _changed(self, options: ChatOptions, day_limit: float) -> None:
        self._do(self._keep(self._card_of, options, day_limit), "keep the options of the chat")

    async def _is_priced(self, model_id: str) -> bool:
        """Whether it is known what a model costs; those on this computer cost nothing."""
        model = self._models.model(model_id)
        provider = await self._program.provider(model_id.partition("/")[0])
        if provider is None or KINDS[provider.kind].on_this_computer:
            return True
        return model is not None and model.price_in is not None and model.price_out is not None

    async def _keep(self, chat: str, options: ChatOptions, day_limit: float) -> None:
        """Keeps what was set, for the chat the card was opened in; a new chat is kept from then on."""
        if options != self._told:
            self._told = options
            self._card_of = chat or (await self._chats.kept()).chat_id
            await self._program.options.set(self._card_of, options)
            await self._show()
        if day_limit != self._program.settings.get(DAY_LIMIT):
            await self._program.settings.set(DAY_LIMIT, day_limit)


def _set_words(options: ChatOptions) -> str:
    """What is set, in a line."""
    said = []
    if options.system:
        said.append("own instructions")
    if options.temperature is not None:
        said.append(f"temperature {options.temperature:g}")
    if options.max_tokens is not None:
        said.append(f"at most {options.max_tokens:,} tokens")
    if options.effort:
        said.append(f"thinking {options.effort}")
    if options.spend_limit:
        said.append(f"pauses at ${options.spend_limit:g}")
    return ", ".join(said)
