"""`python -m conch_desktop` is `conch-desktop`."""

from __future__ import annotations

import sys

from conch_desktop.cli import main

if __name__ == "__main__":
    sys.exit(main())
