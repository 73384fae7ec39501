"""Long chats for the figures: messages as models write them, and the work they cost."""

from __future__ import annotations

import gc
import time
from collections.abc import Iterator
from dataclasses import replace

from PySide6.QtCore import QCoreApplication

from conch_desktop.desktop.chat_view import ChatView
from conch_desktop.domain.messages import Message, TextPart

ANSWER = """## Boat {n}

The early boat is calmer: **07:40** out, the last one back. Swell stays under `0.6 m` until noon, see
[the timetable](https://example.org/times/{n}).

- Ana sits outside, at the stern, facing forward.
- Tickets are sold on board; `Quay 4` opens at 07:15.

| Boat | From | Arrives |
|---|---|--:|
| 07:40 | Quay 4 | 08:25 |
| 18:10 | Skerry pier | 18:55 |

```python
def share(fares: list[float], people: int) -> float:
    return round(sum(fares) / people, 2)
```

Take the way over *Mill Lane* if the wind turns to the west after noon, boat {n}.

"""

CODE = "    fares[{n}] = share(boat.fare * {n}, people=5)  # calm water first\n"


def chat(count: int) -> list[Message]:
    """So many messages, the person's and the model's by turns."""
    found = []
    for at in range(count):
        if at % 2:
            found.append(Message(f"a{at}", "assistant", (TextPart(ANSWER.format(n=at)),), author="Gemini 2.5 Flash"))
        else:
            found.append(Message(f"u{at}", "user", (TextPart(f"And what about boat {at} on Saturday?"),)))
    return found


def long_text(size: int) -> str:
    """Markdown of about so many characters."""
    pieces = []
    total = 0
    for at in range(1_000_000):
        piece = ANSWER.format(n=at)
        pieces.append(piece)
        total += len(piece)
        if total >= size:
            break
    return "".join(pieces)[:size]


def long_code(size: int) -> str:
    """One code block of about so many characters, still open."""
    lines = [CODE.format(n=at) for at in range(size // 60)]
    return "```python\n" + "".join(lines)[:size]


def paint() -> None:
    """Does what the loop does until nothing is to be done: posted events, paints."""
    QCoreApplication.sendPostedEvents()
    QCoreApplication.processEvents()


def stream(view: ChatView, before: list[Message], text: str, pieces: Iterator[str]) -> list[float]:
    """Streams pieces behind a text, one a frame; seconds of this thread's work for each frame."""
    answer = Message("last", "assistant", (TextPart(text),), state="streaming", author="Gemini 2.5 Flash")
    view.show_chat("figures", [*before, answer], running=True)
    paint()
    took = []
    gc.freeze()  # As `ChatsDesk` does while a turn runs.
    for piece in pieces:
        begun = time.thread_time()
        text += piece
        answer = replace(answer, parts=(TextPart(text),))
        view.show_chat("figures", [*before, answer], running=True)
        paint()
        took.append(time.thread_time() - begun)
    gc.unfreeze()
    return took


def percentile(values: list[float], share: float) -> float:
    """The value below which that share of them is."""
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(len(ordered) * share))]
