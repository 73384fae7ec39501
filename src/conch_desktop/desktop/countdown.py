"""Seconds until a request is sent again by itself, beside the button that stops it."""

from __future__ import annotations

import math
import time

from PySide6.QtCore import QTimer
from PySide6.QtWidgets import QHBoxLayout, QWidget

from conch_desktop.desktop.parts import label


class Countdown(QWidget):
    """Counts down to a time; nothing is shown when there is nothing to wait for."""

    def __init__(self) -> None:
        super().__init__()
        self.words = label("", "small", "acc")
        line = QHBoxLayout(self)
        line.setContentsMargins(0, 0, 8, 0)
        line.addWidget(self.words)
        self._until = 0.0
        self._timer = QTimer(self)
        self._timer.setInterval(250)
        self._timer.timeout.connect(self._show)
        self.hide()

    def start(self, until: float) -> None:
        """Counts down to `until`, in seconds since 1970."""
        self._until = until
        self._timer.start()
        self._show()

    def stop(self) -> None:
        """Nothing is waited for any more."""
        self._timer.stop()
        self.hide()

    def _show(self) -> None:
        left = math.ceil(self._until - time.time())
        if left <= 0:
            self.stop()
            return
        self.words.setText(f"Again in {left} s")
        self.setVisible(True)
