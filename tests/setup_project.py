"""A small stand-in for the repository, on which `conch.py` is run for real: real environments, real pip, no network.

Its folder has blanks and letters from beyond ASCII in its name. Its packages are the smallest that the steps accept.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

SCRIPT = Path(__file__).resolve().parents[1] / "conch.py"
NAME = "ein Ort für Muscheln"

FILES = {
    "pyproject.toml": """\
[build-system]
requires = []
build-backend = "backend"
backend-path = ["."]

[project]
name = "conch-desktop"
version = "0"

[project.optional-dependencies]
local = []
dev = []
""",
    # Builds the wheel of an editable install. While a file named `hold` exists, it waits: time to kill the set-up.
    "backend.py": """\
import time, zipfile
from pathlib import Path

def build_editable(wheel_directory, config_settings=None, metadata_directory=None):
    Path("building").touch()
    while Path("hold").exists():
        time.sleep(0.05)
    info = "conch_desktop-0.dist-info/"
    extras = ["Provides-Extra: local", "Provides-Extra: dev"]
    server = "Requires-Dist: xllamacpp==1; extra == 'local'"
    extras += [server] * ("xllamacpp" in Path("pyproject.toml").read_text())
    texts = {
        "conch_desktop.pth": str(Path("src").resolve()) + "\\n",
        info + "METADATA": "\\n".join(["Metadata-Version: 2.1", "Name: conch-desktop", "Version: 0", *extras, ""]),
        info + "WHEEL": "Wheel-Version: 1.0\\nGenerator: test\\nRoot-Is-Purelib: true\\nTag: py3-none-any\\n",
    }
    texts[info + "RECORD"] = "".join(name + ",,\\n" for name in texts)
    name = "conch_desktop-0-py3-none-any.whl"
    with zipfile.ZipFile(Path(wheel_directory) / name, "w") as wheel:
        for path, text in texts.items():
            wheel.writestr(path, text)
    return name
""",
    "src/conch_desktop/__init__.py": "",
    # The program: notes each command, and fails where a file in the project says so.
    "src/conch_desktop/__main__.py": """\
import sys
from pathlib import Path
root = Path(__file__).parents[2]
with (root / "commands").open("a") as commands:
    commands.write(" ".join(sys.argv[1:]) + "\\n")
if sys.argv[1:2] == ["model"] and (root / "no-model").exists():
    sys.exit("The server is away.")
if sys.argv[1:2] not in (["model"], ["install-launcher"]):
    print("started with", sys.argv[1:])
    sys.exit(7)
""",
    "src/xllamacpp.py": "",
    "src/PySide6/__init__.py": "",
    "src/PySide6/QtCore.py": """\
qVersion = lambda: "6.0"
class QLibraryInfo:
    path = str
    class LibraryPath:
        PluginsPath = ""
""",
    "src/PySide6/QtGui.py": "",
    "src/PySide6/QtSvg.py": "",
    "src/PySide6/QtWidgets.py": "QApplication = list\n",
    "src/pytest.py": """\
import sys
print("pytest got", sys.argv[1:])
print("1 passed in 0.01s")
""",
}


class Project:
    """One stand-in and how it is started."""

    def __init__(self, folder: Path) -> None:
        self.root = folder / NAME
        self.home = folder / "home"
        self.fakes = folder / "fakes"
        for made in (self.root, self.home, self.fakes):
            made.mkdir(parents=True)
        for name, text in FILES.items():
            (self.root / name).parent.mkdir(parents=True, exist_ok=True)
            (self.root / name).write_text(text, "utf-8")
        shutil.copy(SCRIPT, self.root)

    @property
    def venv(self) -> Path:
        return self.root / ".venv"

    def fake(self, name: str, script: str) -> None:
        """A command that is found before the computer's own."""
        (self.fakes / name).write_text(f"#!/bin/sh\n{script}\n")
        (self.fakes / name).chmod(0o755)

    def replace_in_script(self, old: str, new: str) -> None:
        """Changes this copy of `conch.py`: a library that exists nowhere is one that is missing here."""
        text = (self.root / "conch.py").read_text("utf-8")
        assert old in text
        (self.root / "conch.py").write_text(text.replace(old, new), "utf-8")

    def environ(self, **more: str) -> dict[str, str]:
        """A person's environment without a desktop, a network and this test run's own settings."""
        path = f"{self.fakes}:/usr/local/bin:/usr/bin:/bin"
        plain = {"HOME": str(self.home), "PATH": path, "LANG": "C.UTF-8", "PIP_NO_INDEX": "1"}
        return plain | {"FAKES": str(self.fakes)} | more

    def start(
        self, *arguments: str, python: str = sys.executable, user: str | None = None, **environ: str
    ) -> subprocess.Popen[str]:
        """Starts `python3 conch.py …` and does not wait."""
        return subprocess.Popen(
            [python, str(self.root / "conch.py"), *arguments],
            cwd=self.home,
            env=self.environ(**environ),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            encoding="utf-8",
            user=user if os.geteuid() == 0 else None,
            extra_groups=[] if user and os.geteuid() == 0 else None,
        )

    def run(
        self, *arguments: str, python: str = sys.executable, user: str | None = None, **environ: str
    ) -> subprocess.CompletedProcess[str]:
        """Runs `python3 conch.py …` to its end."""
        process = self.start(*arguments, python=python, user=user, **environ)
        output, errors = process.communicate(timeout=100)
        return subprocess.CompletedProcess(process.args, process.returncode, output, errors)

    def commands(self) -> list[str]:
        """What the program was asked for so far."""
        noted = self.root / "commands"
        return noted.read_text().splitlines() if noted.exists() else []
