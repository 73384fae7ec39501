"""The models' page of the settings: those that taught something or were used, and what each taught."""

from __future__ import annotations

from PySide6.QtWidgets import QWidget

from conch_desktop.desktop.buttons import Button
from conch_desktop.desktop.lesson_words import day, detail, right_calls, sentence, weightiest_first
from conch_desktop.desktop.lessons_card import LessonLine
from conch_desktop.desktop.settings_section import Behind, Section, make_page
from conch_desktop.desktop.taught_models import TaughtModel, TaughtModels
from conch_desktop.desktop.wording import model_name
from conch_desktop.engine.checked import CHECKED
from conch_desktop.store.settings import RECENT


class ModelsSection(Section):
    """What models need, and how that was learnt."""

    name = "Models"

    def __init__(self, behind: Behind) -> None:
        super().__init__(behind)
        self.models: TaughtModels | None = None
        self._names: dict[str, str] = {}

    def page(self) -> QWidget:
        """The table of models."""
        lessons, do = self.behind.desk.lessons, self.behind.do
        every = Button("Forget all lessons…")
        said = "What each model needs, and how that was learnt. A forgotten lesson is learnt anew when it is met."
        page, content = make_page("Models", said, every)
        models = self.models = TaughtModels(every)
        models.forgotten.connect(lambda one, kind: do(lessons.forget(one, kind), "forget it"))
        models.all_forgotten.connect(lambda: do(lessons.forget_all(), "forget it"))
        models.checked.connect(lessons.check)
        lessons.changed.connect(self._show)
        lessons.check_told.connect(lambda *_: self._show())
        content.addWidget(models)
        return page

    async def fill(self) -> None:
        """Reads who the providers are; what models taught is known already."""
        self._names = {one.id: one.name for one in await self.behind.program.providers()}
        self._show()

    def _show(self) -> None:
        if self.models is None:
            return
        lessons, program = self.behind.desk.lessons, self.behind.program
        used = [one for one in program.settings.get(RECENT) if one not in lessons.all]
        self.models.show_models(
            [
                self._row(model, program.clock.now())
                for model in (*lessons.all, *used)
                if model.partition("/")[0] in self._names
            ]
        )

    def _row(self, model_id: str, now: float) -> TaughtModel:
        lessons = self.behind.desk.lessons
        provider, _, name = model_id.partition("/")
        known, taught = lessons.standing(model_id), lessons.of(model_id)
        check = next((one for one in taught if one.kind == CHECKED), None)
        return TaughtModel(
            model_id,
            model_name(self.behind.desk.models.model(model_id), name),
            self._names[provider],
            known.mode,
            known.checked,
            f"{right_calls(check)}, {day(check.learnt, now)}" if check is not None else "not checked",
            tuple(LessonLine(one.kind, sentence(one), detail(one, now), one.words) for one in weightiest_first(taught)),
            lessons.told.get(model_id, ""),
            lessons.checking == model_id,
        )
