"""The one style sheet, built from the tokens. Sizes of type are in points, so that the person's own size counts."""

from __future__ import annotations

from collections.abc import Callable

from conch_desktop.desktop.tokens import BASE_PX, LARGE, LARGE_SPACING, SCALE, Palette

TONES = ("t1", "t2", "t3", "acc", "err", "mend", "add", "onacc", "chat")


def style_sheet(colours: Palette, points: float, mono: str, px: Callable[[float], int], *, high: bool = False) -> str:
    """QSS for labels, fields, frames, menus and scroll bars. Buttons, tags and rows paint themselves."""
    rules = [
        f"QLabel[look='{role}'] {{ font-size: {points * factor:.2f}pt; }}"
        for role, factor in SCALE.items()
        if role not in ("mono", "code")
    ]
    rules += [
        f"QLabel[look='{role}'] {{ font-family: '{mono}'; font-size: {points * SCALE[role]:.2f}pt; }}"
        for role in ("mono", "code")
    ]
    rules += [
        f"QLabel[look='{role}'] {{ letter-spacing: {LARGE_SPACING * px(BASE_PX) * SCALE[role]:.2f}px; }}"
        for role in LARGE
    ]
    rules += [f"QLabel[tone='{tone}'] {{ color: {colours[tone]}; }}" for tone in TONES]
    rules += [
        "QLabel[weight='500'] { font-weight: 500; }",
        "QLabel[weight='600'] { font-weight: 600; }",
        _FIXED.format_map(
            {
                **colours,
                "line_px": 2 if high else 1,
                "focus_px": 3 if high else 2,
                "off": "2px dashed" if high else "1px solid",
                "edge": px(12),
                "fieldh": px(32) - 2 * 2,
                "r6": px(6),
                "r12": px(12),
                "small": f"{points * SCALE['small']:.2f}",
                "ui": f"{points:.2f}",
                "chat_pt": f"{points * SCALE['chat']:.2f}",
                "pad": px(8),
            }
        ),
    ]
    return "\n".join(rules)


_FIXED = """
QMainWindow, QWidget#chat {{ background: {chat}; }}
QWidget#side {{ background: {side}; }}
QWidget#panel {{ background: {panel}; }}
QLineEdit, QComboBox {{
  background: {raised}; color: {t1}; border: {line_px}px solid {field}; border-radius: {r6}px;
  padding: 0 {pad}px; min-height: {fieldh}px; font-size: {ui}pt;
  selection-background-color: {sel}; selection-color: {t1}; placeholder-text-color: {t3};
}}
QLineEdit:focus, QComboBox:focus {{ border: {focus_px}px solid {acc}; padding: 0 {pad}px; }}
QLineEdit:disabled, QComboBox:disabled {{ background: {btnH}; color: {t3}; border: {off} {line}; }}
QLineEdit[wrong='true'] {{ border-color: {err}; }}
QLineEdit#bare, QLineEdit#bare:focus {{ border: none; background: transparent; padding: 0; min-height: 0; }}
QLineEdit#find, QLineEdit#find:focus {{
  border: none; background: transparent; padding: 0; min-height: 0; font-size: {chat_pt}pt;
}}
QComboBox::drop-down {{ border: none; width: 24px; }}
QComboBox QAbstractItemView {{
  background: {raised}; color: {t1}; border: 1px solid {line2}; selection-background-color: {sel};
  selection-color: {t1}; outline: none;
}}
QToolTip {{
  background: {t1}; color: {chat}; border: none; padding: 4px 8px; font-size: {small}pt;
}}
QMenu {{
  background: {raised}; color: {t1}; border: 1px solid {line2}; padding: 4px; font-size: {ui}pt;
}}
QMenu::item {{ padding: 6px 24px 6px 12px; border-radius: {r6}px; }}
QMenu::item:selected {{ background: {sel}; }}
QMenu::item:disabled {{ color: {t3}; }}
QMenu::separator {{ height: 1px; background: {line}; margin: 4px 8px; }}
QScrollBar:vertical {{ background: transparent; width: {edge}px; margin: 0; }}
QScrollBar::handle:vertical {{ background: {line2}; border-radius: 3px; margin: 2px 3px; min-height: 32px; }}
QScrollBar::handle:vertical:hover {{ background: {field}; }}
QScrollBar:horizontal {{ background: transparent; height: {edge}px; margin: 0; }}
QScrollBar::handle:horizontal {{ background: {line2}; border-radius: 3px; margin: 3px 2px; min-width: 32px; }}
QScrollBar::handle:horizontal:hover {{ background: {field}; }}
QScrollBar::add-line, QScrollBar::sub-line {{ width: 0; height: 0; }}
QScrollBar::add-page, QScrollBar::sub-page {{ background: transparent; }}
QAbstractScrollArea, QAbstractScrollArea > QWidget#qt_scrollarea_viewport {{ background: transparent; border: none; }}
QPlainTextEdit, QTextEdit {{
  background: transparent; border: none; color: {t1}; placeholder-text-color: {t3};
  selection-background-color: {sel}; selection-color: {t1};
}}
QPlainTextEdit#field {{
  background: {raised}; border: {line_px}px solid {field}; border-radius: {r6}px; padding: 4px; font-size: {ui}pt;
}}
QPlainTextEdit#field:focus {{ border: {focus_px}px solid {acc}; }}
"""
