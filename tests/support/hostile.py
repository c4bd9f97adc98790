"""Texts that a terminal, Textual's markup or a Markdown parser might obey instead of showing.

Each carries a marker of its own inside whatever could act, so that its trace can be found in the bytes that a
terminal received. `MARKERS` also holds the disguises a marker may wear there.
"""

from __future__ import annotations

import base64
from collections.abc import Mapping

_DEEP = 120


def _marked(number: int) -> str:
    return f"mark{number:02d}"


def _in_base64(marker: str) -> str:
    return base64.b64encode(marker.encode()).decode()


def _tagged(text: str) -> str:
    """In tag characters: invisible letters."""
    return "".join(chr(0xE0000 + ord(letter)) for letter in text)


def _build() -> dict[str, str]:
    m = [_marked(number) for number in range(50)]
    return {
        # Textual's markup
        "closing tag": f"{m[0]} [/]",
        "click action": f"[@click=app.quit]{m[1]}[/]",
        "click with arguments": f"[@click=app.bell('{m[2]}')]{m[2]}[/] [@click=screen.stop]x[/]",
        "unclosed bold": f"[bold {m[3]}",
        "unbalanced tags": f"[bold]{m[4]}[/italic][/bold][/][/]",
        "unknown style": f"[nonsense {m[5]} on #zzz]text[/nonsense {m[5]}]",
        "link tag": f"[link=file:///etc/passwd?{m[6]}]x[/link] $variable {{braces}} {{0}} %s",
        "bracket flood": f"{m[7]} " + "[" * 200 + "]" * 200,
        # What terminals obey
        "clear screen": f"{m[8]}\x1b[2J\x1b[H\x1b[31;{m[8][-2:]}m red",
        "set clipboard": f"\x1b]52;c;{_in_base64(m[9])}\x07{m[9]} after",
        "set clipboard, st": f"\x1b]52;c;{_in_base64(m[10])}\x1b\\{m[10]} after",
        "hyperlink": f"\x1b]8;;http://127.0.0.1/{m[11]}\x1b\\click\x1b]8;;\x1b\\ end",
        "window title": f"\x1b]0;{m[12]}\x07title",
        "device control": f"\x1bP+q{m[13]}\x1b\\ \x1bP$q{m[13]}\x1b\\text",
        "application command": f"\x1b_G{m[14]}\x1b\\ \x1b^{m[14]}\x1b\\ \x1bX{m[14]}\x1b\\ text",
        "eight-bit introducers": f"\x9b2J \x9d52;c;{_in_base64(m[15])}\x9c \x90{m[15]}\x9c text",
        "unterminated osc": f"before \x1b]52;c;{_in_base64(m[16])}",
        "unterminated csi": f"{m[17]} \x1b[38;5;",
        "answer-back": f"\x1b[c\x1b[6n\x1b]10;?\x07\x05{m[18]}",
        "alternate screen off": f"\x1b[?1049l\x1b[?25h\x1b[?1000l{m[19]}",
        "reset": f"\x1bc\x1b[!p{m[20]}",
        "nul, bell, delete": f"a\x00b\x07c\x7fd{m[21]}",
        "backspaces": "harmless" + "\x08" * 8 + f"{m[22]}",
        "overwriting returns": f"this is safe {m[23]}\rrm -rf ~\r\nnext\rlast",
        "shifts and form feeds": f"\x0e{m[24]}\x0f\x0b\x0c",
        # Unicode
        "bidi override": f"user\u202e{m[25]}\u202d\u202c",
        "bidi isolates": f"\u2066{m[26]}\u2069\u2067\u2068\u200f\u200e\u061c",
        "lone surrogates": f"\ud800{m[27]}\udfff\udc00\ud83d",
        "joiner bomb": f"{m[28]}" + "👩\u200d" * 200,
        "tower of marks": f"{m[29]}e" + "\u0301\u0489\u0336" * 150,
        "separators": f"{m[30]}\u2028next\u2029next\x85next",
        "byte order mark": f"\ufeff{m[31]}\ufeff\u200b\u2060",
        "tag characters": f"{m[32]}{_tagged(m[32])}",
        "variation selectors": f"{m[33]}☎\ufe0f☎\ufe0e🏴\U000e0067\U000e007f \U0001f1e8\U0001f1f3\U0001f1e8",
        # Size
        "one long line": f"{m[34]} " + "x" * 1_000_000,
        "five thousand lines": "\n".join(f"{m[35]} {number}" for number in range(5_000)),
        "huge table": f"|{m[36]}" * 40 + "|\n" + "|---" * 40 + "|\n" + ("|x" * 40 + "|\n") * 100,
        # Markdown
        "deep quotes": ">" * _DEEP + f" {m[37]}",
        "deep lists": "\n".join("  " * depth + f"- {m[38]}" for depth in range(_DEEP)),
        "html": f"<script>{m[39]}</script><img src=x onerror={m[39]}><!-- {m[39]} --><b>{m[39]}",
        "links that run": f"[a](javascript:{m[40]}) [b](file:///etc/passwd) [c](<data:text/html,{m[40]}>)",
        "link with escapes": f"[a](http://127.0.0.1/\x1b]52;c;{_in_base64(m[41])}\x07) <http://127.0.0.1/{m[41]}>",
        "image": f"![{m[42]}](http://127.0.0.1:9/{m[42]}.png) ![](file:///{m[42]})",
        "unterminated fence": f"````{m[43]}[/]\n```\n[@click=app.quit]{m[43]}",
        "fence of no language": f"```\x1b[2J[bold]{m[44]}\ncode\n```",
        "tabs": f"{m[45]}\t\t\ta\tb",
        "emphasis flood": f"{m[46]} " + "*_" * 400,
        "placeholder of a paste": f"⟦1 {m[47]}⟧ ⟦999999999999999999999⟧ ⟦0⟧",
    }


HOSTILE: Mapping[str, str] = _build()
MARKERS: tuple[str, ...] = tuple(
    disguise for number in range(len(HOSTILE)) for disguise in (_marked(number), _in_base64(_marked(number)))
)
SHORT: Mapping[str, str] = {name: text for name, text in HOSTILE.items() if len(text) < 2_000}
"""Those that may stand in a title, a name, an error."""


def storable(text: str) -> str:
    """As it could lie in a file of another program's making: UTF-8, and otherwise as it is."""
    return text.encode("utf-8", "replace").decode()
