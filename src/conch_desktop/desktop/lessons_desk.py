"""Joins what models taught and the window: the card in the panel, the badges, and checking a model."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QObject, Signal

from conch_desktop.desktop.announce import announce
from conch_desktop.desktop.lesson_words import Standing, brief, since, standing, weightiest_first
from conch_desktop.desktop.lessons_card import LessonLine
from conch_desktop.domain.errors import ConchError
from conch_desktop.store.settings import SEEN_MODES

if TYPE_CHECKING:
    from conch_desktop.desktop.chats_desk import ChatsDesk
    from conch_desktop.desktop.spawn import Tasks
    from conch_desktop.desktop.window import Window
    from conch_desktop.domain.lessons import Lesson
    from conch_desktop.engine.assembly import Program

_SEEN_MOST = 500


class LessonsDesk(QObject):
    """What is known of each model. `changed` says that something of it is new; `checking` which model is checked."""

    changed = Signal()
    check_told = Signal(str, str)
    """A model's id, and how its check goes in a sentence."""

    def __init__(self, window: Window, program: Program, chats: ChatsDesk, tasks: Tasks) -> None:
        super().__init__(window)
        self._window, self._program, self._chats, self._tasks = window, program, chats, tasks
        self._lessons: dict[str, list[Lesson]] = {}
        self._check: asyncio.Task[Any] | None = None
        self.checking = ""
        self.told: dict[str, str] = {}
        chats.model_changed.connect(self._show)
        for news in (chats.ended, chats.learnt):
            news.connect(lambda: self._do(self.read(), "read what was learnt"))
        window.activity.forgotten.connect(self._forget_here)

    def _do(self, work: Coroutine[Any, Any, Any], name: str) -> None:
        self._tasks.spawn(work, name)

    # What is known --------------------------------------------------------------------------------------------------

    async def read(self) -> None:
        """Reads what is known now, and shows it."""
        lessons: dict[str, list[Lesson]] = {}
        for lesson in await self._program.taught():
            lessons.setdefault(f"{lesson.provider}/{lesson.model}", []).append(lesson)
        self._lessons = lessons
        self._show()
        self.changed.emit()
        await self._keep_seen()

    async def _keep_seen(self) -> None:
        """Modes that were seen are still known after a restart."""
        kept = self._program.settings.get(SEEN_MODES)
        merged = {**kept, **self._chats.modes}
        if merged != kept:
            await self._program.settings.set(SEEN_MODES, dict(list(merged.items())[-_SEEN_MOST:]))

    @property
    def all(self) -> Mapping[str, Sequence[Lesson]]:
        """What each model taught, by its id."""
        return self._lessons

    def of(self, model: str) -> Sequence[Lesson]:
        """What a model taught."""
        return self._lessons.get(model, ())

    def standing(self, model: str) -> Standing:
        """How a model gets its tools, as its badge says it."""
        seen = self._chats.modes.get(model) or self._program.settings.get(SEEN_MODES).get(model, "")
        return standing(self.of(model), seen=seen, choice=self._program.own_choice(model))

    def lines(self, model: str) -> list[LessonLine]:
        """A model's lessons as they are shown."""
        now = self._program.clock.now()
        return [
            LessonLine(one.kind, brief(one), since(one, now), one.words) for one in weightiest_first(self.of(model))
        ]

    def _show(self) -> None:
        self._window.activity.show_lessons(self.lines(self._chats.model_id))

    # Forget ---------------------------------------------------------------------------------------------------------

    def _forget_here(self, kind: str) -> None:
        self._do(self.forget(self._chats.model_id, kind), "forget it")

    async def forget(self, model: str, kind: str = "") -> None:
        """Forgets one lesson of a model, or all of them."""
        for lesson in self.of(model):
            if kind in ("", lesson.kind):
                await self._program.lessons.forget(lesson)
        self._chats.modes.pop(model, None)
        seen = self._program.settings.get(SEEN_MODES)
        if seen.pop(model, None) is not None:
            await self._program.settings.set(SEEN_MODES, seen)
        await self.read()

    async def forget_all(self) -> None:
        """Forgets every lesson of every model."""
        for model in list(self._lessons):
            await self.forget(model)

    # Check this model -----------------------------------------------------------------------------------------------

    def check(self, model: str) -> None:
        """Checks a model, or stops the check of it that runs."""
        if self.checking:
            if self.checking == model:
                self.cancel()
            return
        if not model:
            self._window.say("Choose a model first.")
            return
        self.checking = model
        self._tell(model, "Making three harmless calls…")
        self._check = self._tasks.spawn(self._check_now(model), "check the model")

    def cancel(self) -> None:
        """Stops the check that runs."""
        if self._check is not None:
            self._check.cancel()

    async def _check_now(self, model: str) -> None:
        said = "The check was stopped."
        try:
            said = (await self._program.check_model(model)).text
        except ConchError as error:
            said = f"{error.what} {error.advice}".strip()
        except Exception as error:
            said = f"The check broke off ({type(error).__name__})."
            raise
        finally:
            self.checking, self._check = "", None
            self._tell(model, said)
        await self.read()

    def _tell(self, model: str, words: str) -> None:
        self.told[model] = words
        self.check_told.emit(model, words)
        name = model.partition("/")[2]
        self._window.say(f"{name}: {words}")
        announce(self._window, f"{name}: {words}")
