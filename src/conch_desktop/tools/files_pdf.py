"""The child process that reads the text of a PDF: the file on stdin, its text on stdout.

A PDF from anywhere can make a reader loop or eat memory; here it can be ended, and its memory is bounded.
"""

from __future__ import annotations

import io
import sys

MOST_MEMORY = 1_500_000_000
MOST_SECONDS = 30
MOST_CHARACTERS = 4_000_000


def main() -> int:
    """Reads, writes, and says on stderr why it could not."""
    _bound()
    from pypdf import PdfReader
    from pypdf.errors import PyPdfError

    out = sys.stdout.buffer
    left = MOST_CHARACTERS
    try:
        reader = PdfReader(io.BytesIO(sys.stdin.buffer.read()))
        for number, page in enumerate(reader.pages, 1):
            text = f"[page {number}]\n{page.extract_text().strip()}\n\n"[:left]
            out.write(text.encode("utf-8", "replace"))
            left -= len(text)
            if left <= 0:
                break
    except (PyPdfError, ValueError, KeyError, TypeError, AttributeError, RecursionError, MemoryError, OSError) as error:
        sys.stderr.write(f"{type(error).__name__}: {error}")
        return 1
    return 0


def _bound() -> None:
    try:
        import resource
    except ImportError:  # Windows: the parent's time limit is the only one
        return
    resource.setrlimit(resource.RLIMIT_CPU, (MOST_SECONDS, MOST_SECONDS))
    if sys.platform == "linux":
        resource.setrlimit(resource.RLIMIT_AS, (MOST_MEMORY, MOST_MEMORY))


if __name__ == "__main__":
    sys.exit(main())
