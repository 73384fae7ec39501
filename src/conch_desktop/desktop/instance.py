"""One window for each profile: a second start shows the first window instead of opening another.

A lock file tells the copies apart; the first one listens on a local socket for "show yourself". Both are named after
the data folder, so separate profiles don't meet.
"""

from __future__ import annotations

import hashlib
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QLockFile, QStandardPaths

if TYPE_CHECKING:
    from PySide6.QtNetwork import QLocalServer

_SHOW = b"show\n"
_PATIENCE = 3.0
"""Seconds a second copy waits for a first one that is just starting."""


class Instance:
    """This copy of the program. `first` tells whether it is the only one on its profile."""

    def __init__(self, profile: Path) -> None:
        self._name = "conch-desktop-" + hashlib.sha256(str(profile.resolve()).encode()).hexdigest()[:20]
        self._lock = QLockFile(str(_folder() / f"{self._name}.lock"))
        self._lock.setStaleLockTime(0)  # A lock is stale only when its process has ended.
        self._server: QLocalServer | None = None
        self.first = self._lock.tryLock(0) or self._lock.error() != QLockFile.LockError.LockFailedError

    def listen(self, show: Callable[[], None]) -> None:
        """Calls `show` whenever another copy is started on this profile."""
        from PySide6.QtNetwork import QLocalServer

        server = QLocalServer()
        server.setSocketOptions(QLocalServer.SocketOption.UserAccessOption)
        QLocalServer.removeServer(self._name)

        def arrived() -> None:
            while (socket := server.nextPendingConnection()) is not None:
                socket.disconnected.connect(socket.deleteLater)
                socket.disconnectFromServer()
                show()

        server.newConnection.connect(arrived)
        server.listen(self._name)
        self._server = server

    def show_first(self) -> bool:
        """Asks the first copy to show itself; False when it does not answer."""
        from PySide6.QtNetwork import QLocalSocket

        end = time.monotonic() + _PATIENCE
        while time.monotonic() < end:
            socket = QLocalSocket()
            socket.connectToServer(self._name)
            if socket.waitForConnected(300):
                socket.write(_SHOW)
                socket.waitForBytesWritten(300)
                socket.disconnectFromServer()
                return True
            time.sleep(0.1)
        return False

    def close(self) -> None:
        """Lets another copy be the first."""
        if self._server is not None:
            self._server.close()
            self._server = None
        if self.first:
            self._lock.unlock()


def _folder() -> Path:
    runtime = QStandardPaths.writableLocation(QStandardPaths.StandardLocation.RuntimeLocation)
    folder = Path(runtime) if runtime else Path(tempfile.gettempdir())
    return folder if folder.is_dir() else Path(tempfile.gettempdir())
