"""Takes the pictures: `python -m tests.looks OUT [--targets FOLDER] [--only NAME]`, on a screen or under Xvfb.

With `--targets` each picture is laid beside the file of the same name there (left the target, right the program).
"""

from __future__ import annotations

import argparse
import asyncio
import os
import tempfile
from pathlib import Path

from PySide6.QtGui import QColor, QImage, QPainter
from PySide6.QtWidgets import QApplication

from conch_desktop.desktop.desk import Desk
from conch_desktop.desktop.loop import Loop
from conch_desktop.desktop.spawn import Tasks
from conch_desktop.desktop.theme import look
from conch_desktop.desktop.window import Window
from conch_desktop.engine.assembly import Program
from tests.looks.scenes import SCENES, Scene, Stage, settle
from tests.looks.world import MovedClock, build
from tests.servers import ScriptedServer

_POINTS = 9.75
"""The size of type the targets are drawn for: 13 px on a screen of 96 dots an inch."""


def main() -> None:
    """Reads what is wanted and takes the pictures."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("out", type=Path)
    parser.add_argument("--targets", type=Path)
    parser.add_argument("--only", action="append", default=[])
    given = parser.parse_args()
    given.out.mkdir(parents=True, exist_ok=True)
    os.environ.setdefault("QT_SCALE_FACTOR", "1.5")
    app = QApplication([])
    look.install(app)
    look.use_fonts("Inter", "JetBrains Mono", _POINTS)
    os.environ["XDG_DATA_HOME"] = tempfile.mkdtemp()  # Model files of this computer are no part of the pictures.
    loop = Loop(app)
    asyncio.set_event_loop(loop)
    for scene in SCENES:
        if given.only and not any(scene.name.startswith(one) for one in given.only):
            continue
        picture = loop.run_until_complete(_take(scene))
        picture.save(str(given.out / f"{scene.name}.png"))
        target = given.targets / scene.target if given.targets and scene.target else None
        if target is not None and target.is_file():
            _beside(QImage(str(target)), picture).save(str(given.out / f"{scene.name}-beside.png"))
        print(scene.name)  # noqa: T201 - a tool for people


async def _take(scene: Scene) -> QImage:
    """A new window with a new profile in the state of the scene."""
    _take_look(scene)
    clock = MovedClock()
    with tempfile.TemporaryDirectory() as folder, tempfile.TemporaryDirectory() as beside:
        async with ScriptedServer() as server:
            program = await Program.open(Path(folder), clock=clock)
            world = await build(program, server, clock, blank=scene.blank)
            window = Window()
            window.allow_close = True
            window.resize(*scene.size)
            window.show()
            window.activateWindow()
            tasks = Tasks(window.say)
            desk = Desk(window, program, tasks)
            await desk.start(world.models.get("Gemini 2.5 Flash", ""))
            _take_look(scene)
            await scene.arrange(Stage(window, desk, world, Path(beside)))
            await settle()
            picture = window.grab().toImage()
            desk.chats.stop()
            await desk.aclose()
            await tasks.aclose()
            await program.aclose()
            window.hide()
            window.deleteLater()
            await settle(0.05)
            return picture


def _take_look(scene: Scene) -> None:
    look.choose("dark" if scene.theme == "dark" else "light")
    look.choose_contrast("high" if scene.theme == "high" else "system")
    look.set_zoom(scene.zoom)


def _beside(target: QImage, picture: QImage) -> QImage:
    """Both at the same height, the target at the left."""
    picture = picture.scaledToHeight(target.height()) if picture.height() != target.height() else picture
    both = QImage(target.width() + 12 + picture.width(), target.height(), QImage.Format.Format_RGB32)
    both.fill(QColor("#FF00FF"))
    painter = QPainter(both)
    target.setDevicePixelRatio(1)
    picture.setDevicePixelRatio(1)
    painter.drawImage(0, 0, target)
    painter.drawImage(target.width() + 12, 0, picture)
    painter.end()
    return both


if __name__ == "__main__":
    main()
