"""Permissions hold for a tool as it was defined when the person allowed it."""

from __future__ import annotations

import pytest

from conch_desktop.store.database import Database
from conch_desktop.store.permissions import Permission, Permissions
from tests.store.conftest import StillClock

TOOL = {"source": "notes", "tool": "save half \ud83d", "digest": "d1", "definition": '{"name": "save"}'}


@pytest.fixture
def permissions(database: Database, clock: StillClock) -> Permissions:
    return Permissions(database, clock)


async def test_nothing_is_allowed_before_the_person_said_so(permissions: Permissions) -> None:
    assert await permissions.given(source=TOOL["source"], tool=TOOL["tool"]) is None
    assert await permissions.all() == []


async def test_what_was_allowed_is_there_as_it_was_defined(permissions: Permissions, clock: StillClock) -> None:
    await permissions.allow(**TOOL)
    given = await permissions.given(source=TOOL["source"], tool=TOOL["tool"])
    assert given == Permission(**TOOL, allowed=clock.time)
    assert await permissions.all() == [given]


@pytest.mark.parametrize("name", ["source", "tool"])
async def test_another_tool_is_not(permissions: Permissions, name: str) -> None:
    await permissions.allow(**TOOL)
    asked = {"source": TOOL["source"], "tool": TOOL["tool"], name: "other"}
    assert await permissions.given(**asked) is None


async def test_a_changed_tool_that_is_allowed_again_holds_only_as_it_is_now(permissions: Permissions) -> None:
    await permissions.allow(**TOOL)
    await permissions.allow(**{**TOOL, "digest": "d2"})
    given = await permissions.given(source=TOOL["source"], tool=TOOL["tool"])
    assert given is not None
    assert given.digest == "d2"
    assert len(await permissions.all()) == 1


async def test_a_revoked_permission_is_gone(permissions: Permissions) -> None:
    await permissions.allow(**TOOL)
    await permissions.allow(source="notes", tool="other", digest="d", definition="{}")
    await permissions.revoke(source=TOOL["source"], tool=TOOL["tool"])
    await permissions.revoke(source="nowhere", tool="nothing")
    assert [permission.tool for permission in await permissions.all()] == ["other"]
