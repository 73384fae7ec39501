"""The files' page of the settings: the folders in which models may list, read and write files."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QFileDialog, QHBoxLayout, QWidget

from conch_desktop.desktop.buttons import Button
from conch_desktop.desktop.parts import ElidedLabel, IconMark, label, set_tone
from conch_desktop.desktop.settings_parts import CardList
from conch_desktop.desktop.settings_section import Section, make_page, quiet_line
from conch_desktop.domain.errors import ConchError


class FolderRow(QWidget):
    """A granted folder."""

    revoked = Signal(str)

    def __init__(self, folder: str, *, kept: bool) -> None:
        super().__init__()
        self.folder = folder
        line = QHBoxLayout(self)
        line.setContentsMargins(16, 10, 12, 10)
        line.setSpacing(10)
        line.addWidget(IconMark("folder", "t2"))
        line.addWidget(ElidedLabel(folder, "ui", "t1"), 1)
        if kept:
            back = Button("Take back", height=28)
            back.setAccessibleName(f"Take back {folder}")
            back.clicked.connect(lambda: self.revoked.emit(folder))
            line.addWidget(back)
        else:
            line.addWidget(label("for this run only", "small", "t2"))


class FilesSection(Section):
    """Granted folders."""

    name = "Files"

    def page(self) -> QWidget:
        """The list of folders."""
        add = Button("Grant a folder…", "plain", "plus")
        add.clicked.connect(self._choose)
        said = "Models read files in these folders. Before one writes there, you see the change and are asked."
        page, content = make_page("Files", said, add)
        self._list = CardList()
        self._none = quiet_line("folder", "No folder is granted, so no model is given the tools for files.")
        self.said = label("", "small", "t2", wrap=True)
        for part in (self._list, self._none, self.said):
            content.addWidget(part)
        return page

    async def fill(self) -> None:
        """Shows the folders."""
        hands = self.behind.program.hands
        rows: list[QWidget] = []
        for folder in hands.folders():
            row = FolderRow(str(folder), kept=folder not in hands.extra_folders)
            row.revoked.connect(lambda one: self.behind.do(self._revoke(one), "take the folder back"))
            rows.append(row)
        self._list.put(rows)
        self._none.setVisible(not rows)

    def _choose(self) -> None:
        dialog = QFileDialog(self.behind.window, "Grant a folder", str(Path.home()))
        dialog.setFileMode(QFileDialog.FileMode.Directory)
        dialog.setOption(QFileDialog.Option.ShowDirsOnly)
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        dialog.fileSelected.connect(lambda path: self.behind.do(self.grant(path), "grant the folder"))
        dialog.open()

    async def grant(self, folder: str) -> None:
        """Grants a folder, or says why it can't be granted."""
        try:
            real = await self.behind.program.hands.grant(folder)
        except ConchError as error:
            self._say(str(error), bad=True)
        else:
            self._say(f"Models may now use files in {real}.")
        await self.fill()
        self.behind.tools_changed()

    async def _revoke(self, folder: str) -> None:
        await self.behind.program.hands.revoke_folder(folder)
        self._say(f"From now on nothing in {folder} is touched.")
        await self.fill()
        self.behind.tools_changed()

    def _say(self, words: str, *, bad: bool = False) -> None:
        set_tone(self.said, "err" if bad else "t2")
        self.said.setText(words)
