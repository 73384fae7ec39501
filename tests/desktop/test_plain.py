"""What is copied from the tokens alone is what is copied from the document that is shown."""

from __future__ import annotations

import pytest
from PySide6.QtGui import QTextDocument
from PySide6.QtWidgets import QApplication

from conch_desktop.desktop.blocks import segment_blocks
from conch_desktop.desktop.plain import plain_segment
from conch_desktop.desktop.segments import segments
from conch_desktop.desktop.selecting import part_of
from conch_desktop.desktop.theme import look

TEXTS = {
    "words": ("One *two* **three** `four`\nfive", "One two three four\nfive"),
    "paragraphs": ("One\n\nTwo", "One\nTwo"),
    "heading": ("# Head\n\nwords", "Head\nwords"),
    "list": ("- one\n- two\n  - inner\n", "- one\n- two\n- inner"),
    "numbers": ("3. three\n4. four\n", "3. three\n4. four"),
    "tasks": ("- [x] done\n- [ ] open **it**\n", "- [x] done\n- [ ] open it"),
    "quote": ("> said\n> so", "said\nso"),
    "rule": ("a\n\n---\n\nb", "a\n\nb"),
    "link": ("[here](https://a.example) [not](javascript:x)", "here not (javascript:x)"),
    "picture": ("see ![a boat](https://a.example/b.png)", "see [a boat]"),
    "html": ("a <b>c</b> vector<int>", "a <b>c</b> vector<int>"),
    "formula": ("so $x^2$ is", "so $x^2$ is"),
    "code in a quote": ("> ```\n> x\n>  y\n> ```", "x\n y"),
    "table": ("| a | b |\n|---|--:|\n| 1 | `2` |\n| 3 | |\n", "a\tb\n1\t2\n3\t"),
    "code": ("```py\n\tx = 1\n\n\ty\n```", "\tx = 1\n\n\ty\n"),
    "display formula": ("$$\nx^2\n$$", "x^2"),
}


@pytest.mark.parametrize(("text", "plain"), TEXTS.values(), ids=TEXTS)
def test_the_copy_of_a_segment(qapp: QApplication, text: str, plain: str) -> None:
    look.install(qapp)
    found = segments(text)
    assert "\n".join(plain_segment(one) for one in found) == plain
    blocks = [block for at, one in enumerate(found) for block in segment_blocks(one, 0, at, whole=True)]
    assert "\n".join(part_of(block, 0, 1 << 30) for block in blocks if block.plain is not None) == plain


def test_a_part_of_a_block_off_screen_is_that_of_the_document(qapp: QApplication) -> None:
    look.install(qapp)
    (segment,) = segments("The *early* boat is calmer")
    (block,) = segment_blocks(segment, 0, 0, whole=True)
    assert part_of(block, 4, 9) == "early"
    assert QTextDocument().isEmpty()
