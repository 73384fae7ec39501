"""The question, the cards of calls, the model list, the chats at the left, and a name for all that takes the focus."""

from __future__ import annotations

import time

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QAccessible
from PySide6.QtWidgets import QWidget
from pytestqt.qtbot import QtBot

from conch_desktop.desktop.call_card import CallCard
from conch_desktop.desktop.picker import ModelPicker, PickerContent
from conch_desktop.desktop.picker_rows import Entry, entry_search, picker_rows
from conch_desktop.desktop.question import QuestionCard
from conch_desktop.desktop.sidebar import Sidebar
from conch_desktop.desktop.window import Window
from conch_desktop.domain.calls import CallRecord, CallState
from conch_desktop.domain.messages import Chat
from conch_desktop.tools.guard import Question

QUESTION = Question(
    "c1", "remember", "builtin", "Let demo remember “tea”?", {"content": "tea"}, '{"content": "tea",}', 1
)


# The question -------------------------------------------------------------------------------------------------------


@pytest.fixture
def card(qtbot: QtBot) -> QuestionCard:
    made = QuestionCard(QUESTION, "memory")
    qtbot.addWidget(made)
    made.resize(656, made.fit(656))
    made.show()
    return made


@pytest.fixture
def answers(card: QuestionCard) -> list[tuple[str, str, str]]:
    heard: list[tuple[str, str, str]] = []
    card.answered.connect(lambda *answer: heard.append(answer))
    return heard


def test_a_question_has_no_default_button(
    qtbot: QtBot, card: QuestionCard, answers: list[tuple[str, str, str]]
) -> None:
    qtbot.keyClick(card, Qt.Key.Key_Return)
    qtbot.keyClick(card, Qt.Key.Key_Space)
    assert answers == []


@pytest.mark.parametrize(("key", "choice"), [(Qt.Key.Key_O, "once"), (Qt.Key.Key_C, "chat"), (Qt.Key.Key_A, "always")])
def test_a_letter_answers_when_the_question_has_the_focus(
    qtbot: QtBot, card: QuestionCard, answers: list[tuple[str, str, str]], key: Qt.Key, choice: str
) -> None:
    card.take_focus()
    qtbot.keyClick(card, key)
    assert answers == [("c1", choice, "")]
    assert not card.isEnabled()


def test_a_no_can_have_a_reason(qtbot: QtBot, card: QuestionCard, answers: list[tuple[str, str, str]]) -> None:
    card.take_focus()
    qtbot.keyClick(card, Qt.Key.Key_D)
    assert answers == []
    qtbot.keyClicks(card.reason, "keep it")
    qtbot.keyClick(card.reason, Qt.Key.Key_Return)
    assert answers == [("c1", "deny", "keep it")]


def test_a_question_shows_exactly_what_will_run(card: QuestionCard) -> None:
    assert '"content": "tea"' in card.ran.content
    assert "tea" in card.accessibleName()


# Cards of calls -----------------------------------------------------------------------------------------------------

STATES: list[tuple[CallState, str]] = [
    ("reading", "reading"),
    ("waiting", "waiting for you"),
    ("running", "running"),
    ("done", "done"),
    ("failed", "failed"),
    ("not_run", "not run"),
    ("refused", "refused"),
    ("denied", "denied by you"),
    ("stopped", "stopped"),
    ("unknown", "outcome not known"),
    ("provider", "run by the provider"),
]


@pytest.mark.parametrize(("state", "words"), STATES)
def test_a_card_says_the_state_of_its_call_and_opens(qtbot: QtBot, state: CallState, words: str) -> None:
    args = None if state in {"reading", "not_run"} else {"content": "Likes tea"}
    call = CallRecord(
        "c1", "remember", '{"content": "Likes tea",}', state=state, args=args, answer="Said so.", sent_back="Said so.",
        started=time.time(), ms=12, is_error=state in {"failed", "not_run"},
    )  # fmt: skip
    card = CallCard(call, "memory")
    qtbot.addWidget(card)
    card.resize(356, card.fit(356))
    card.show()
    assert words in card.accessibleName()
    assert "remember" in card.accessibleName()
    closed = card.fit(356)
    card.set_open(True)
    assert card.is_open
    assert card.fit(356) > closed
    shown = "\n".join(box.toPlainText() for box in card.findChildren(QWidget) if hasattr(box, "toPlainText"))
    assert '{"content": "Likes tea",}' in shown  # byte for byte what the model sent


def test_a_card_follows_its_call(qtbot: QtBot) -> None:
    call = CallRecord("c1", "recall", "{}", state="running", args={}, started=time.time())
    card = CallCard(call, "memory")
    qtbot.addWidget(card)
    card.fit(356)
    assert not card.show_call(call, "memory")
    assert card.show_call(CallRecord("c1", "recall", "{}", state="done", args={}, ms=3), "memory")
    assert "done" in card.accessibleName()


# The model list -----------------------------------------------------------------------------------------------------


def entries(count: int) -> list[Entry]:
    made = []
    for number in range(count):
        name, provider = f"coder-{number}-instruct", f"Pier {number % 3}"
        made.append(
            Entry(
                f"p{number % 3}/{name}", name, name, provider, f"p{number % 3}", search=entry_search(name, "", provider)
            )
        )
    return made


PROVIDERS = [("p0", "Pier 0"), ("p1", "Pier 1"), ("p2", "Pier 2")]


@pytest.mark.parametrize(
    ("words", "names"),
    [
        ("coder 14", ["coder-14-instruct"]),
        ("14 CODER", ["coder-14-instruct"]),
        ("pier 2 14", ["coder-14-instruct"]),
        ("pier 1 14", ["coder-14-instruct"]),  # "1" is found in 14: words need not be whole
        ("pier 1 coder-9-", []),
        ("nothing", []),
    ],
)
def test_words_find_a_model_in_any_order_and_any_case(words: str, names: list[str]) -> None:
    rows = picker_rows(entries(30), words=words, providers=PROVIDERS, failures={}, favourites=[], recent=[])
    assert [row.entry.name for row in rows if row.entry is not None] == names


def test_favourites_come_first_then_the_recent_then_the_rest() -> None:
    listed = entries(9)
    rows = picker_rows(
        listed,
        words="",
        providers=PROVIDERS,
        failures={"p1": "No answer."},
        favourites=[listed[8].id],
        recent=[listed[4].id],
    )
    assert [row.text for row in rows if row.kind == "heading"] == ["Favourites", "Recent", "Pier 0", "Pier 1", "Pier 2"]
    assert [row.text for row in rows if row.kind == "failure"] == ["No answer."]
    assert sum(row.kind == "model" for row in rows) == 9


@pytest.mark.figures
def test_five_thousand_models_are_searched_while_one_types(qtbot: QtBot, window: Window) -> None:
    picker = ModelPicker(window)
    qtbot.addWidget(picker)
    picker.show_content(PickerContent(entries(5_000), PROVIDERS))
    picker.open_below(window.rect())
    begun = time.process_time()
    for letter in "coder 1234":
        qtbot.keyClicks(picker.search, letter)
        picker.list.grab()
    a_key = (time.process_time() - begun) / 10
    chosen: list[str] = []
    picker.chosen.connect(chosen.append)
    qtbot.keyClick(picker.search, Qt.Key.Key_Return)
    assert chosen == ["p1/coder-1234-instruct"]
    assert a_key < 0.05


def test_escape_closes_the_list_and_chooses_nothing(qtbot: QtBot, window: Window) -> None:
    picker = ModelPicker(window)
    window.popups.append(picker)
    picker.show_content(PickerContent(entries(5), PROVIDERS))
    picker.open_below(window.rect())
    chosen: list[str] = []
    picker.chosen.connect(chosen.append)
    assert picker.isVisible()
    window.escape()
    assert not picker.isVisible()
    assert chosen == []


# The chats at the left ----------------------------------------------------------------------------------------------


@pytest.fixture
def sidebar(qtbot: QtBot) -> Sidebar:
    made = Sidebar()
    qtbot.addWidget(made)
    made.resize(260, 700)
    made.show()
    now = time.time()
    made.show_chats(
        [
            Chat("a", "Harbour notes", pinned=True, updated=now - 9e5),
            Chat("b", "Saturday on Skerry Island", updated=now),
            Chat("c", "Names for the new dinghy", updated=now - 86_400 * 1.1),
        ],
        waiting={"c"},
    )
    return made


def shown(sidebar: Sidebar) -> list[str]:
    return [row.title for row in sidebar.list.rows.rows]


def test_chats_stand_in_groups_with_the_pinned_first(sidebar: Sidebar) -> None:
    assert shown(sidebar)[:4] == ["Pinned", "Harbour notes", "Today", "Saturday on Skerry Island"]
    assert [row.mark for row in sidebar.list.rows.rows if row.chat] == ["pin", "", "waiting"]


def test_the_search_leaves_what_holds_the_words(qtbot: QtBot, sidebar: Sidebar) -> None:
    qtbot.keyClicks(sidebar.search.field, "skerry")
    assert [row.title for row in sidebar.list.rows.rows if row.chat] == ["Saturday on Skerry Island"]
    sidebar.show_found("skerry", {"a"})  # a message of that chat holds the word
    assert len([row for row in sidebar.list.rows.rows if row.chat]) == 2
    sidebar.search.field.clear()
    assert len([row for row in sidebar.list.rows.rows if row.chat]) == 3


def test_the_first_chat_that_was_found_can_be_taken(qtbot: QtBot, sidebar: Sidebar) -> None:
    opened: list[str] = []
    sidebar.opened.connect(opened.append)
    qtbot.keyClicks(sidebar.search.field, "dinghy")
    sidebar.take_first()
    assert opened == ["c"]


# Names --------------------------------------------------------------------------------------------------------------


def test_everything_that_takes_the_focus_has_a_name(window: Window) -> None:
    nameless = []
    for widget in window.findChildren(QWidget):
        if widget.focusPolicy() == Qt.FocusPolicy.NoFocus or not widget.isVisible():
            continue
        interface = QAccessible.queryAccessibleInterface(widget)
        name = interface.text(QAccessible.Text.Name)
        if len(name.strip()) < 2:
            nameless.append(f"{type(widget).__name__} {widget.objectName()}")
    assert nameless == []
