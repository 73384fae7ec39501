"""Settings: what is kept comes back; what can't be used becomes the default, with a note."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import pytest

from conch_desktop.domain.errors import UsageError
from conch_desktop.store import settings as known
from conch_desktop.store.database import Database
from conch_desktop.store.settings import SETTINGS, Setting, Settings
from tests.store.conftest import StillClock

VALUES: list[tuple[Setting[Any], Any]] = [
    (known.THEME, "dark"),
    (known.LAST_CHAT, "half \ud83d"),
    (known.LAST_MODEL, "local/small"),
    (known.GEOMETRY, "AdnQywADAAAAAA=="),
    (known.PANEL_OPEN, False),
    (known.SIDEBAR_OPEN, False),
    (known.PANEL_WIDTH, 400),
    (known.SIDEBAR_WIDTH, 250),
    (known.TEXT_ZOOM, 200),
    (known.FAVOURITES, ["a/b", "c/d"]),
    (known.RECENT, ["a/b"]),
    (known.GROUPS_FOLDED, ["pier"]),
    (known.LOCAL_MODEL, "/models/own.gguf"),
    (known.TOOLS_OFF, ["memory"]),
    (known.FOLDERS, ["/home/ana/notes"]),
    (known.STEP_LIMIT, 50),
    (known.DAY_LIMIT, 2.5),
    (known.MODEL_MODES, {"pier/demo": "words"}),
    (known.SEEN_MODES, {"pier/demo": "native"}),
    (known.CONTRAST, "high"),
    (known.NEW_MODEL, "pier/demo"),
    (known.START_WITH, "new"),
    (known.START_APPS, False),
    (known.SEND_KEY, "ctrl_enter"),
    (known.SINGLE_TOOLS_OFF, ["write_file"]),
]

BROKEN: list[tuple[Setting[Any], str]] = [
    (known.THEME, '"purple"'),
    (known.THEME, '["dark"]'),
    (known.THEME, "dark"),
    (known.THEME, ""),
    (known.THEME, "[" * 100_000),
    (known.LAST_CHAT, "null"),
    (known.GEOMETRY, '"not base64!"'),
    (known.GEOMETRY, '"é"'),
    (known.GEOMETRY, "1"),
    (known.PANEL_OPEN, "1"),
    (known.PANEL_OPEN, '"yes"'),
    (known.PANEL_WIDTH, "-1"),
    (known.PANEL_WIDTH, "380.5"),
    (known.TEXT_ZOOM, "79"),
    (known.TEXT_ZOOM, "201"),
    (known.TEXT_ZOOM, "true"),
    (known.TEXT_ZOOM, "1e400"),
    (known.TEXT_ZOOM, "NaN"),
    (known.FAVOURITES, '"a/b"'),
    (known.FAVOURITES, '["a/b", 1]'),
    (known.FOLDERS, '"/home"'),
    (known.STEP_LIMIT, "0"),
    (known.DAY_LIMIT, "-1"),
    (known.MODEL_MODES, "[]"),
    (known.STEP_LIMIT, '{"a": 1}'),
]


async def again(database: Database) -> Settings:
    settings = Settings(database)
    await settings.load()
    return settings


async def put(database: Database, name: str, value: str) -> None:
    await database.run(lambda c: c.execute("INSERT INTO settings (name, value) VALUES (?, ?)", (name, value)))


def test_every_setting_is_known_once_and_its_default_fits() -> None:
    assert {setting.name for setting, _ in VALUES} == {setting.name for setting in SETTINGS}
    assert len({setting.name for setting in SETTINGS}) == len(SETTINGS)
    assert all(setting.fits(setting.default) for setting in SETTINGS)


async def test_without_a_value_the_default_is_given(database: Database) -> None:
    settings = await again(database)
    assert [settings.get(setting) for setting, _ in VALUES] == [setting.default for setting, _ in VALUES]
    assert settings.notes == []
    assert Settings(database).get(known.THEME) == "system"


@pytest.mark.parametrize(("setting", "value"), VALUES, ids=[setting.name for setting, _ in VALUES])
async def test_a_value_that_was_set_comes_back(database: Database, setting: Setting[Any], value: object) -> None:
    settings = await again(database)
    await settings.set(setting, setting.default)
    await settings.set(setting, value)
    assert settings.get(setting) == value
    reread = await again(database)
    assert reread.get(setting) == value
    assert reread.notes == []


@pytest.mark.parametrize(("setting", "value"), BROKEN, ids=[f"{s.name}={v[:12]}" for s, v in BROKEN])
async def test_a_broken_value_becomes_the_default_with_a_note(
    database: Database, setting: Setting[Any], value: str
) -> None:
    await put(database, setting.name, value)
    settings = await again(database)
    assert settings.get(setting) == setting.default
    (note,) = settings.notes
    assert setting.meaning in note
    await settings.set(setting, setting.default)
    assert (await again(database)).notes == []


async def test_one_broken_value_does_not_take_others_with_it(database: Database) -> None:
    await put(database, "theme", "broken")
    await put(database, "text_zoom", "120")
    await put(database, "from_another_version", "1")
    settings = await again(database)
    assert settings.get(known.TEXT_ZOOM) == 120
    assert len(settings.notes) == 1


@pytest.mark.parametrize(("setting", "value"), BROKEN, ids=[f"{s.name}={v[:12]}" for s, v in BROKEN])
async def test_a_value_that_does_not_fit_is_not_set(database: Database, setting: Setting[Any], value: str) -> None:
    try:
        parsed = json.loads(value)
    except (ValueError, RecursionError):
        parsed = object()
    settings = await again(database)
    with pytest.raises(UsageError, match=setting.meaning):
        await settings.set(setting, parsed)
    assert settings.get(setting) == setting.default


async def test_a_value_is_there_before_it_is_written(database: Database) -> None:
    settings = await again(database)
    task = asyncio.create_task(settings.set(known.THEME, "dark"))
    await asyncio.sleep(0)
    assert settings.get(known.THEME) == "dark"
    await task


async def test_a_list_that_was_given_out_can_be_changed_without_harm(database: Database, clock: StillClock) -> None:
    settings = await again(database)
    settings.get(known.FAVOURITES).append("a/b")
    assert settings.get(known.FAVOURITES) == []
    mine = ["c/d"]
    await settings.set(known.FAVOURITES, mine)
    mine.append("e/f")
    settings.get(known.FAVOURITES).append("g/h")
    assert settings.get(known.FAVOURITES) == ["c/d"]
