"""The switch offer in the window: once a chat and model, and nothing is sent before it is answered."""

from __future__ import annotations

from collections.abc import Callable, Coroutine
from pathlib import Path
from typing import Any

import pytest

from conch_desktop.desktop.desk import Desk
from conch_desktop.domain.models import Model
from conch_desktop.engine.assembly import Program
from conch_desktop.engine.catalogue import Catalogue
from tests.desktop.at_work import at_work, until
from tests.servers import say

Run = Callable[[Coroutine[Any, Any, Any]], Any]


def say_of_tools(desk: Desk, program: Program, model: str, monkeypatch: pytest.MonkeyPatch) -> Model:
    """The provider's list says that the model takes no tools, and that another one does."""
    provider, _, name = model.partition("/")
    poor, able = Model(provider, name, tools=False), Model(provider, "able", tools=True)

    async def find(wanted: str) -> Model | None:
        return next((one for one in (poor, able) if one.id == wanted), None)

    async def models(*, refresh: bool = False) -> Catalogue:
        return Catalogue([poor, able])

    monkeypatch.setattr(desk.models, "_catalogue", Catalogue([poor, able]))
    monkeypatch.setattr(program, "find_model", find)
    monkeypatch.setattr(program, "models", models)
    return able


@pytest.mark.parametrize(("answer", "asked"), [("keep", "m"), ("switch", "able")])
def test_the_offer_is_made_once_and_answered(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, answer: str, asked: str
) -> None:
    async def scenario() -> None:
        async with at_work(tmp_path) as (window, program, desk, server, model):
            say_of_tools(desk, program, model, monkeypatch)
            server.then(say("Noted."), say("Again."))
            composer = window.composer
            composer.set_text("Please remember the ferry")
            composer.writing.enter.emit()
            await until(composer.offer.isVisible)
            assert composer.text() == "Please remember the ferry"
            assert not server.of("/v1/chat/completions")
            (composer.offer.keep if answer == "keep" else composer.offer.switch).click()
            await until(lambda: server.of("/v1/chat/completions"))
            assert not composer.offer.isVisible()
            await until(lambda: not composer.send.running and desk.chats.session)
            assert server.of("/v1/chat/completions")[0].json["model"] == asked
            assert desk.chats.model_id.endswith(asked)
            await until(lambda: desk.chats.session and desk.chats.session.messages[-1].text == "Noted.")
            composer.set_text("remember more")
            composer.writing.enter.emit()
            await until(lambda: len(server.of("/v1/chat/completions")) == 2)

    run(scenario())


def test_escape_goes_back_to_the_text(run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    async def scenario() -> None:
        async with at_work(tmp_path) as (window, program, desk, server, model):
            say_of_tools(desk, program, model, monkeypatch)
            window.composer.set_text("Please remember the ferry")
            window.composer.writing.enter.emit()
            await until(window.composer.offer.isVisible)
            window.escape()
            assert not window.composer.offer.isVisible()
            assert window.composer.text() == "Please remember the ferry"
            assert not server.of("/v1/chat/completions")

    run(scenario())
