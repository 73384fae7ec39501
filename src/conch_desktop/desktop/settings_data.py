"""The page of the settings about chats and data: where everything lies, its size, export, import, deleting."""

from __future__ import annotations

from PySide6.QtCore import Qt, QUrl
from PySide6.QtGui import QDesktopServices
from PySide6.QtWidgets import QHBoxLayout, QWidget

from conch_desktop.desktop.buttons import Button
from conch_desktop.desktop.parts import Card, ElidedLabel, label, set_tone
from conch_desktop.desktop.settings_parts import CardList, SettingRow
from conch_desktop.desktop.settings_section import Section, make_page
from conch_desktop.desktop.wording import count, size
from conch_desktop.engine.keeping import Kept


class DataSection(Section):
    """What is kept, and what can be done with all of it."""

    name = "Chats and data"

    def page(self) -> QWidget:
        """Cards: chats, the database, what lies where."""
        page, content = make_page("Chats and data", "Everything is kept on this computer, in your own account.")
        self._kept: Kept | None = None
        self._deleted: list[str] = []
        self.said = label("", "ui", "t2", wrap=True)
        chats, database, places = CardList(), CardList(), CardList()
        chats.put(self._chat_rows())
        database.put(self._database_rows())
        places.put(self._place_rows())
        content.addWidget(self.said)
        for words, card in (("Chats", chats), ("Database", database), ("What is kept where", places)):
            content.addWidget(label(words, "ui", "t1", 600))
            content.addWidget(card)
            if card is chats:
                content.addWidget(self._sure())
        self._tell("")
        return page

    # Chats ----------------------------------------------------------------------------------------------------------

    def _chat_rows(self) -> list[QWidget]:
        archive = self.behind.desk.archive
        self.export, self.bring = Button("Export all…", "plain", "export", 28), Button("Import…", height=28)
        self.delete = Button("Delete all…", "danger", height=28)
        self.export.clicked.connect(lambda: archive.ask_where((), self._tell))
        self.bring.clicked.connect(lambda: archive.ask_which(self._tell))
        self.delete.clicked.connect(self._ask_delete)
        said = "One JSON file with every word, call and picture as it was. Keys are never in it."
        self.chats_row = SettingRow("Delete all chats", "", self.delete)
        return [
            SettingRow("Export all chats", said, self.export),
            SettingRow("Import chats", "From such a file. A chat that is here already is left untouched.", self.bring),
            self.chats_row,
        ]

    def _sure(self) -> QWidget:
        """Asked before all chats go, and the way back after it."""
        self.sure = Card("raised", "line", 10)
        self._sure_words = label("", "ui", "t1", wrap=True)
        self.yes, self.no = Button("Delete all chats", "danger", height=28), Button("Keep", "quiet", height=28)
        self.undo = Button("Undo", height=28)
        self.yes.clicked.connect(lambda: self.behind.do(self._delete_all(), "delete all chats"))
        self.no.clicked.connect(lambda: self._show_sure(""))
        self.undo.clicked.connect(lambda: self.behind.do(self._bring_back(), "bring the chats back"))
        line = QHBoxLayout(self.sure)
        line.setContentsMargins(16, 10, 16, 10)
        line.setSpacing(8)
        line.addWidget(self._sure_words, 1)
        for button in (self.yes, self.no, self.undo):
            line.addWidget(button)
        self._show_sure("")
        return self.sure

    def _show_sure(self, words: str, *, asks: bool = True) -> None:
        self._sure_words.setText(words)
        self.yes.setVisible(asks)
        self.no.setVisible(asks)
        self.undo.setVisible(not asks)
        self.sure.setVisible(bool(words))

    def _ask_delete(self) -> None:
        many = self._kept.amounts.chats if self._kept is not None else 0
        they = "it" if many == 1 else "they"
        self._show_sure(f"Delete {count(many, 'chat')}? Until the program ends {they} can be brought back here.")
        self.no.setFocus(Qt.FocusReason.ShortcutFocusReason)

    async def _delete_all(self) -> None:
        self._deleted += await self.behind.desk.chats.delete_all()
        self._show_sure(f"{count(len(self._deleted), 'chat')} deleted.", asks=False)
        self.undo.setFocus(Qt.FocusReason.ShortcutFocusReason)
        await self.fill()

    async def _bring_back(self) -> None:
        deleted, self._deleted = self._deleted, []
        for chat in deleted:
            await self.behind.program.chats.restore(chat)
        await self.behind.desk.chats.refresh()
        self._show_sure("")
        self._tell(f"{count(len(deleted), 'chat')} brought back.")
        self.delete.setFocus(Qt.FocusReason.ShortcutFocusReason)
        await self.fill()

    # The database ---------------------------------------------------------------------------------------------------

    def _database_rows(self) -> list[QWidget]:
        self.check, self.open = Button("Check it", height=28), Button("Open folder", height=28)
        self.check.clicked.connect(lambda: self.behind.do(self._check(), "check the database"))
        folder = self.behind.program.keeping.path.parent
        self.open.clicked.connect(lambda: QDesktopServices.openUrl(QUrl.fromLocalFile(str(folder))))
        self.folder_row = SettingRow("Folder", str(folder), self.open)
        self.size_row = SettingRow("Size", "", QWidget())
        self.check_row = SettingRow(
            "Whole", "Reads every page of the database and says whether it is whole.", self.check
        )
        return [self.folder_row, self.size_row, self.check_row]

    async def _check(self) -> None:
        self.check_row.say("Reading every page.")
        faults = await self.behind.program.keeping.check()
        if not faults:
            self.check_row.say("The database is whole.")
            return
        advice = "Export all chats now, then put back a backup."
        self.check_row.say(f"The database is damaged: {'; '.join(faults[:3])}. {advice}", bad=True)

    # Places ---------------------------------------------------------------------------------------------------------

    def _place_rows(self) -> list[QWidget]:
        keeping = self.behind.program.keeping
        self._store = ElidedLabel("", "small", "t2")
        rows: list[QWidget] = []
        for what, where in (
            ("Chats, calls, pictures, memories, lessons, settings", keeping.path.name),
            ("How the window looked, for a quick start", "window.json"),
            ("Model files, for every profile", str(keeping.models_dir)),
            ("Keys and sign-ins", self._store),
        ):
            row = QWidget()
            line = QHBoxLayout(row)
            line.setContentsMargins(16, 8, 16, 8)
            line.setSpacing(16)
            line.addWidget(label(what, "ui", "t1", wrap=True), 1)
            line.addWidget(where if isinstance(where, QWidget) else ElidedLabel(where, "mono", "t2"), 1)
            rows.append(row)
        return rows

    async def fill(self) -> None:
        """Reads how much there is."""
        program = self.behind.program
        kept = self._kept = await program.keeping.look()
        here = f"{count(kept.amounts.chats, 'chat')} with {count(kept.amounts.messages, 'message')} are here."
        self.chats_row.say(here if kept.amounts.chats else "There are no chats.")
        for button in (self.export, self.delete):
            button.setEnabled(bool(kept.amounts.chats))
            button.setToolTip("" if kept.amounts.chats else "There are no chats")
        said = f"Database {size(kept.database)}"
        said += f", backups from before updates {size(kept.backups)}" if kept.backups else ""
        said += f", model files {size(kept.models)}" if kept.models else ""
        self.size_row.say(f"{said}.")
        store = await program.secrets.probe()
        self._store.set_text(
            "this computer’s key store" if store.state == "ok" else "in memory, until the program ends"
        )

    def _tell(self, words: str, bad: bool = False) -> None:
        set_tone(self.said, "err" if bad else "t2")
        self.said.setText(words)
        self.said.setVisible(bool(words))
        if words and not bad:
            self.behind.do(self.fill(), "count the chats")
