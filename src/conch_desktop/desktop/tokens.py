"""The look's colours and sizes as plain data (`resources/tokens.json`), and what is computed from them without Qt."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path

RESOURCES = Path(__file__).resolve().parent.parent / "resources"

Palette = dict[str, str]
"""Colour by name, "#RRGGBB"."""

SCALE = {
    "tiny": 0.85,
    "small": 0.92,
    "ui": 1.0,
    "chat": 1.15,
    "h3": 1.15,
    "h2": 1.46,
    "h1": 1.7,
    "title": 1.7,
    "mono": 0.92,
    "code": 1.0,
}
"""Sizes of type, as parts of the person's own size."""

LARGE = ("h1", "h2", "title")
"""Roles so large that their letters stand closer."""

LARGE_SPACING = -0.015
"""By how much closer, in parts of the size."""

LINE = {"tiny": 16, "small": 18, "ui": 20, "chat": 24, "h3": 22, "title": 30, "code": 20, "mono": 18}
"""Heights of lines in px where the person's size is 13 px."""

BASE_PX = 13.0
"""The size of type the look was drawn with."""


@cache
def palettes() -> dict[str, Palette]:
    """Every palette by its name: "light", "dark", "high contrast light", "high contrast dark"."""
    found: dict[str, Palette] = json.loads((RESOURCES / "tokens.json").read_text(encoding="utf-8"))
    return found


def palette_name(*, dark: bool, high_contrast: bool) -> str:
    """The palette for what the person's system asks for."""
    return ("high contrast " if high_contrast else "") + ("dark" if dark else "light")


def luminance(colour: str) -> float:
    """Relative luminance (WCAG 2) of "#RRGGBB"."""
    parts = [int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5)]
    red, green, blue = (part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast(one: str, other: str) -> float:
    """Contrast (WCAG 2) of two colours, from 1 to 21."""
    light, dark = sorted((luminance(one), luminance(other)), reverse=True)
    return (light + 0.05) / (dark + 0.05)
