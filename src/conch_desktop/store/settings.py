"""Settings: each with a name, a default and what it may be. Read once, so that nobody waits for one."""

from __future__ import annotations

import base64
import binascii
import json
import math
import sqlite3
from collections.abc import Callable
from copy import copy
from dataclasses import dataclass
from typing import Generic, TypeVar, cast

from conch_desktop.domain.errors import UsageError
from conch_desktop.store.columns import from_column, to_column, to_json
from conch_desktop.store.database import Database

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Setting(Generic[T]):
    """`fits` says whether a value is one this setting can have; `meaning` is for notes: “the theme”."""

    name: str
    default: T
    fits: Callable[[object], bool]
    meaning: str


def one_of(*choices: str) -> Callable[[object], bool]:
    """One of a few words."""
    return lambda value: isinstance(value, str) and value in choices


def whole(least: int, most: int) -> Callable[[object], bool]:
    """A whole number between two bounds; true and false are none."""
    return lambda value: type(value) is int and least <= value <= most


def amount(value: object) -> bool:
    """A number from 0 on."""
    return isinstance(value, int | float) and not isinstance(value, bool) and 0 <= value < math.inf


def is_text(value: object) -> bool:
    """Any text."""
    return isinstance(value, str)


def is_switch(value: object) -> bool:
    """On or off."""
    return isinstance(value, bool)


def is_texts(value: object) -> bool:
    """A list of texts."""
    return isinstance(value, list) and all(isinstance(item, str) for item in value)


def is_table(value: object) -> bool:
    """Texts by texts."""
    return isinstance(value, dict) and all(isinstance(item, str) for item in value.values())


def is_base64(value: object) -> bool:
    """Bytes in base64, as Qt gives a window's place."""
    if not isinstance(value, str):
        return False
    try:
        base64.b64decode(value, validate=True)
    except (binascii.Error, ValueError):
        return False
    return True


THEME = Setting("theme", "system", one_of("system", "light", "dark"), "the theme")
LAST_CHAT = Setting("last_chat", "", is_text, "the chat that was open last")
LAST_MODEL = Setting("last_model", "", is_text, "the model that was used last")
GEOMETRY = Setting("geometry", "", is_base64, "the place of the window")
PANEL_OPEN = Setting("panel_open", True, is_switch, "whether the activity panel is open")
SIDEBAR_OPEN = Setting("sidebar_open", True, is_switch, "whether the sidebar is open")
PANEL_WIDTH = Setting("panel_width", 380, whole(100, 4000), "the width of the activity panel")
SIDEBAR_WIDTH = Setting("sidebar_width", 260, whole(100, 4000), "the width of the sidebar")
TEXT_ZOOM = Setting("text_zoom", 100, whole(80, 200), "the text zoom")
FAVOURITES: Setting[list[str]] = Setting("favourites", [], is_texts, "the favourite models")
RECENT: Setting[list[str]] = Setting("recent", [], is_texts, "the models used lately")
GROUPS_FOLDED: Setting[list[str]] = Setting("groups_folded", [], is_texts, "the groups of models that are folded")
LOCAL_MODEL = Setting("local_model", "", is_text, "the model file on this computer")
TOOLS_OFF: Setting[list[str]] = Setting("tools_off", [], is_texts, "the tools that are switched off")
FOLDERS: Setting[list[str]] = Setting("folders", [], is_texts, "the folders that tools may use")
MODEL_MODES: Setting[dict[str, str]] = Setting("model_modes", {}, is_table, "how models get their tools")
SEEN_MODES: Setting[dict[str, str]] = Setting("seen_modes", {}, is_table, "how models got their tools last")
CONTRAST = Setting("contrast", "system", one_of("system", "high"), "the contrast")
DAY_LIMIT = Setting("day_limit", 0.0, amount, "the limit of what a day may cost")
STEP_LIMIT = Setting("step_limit", 25, whole(1, 1000), "the limit of steps in a turn")
NEW_MODEL = Setting("new_model", "", is_text, "the model of new chats")
START_WITH = Setting("start_with", "last", one_of("last", "new"), "the chat the program starts with")
START_APPS = Setting("start_apps", True, is_switch, "whether apps start with the program")
SEND_KEY = Setting("send_key", "enter", one_of("enter", "ctrl_enter"), "the key that sends")
SINGLE_TOOLS_OFF: Setting[list[str]] = Setting("single_tools_off", [], is_texts, "the single tools switched off")

_Any = Setting[str] | Setting[bool] | Setting[int] | Setting[float] | Setting[list[str]] | Setting[dict[str, str]]

SETTINGS: tuple[_Any, ...] = (
    THEME,
    LAST_CHAT,
    LAST_MODEL,
    GEOMETRY,
    PANEL_OPEN,
    SIDEBAR_OPEN,
    PANEL_WIDTH,
    SIDEBAR_WIDTH,
    TEXT_ZOOM,
    FAVOURITES,
    RECENT,
    GROUPS_FOLDED,
    LOCAL_MODEL,
    TOOLS_OFF,
    FOLDERS,
    MODEL_MODES,
    SEEN_MODES,
    CONTRAST,
    DAY_LIMIT,
    STEP_LIMIT,
    NEW_MODEL,
    START_WITH,
    START_APPS,
    SEND_KEY,
    SINGLE_TOOLS_OFF,
)


class Settings:
    """The settings of a person. `notes` says of each value that could not be used what is used instead."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._values: dict[str, object] = {}
        self.notes: list[str] = []

    async def load(self) -> None:
        """Reads every setting. A value that can't be used is as good as none, with a note; it is not thrown away."""

        def work(connection: sqlite3.Connection) -> dict[str, str]:
            rows = connection.execute("SELECT name, value FROM settings")
            return {from_column(name): from_column(value) for name, value in rows}

        kept = await self._database.run(work)
        self._values.clear()
        self.notes.clear()
        for setting in SETTINGS:
            if setting.name not in kept:
                continue
            try:
                value = json.loads(kept[setting.name])
            except (ValueError, RecursionError):
                value = None
            if setting.fits(value):
                self._values[setting.name] = value
            else:
                self.notes.append(
                    f"The setting for {setting.meaning} ({setting.name}) could not be read, so its default is used."
                )

    def get(self, setting: Setting[T]) -> T:
        """The value; never waits. A list may be changed by whoever asked for it."""
        return copy(cast(T, self._values.get(setting.name, setting.default)))

    async def set(self, setting: Setting[T], value: T) -> None:
        """Sets the value at once and keeps it."""
        if not setting.fits(value):
            raise UsageError(f"“{value}” can't be used for {setting.meaning}.", "Choose another value.")
        self._values[setting.name] = copy(value)
        column = to_json(value)

        def work(connection: sqlite3.Connection) -> None:
            connection.execute(
                "INSERT OR REPLACE INTO settings (name, value) VALUES (?, ?)", (to_column(setting.name), column)
            )

        await self._database.run(work)
