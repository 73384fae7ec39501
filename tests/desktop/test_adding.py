"""A provider is added as a person does it: addresses typed loosely, keys known by their beginning, nothing unasked."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest

from conch_desktop.desktop.adding_desk import AddingDesk
from conch_desktop.desktop.desk import Desk
from conch_desktop.desktop.provider_form import ProviderForm
from conch_desktop.desktop.window import Window
from conch_desktop.engine.assembly import Program
from tests.desktop.at_work import at_work, until
from tests.desktop.conftest import Run
from tests.servers import ScriptedServer, json_reply, say

MODELS = {"data": [{"id": f"berth/{number}", "object": "model"} for number in range(412)]}
KEYS = ("OPENAI_API_KEY", "GROQ_API_KEY", "OPENROUTER_API_KEY", "GEMINI_API_KEY", "ANTHROPIC_API_KEY")

Work = Callable[[Window, Program, Desk, ScriptedServer, ProviderForm], Awaitable[None]]


@pytest.fixture
def adding(run: Run[Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[Work], None]:
    """Runs a piece of work in front of the open form."""
    for variable in KEYS:
        monkeypatch.delenv(variable, raising=False)

    async def live(work: Work) -> None:
        async with at_work(tmp_path) as (window, program, desk, server, _):
            desk.models.open_form("own")
            await work(window, program, desk, server, _form(desk))

    return lambda work: run(live(work))


def _form(desk: Desk) -> ProviderForm:
    adding: AddingDesk | None = desk.models._adding
    assert adding is not None
    return adding.form


def press(button: Any) -> None:
    """Presses a button."""
    QTest.mouseClick(button, Qt.MouseButton.LeftButton)


def test_the_address_may_end_in_v1_or_not_or_in_a_slash(adding: Callable[[Work], None]) -> None:
    async def work(_w: Window, program: Program, desk: Desk, server: ScriptedServer, form: ProviderForm) -> None:
        server.route("GET /v1/models", json_reply(MODELS))
        for number, typed in enumerate((server.url, f"{server.url}/v1", f"{server.url}/v1/")):
            desk.models.open_form("own")
            form.url.setText(typed)
            press(form.test)
            await until(lambda: form.said.words.text().startswith("412 models, answered in "))
            form.name.setText(f"Quay {number}")
            press(form.save)
            await until(lambda: not form.isVisible())
        desk.models.open_form("own")
        form.url.setText(f"{server.url}/wrong")
        press(form.test)
        await until(lambda: "404" in form.said.words.text())
        assert f"GET {server.url}/wrong/models answered 404" in form.said.words.text()
        assert not [one.path for one in server.requests if "/v1/v1" in one.path or "//" in one.path]
        added = [one for one in await program.providers() if one.name.startswith("Quay")]
        assert len(added) == 3
        for provider in added:
            server.then(say("Aye."))
            session = program.session((await program.chats.create(model=f"{provider.id}/berth/7")).id)
            await session.load()
            await session.send("Is there a berth?")
            assert session.messages[-1].text == "Aye."
        assert len(server.of("/v1/chat/completions")) == 3

    adding(work)


def test_an_address_at_home_is_looked_at_while_it_is_typed_and_one_on_the_internet_is_not(
    adding: Callable[[Work], None],
) -> None:
    async def work(_w: Window, _p: Program, _d: Desk, server: ScriptedServer, form: ProviderForm) -> None:
        server.route("GET /v1/models", json_reply(MODELS))
        form.key.setText("pier-key-that-is-not-sent")
        QTest.keyClicks(form.url, server.url.removeprefix("http://"))
        await until(lambda: form.address_said.words.text().startswith("412 models, answered in "))
        looked = server.of("/v1/models")[-1]
        assert "pier-key" not in str(looked.headers)
        form.url.setText("example.org")
        assert not form.address_said.isVisible()
        await until(lambda: "not contacted before" in form.address_said.words.text())
        form.url.setText("127.0.0.1:9")
        await until(lambda: "nothing answers" in form.address_said.words.text())
        form.url.setText(f"{server.url}/pier")
        server.route("GET /pier/v1/models", json_reply(MODELS))
        await until(lambda: form.address_said.deed.isVisible())
        press(form.address_said.deed)
        assert form.url.text() == f"{server.url}/pier/v1"

    adding(work)


def test_a_pasted_key_chooses_its_company_and_warns_where_it_would_go_elsewhere(adding: Callable[[Work], None]) -> None:
    async def work(_w: Window, _p: Program, _d: Desk, server: ScriptedServer, form: ProviderForm) -> None:
        form.key.setText("gsk_0123456789")
        assert form.row.name == "groq"
        assert form.key_said.words.text() == "This is a key of Groq."
        assert form.kind_said.words.text().startswith("Untested")
        assert "(untested)" in form.kind.currentText()
        form.begin("own", "")
        form.url.setText(server.url)
        form.key.setText("gsk_0123456789")
        assert form.row.name == "own"
        assert "would go to the address above" in form.key_said.words.text()
        form.begin("own", "")
        form.key.setText("sk-0123456789")
        assert form.row.name == "own"
        assert "several companies" in form.key_said.words.text()
        form.begin("openrouter", "")
        assert not form.kind_said.isVisible()
        form.url.setText("https://api.groq.com")
        await until(lambda: form.address_said.deed.isVisible())
        press(form.address_said.deed)
        assert (form.row.name, form.url.text()) == ("groq", "")
        assert form.filled().url == "https://api.groq.com/openai/v1"
        assert form.filled().kind == "openai"

    adding(work)


def test_what_is_at_hand_is_offered_and_taken_only_when_it_is_pressed(
    adding: Callable[[Work], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XAI_API_KEY", "xai-of-the-environment")

    async def work(_w: Window, program: Program, desk: Desk, server: ScriptedServer, form: ProviderForm) -> None:
        async with ScriptedServer() as other:
            other.route("GET /v1/models", json_reply({"data": [{"id": "m", "owned_by": "vllm"}]}))
            program.server_ports = [int(one.url.rpartition(":")[2]) for one in (server, other)]
            asked = len(server.requests)
            desk.models.open_form("own")

            def buttons() -> dict[str, Any]:
                found = form.offers.findChildren(type(form.test))
                return {one.accessibleName(): one for one in found if one.isVisible()}

            await until(lambda: "Use vLLM" in buttons())
            assert set(buttons()) == {"Use vLLM", "Use xAI"}  # the other server was added already
            assert len(await program.providers()) == 2
            assert form.key_env.text() == ""
            assert "authorization" not in other.requests[-1].headers
            assert len(server.requests) == asked + 1
            press(buttons()["Use xAI"])
            assert (form.row.name, form.key_env.text(), form.key.text()) == ("xai", "XAI_API_KEY", "")
            press(buttons()["Use vLLM"])
            assert (form.row.name, form.url.text(), form.key_env.text()) == ("vllm", f"{other.url}/v1", "")
            press(form.save)
            await until(lambda: not form.isVisible())
            assert [one.name for one in await program.providers()][-1] == "vLLM"

    adding(work)


def test_plain_http_to_the_internet_is_warned_of_before_anything_is_sent_or_kept(
    adding: Callable[[Work], None],
) -> None:
    async def work(_w: Window, program: Program, _d: Desk, server: ScriptedServer, form: ProviderForm) -> None:
        form.reach.proxy.setText(server.url)  # so that nothing leaves this computer
        server.then(json_reply(MODELS), json_reply(MODELS))
        form.url.setText("http://pier.example.org")
        form.key.setText("pier-key-0000")
        for button in (form.test, form.save):
            form.name.setText("Pier far away" if button is form.save else "")
            before = len(server.requests)
            press(button)
            await until(lambda: "unencrypted to pier.example.org" in form.said.words.text())
            await asyncio.sleep(0)
            assert len(server.requests) == before
            assert form.save.text() == "Add anyway"
        assert len(await program.providers()) == 2
        press(form.save)
        await until(lambda: not form.isVisible())
        assert [one.name for one in await program.providers()][-1] == "Pier far away"
        assert server.requests[-1].path == "http://pier.example.org/v1/models"

    adding(work)


@pytest.mark.parametrize(
    ("fill", "words"),
    [
        (lambda form: None, "The address is missing"),
        (lambda form: (form.url.setText("127.0.0.1:9"), form.reach.headers.setPlainText("X Title")), "no header"),
        (lambda form: (form.url.setText("127.0.0.1:9"), form.reach.proxy.setText("http://[")), "proxy"),
        (lambda form: form.url.setText("http://ana:herring@127.0.0.1:9"), "no password can stand in it"),
    ],
)
def test_what_cannot_be_is_said_on_the_spot(
    adding: Callable[[Work], None], fill: Callable[[ProviderForm], object], words: str
) -> None:
    async def work(_w: Window, program: Program, _d: Desk, _s: ScriptedServer, form: ProviderForm) -> None:
        for button in (form.test, form.save):
            fill(form)
            press(button)
            await until(lambda: words in form.said.words.text())
            assert form.save.isEnabled()
            form.begin("own", "")
        assert len(await program.providers()) == 2

    adding(work)


def test_the_picker_says_how_old_a_list_is_and_what_was_never_tried(adding: Callable[[Work], None]) -> None:
    async def work(_w: Window, program: Program, desk: Desk, server: ScriptedServer, _f: ProviderForm) -> None:
        await program.add_provider("openai", "Groq", "https://api.groq.com/openai/v1", "")
        await program.models(refresh=False)
        models = desk.models
        models._close_form()
        server.route("GET /v1/models", json_reply(MODELS))
        pier = (await program.providers())[1]
        await program._read([pier], refresh=True)
        server.route("GET /v1/models", json_reply({"error": "no"}, 503))
        models._catalogue = await program._read([pier], refresh=True)
        models._providers = await program.providers()
        models._made_picker()
        models._fill_picker()
        assert models._picker is not None
        failure = next(row for row in models._picker.rows.rows if row.kind == "failure")
        assert failure.text.startswith("List from a moment ago. ")
        assert sum(row.kind == "model" for row in models._picker.rows.rows) == 412
        assert ("Groq, untested") in [name for _, name in models._picker._content.providers]

    adding(work)


def test_escape_on_the_form_is_cancel_and_the_answer_behind_it_goes_on(adding: Callable[[Work], None]) -> None:
    async def work(window: Window, _p: Program, _d: Desk, server: ScriptedServer, form: ProviderForm) -> None:
        stopped: list[bool] = []
        window.stop_asked.connect(lambda: stopped.append(True))
        assert window.whole.currentWidget() is form
        window.escape()
        await until(lambda: window.whole.currentWidget() is not form)
        assert not stopped

    adding(work)
