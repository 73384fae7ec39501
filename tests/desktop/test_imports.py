"""What is not imported before the window is drawn: it must not wait for what it does not show."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

LATER = {
    "asyncio", "qasync", "httpx", "jsonschema", "keyring", "mcp", "pygments", "playwright", "markdown_it", "sqlite3",
}  # fmt: skip

_SOURCE = """
import json, os, sys
from pathlib import Path
from conch_desktop.cli import main
from conch_desktop.desktop import app

def painted():
    print(json.dumps(sorted({name.partition(".")[0] for name in sys.modules})), flush=True)
    os._exit(0)

sys.exit(app.start(data_dir=Path(sys.argv[1]), model="", screenshot=None, painted=painted))
"""


def test_nothing_heavy_is_imported_before_the_first_picture(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-c", _SOURCE, str(tmp_path)], capture_output=True, text=True, timeout=60, check=True
    )
    found = set(json.loads(done.stdout))
    assert "conch_desktop" in found
    assert not found & LATER
