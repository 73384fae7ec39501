"""The general page of the settings: with what a chat begins, how a message is sent, where a turn ends."""

from __future__ import annotations

from typing import TypeVar

from PySide6.QtWidgets import QWidget

from conch_desktop.desktop.chips import chip_line
from conch_desktop.desktop.fields import Choice, Field
from conch_desktop.desktop.parts import label
from conch_desktop.desktop.settings_parts import CardList, SettingRow
from conch_desktop.desktop.settings_section import Section, make_page
from conch_desktop.desktop.switch import Switch
from conch_desktop.desktop.theme import look
from conch_desktop.desktop.wording import model_name
from conch_desktop.store.settings import (
    DAY_LIMIT,
    FAVOURITES,
    NEW_MODEL,
    RECENT,
    SEND_KEY,
    START_APPS,
    START_WITH,
    STEP_LIMIT,
    Setting,
)

T = TypeVar("T")

_MOST_STEPS = 1000
_DEAREST = 1_000_000.0


class GeneralSection(Section):
    """What applies to every chat."""

    name = "General"

    def page(self) -> QWidget:
        """Three cards: chats, limits, apps."""
        page, content = make_page("General", "What applies to every chat.")
        for words, rows in (("Chats", self._chats()), ("Limits", self._limits()), ("Apps", self._apps())):
            content.addWidget(label(words, "ui", "t1", 600))
            card = CardList()
            card.put(rows)
            content.addWidget(card)
        return page

    def _chats(self) -> list[QWidget]:
        self.model = Choice()
        self.model.setAccessibleName("Model of new chats")
        self.model.setFixedWidth(look.px(260))
        self.model.activated.connect(lambda at: self._set_model(self.model.itemData(at)))
        self.starts, starts = chip_line((("last", "The last chat"), ("new", "A new chat")), self._set_start)
        self.keys, keys = chip_line((("enter", "Enter"), ("ctrl_enter", "Ctrl+Enter")), self.set_key)
        return [
            SettingRow("Model of new chats", "Those you used lately and your favourites are listed.", self.model),
            SettingRow("Begin with", "What is open when the program starts.", starts),
            SettingRow("Send with", "With Ctrl+Enter, Enter alone begins a new line.", keys),
        ]

    def _limits(self) -> list[QWidget]:
        self.steps, self.day = Field("Steps in one turn"), Field("Pause all chats at, in dollars a day", "No limit")
        said = "A step is one request with the calls that come of it. Then the turn is paused and can go on."
        self.steps_row = SettingRow("Steps in one turn", said, self.steps)
        said = "Counted by the prices in the providers’ lists. Empty is no limit."
        self.day_row = SettingRow("Pause all chats at, $ a day", said, self.day)
        for field, work in ((self.steps, self._set_steps), (self.day, self._set_day)):
            field.setFixedWidth(look.px(110))
            field.textEdited.connect(work)
        return [self.steps_row, self.day_row]

    def _apps(self) -> list[QWidget]:
        self.apps = Switch("Start apps with the program")
        self.apps.clicked.connect(lambda on: self._keep(START_APPS, on))
        said = "While it is off, each app waits until you start it on the page Apps."
        return [SettingRow("Start apps with the program", said, self.apps)]

    async def fill(self) -> None:
        """Shows what is set."""
        settings = self.behind.program.settings
        self._fill_models([settings.get(NEW_MODEL), *settings.get(FAVOURITES), *settings.get(RECENT)])
        self.starts[settings.get(START_WITH)].setChecked(True)
        self.keys[settings.get(SEND_KEY)].setChecked(True)
        self.steps.setText(str(settings.get(STEP_LIMIT)))
        self.day.setText(f"{settings.get(DAY_LIMIT):g}" if settings.get(DAY_LIMIT) else "")
        self.apps.show_state(settings.get(START_APPS))
        for row in (self.steps_row, self.day_row):
            row.say()

    def _fill_models(self, ids: list[str]) -> None:
        self.model.clear()
        self.model.addItem("The one used last", "")
        for one in dict.fromkeys(filter(None, ids)):
            self.model.addItem(model_name(self.behind.desk.models.model(one), one.partition("/")[2]), one)
        self.model.setCurrentIndex(max(0, self.model.findData(self.behind.program.settings.get(NEW_MODEL))))

    # Setting --------------------------------------------------------------------------------------------------------

    def _keep(self, setting: Setting[T], value: T) -> None:
        self.behind.do(self.behind.program.settings.set(setting, value), "keep the setting")

    def _set_model(self, model: str) -> None:
        self._keep(NEW_MODEL, model)

    def _set_start(self, choice: str) -> None:
        self._keep(START_WITH, choice)

    def set_key(self, key: str) -> None:
        """Which key sends a message, at once."""
        self.behind.window.composer.send_with(key)
        self._keep(SEND_KEY, key)

    def _set_steps(self, text: str) -> None:
        wanted = int(text) if text.strip().isdecimal() else 0
        if not 1 <= wanted <= _MOST_STEPS:
            self.steps_row.say(f"A whole number from 1 to {_MOST_STEPS:,}.", bad=True)
            return
        self.steps_row.say()
        self._keep(STEP_LIMIT, wanted)

    def _set_day(self, text: str) -> None:
        try:
            wanted = float(text.replace(",", ".")) if text.strip() else 0.0
        except ValueError:
            wanted = -1.0
        if not 0 <= wanted <= _DEAREST:
            self.day_row.say("An amount like 2.50, or nothing.", bad=True)
            return
        self.day_row.say()
        self._keep(DAY_LIMIT, wanted)
