"""Screenshots that show Chinese at its true width.

Textual's SVG export sizes each run of text by its characters, so a wide character gets half its room, and it
names a font on the network. Both are put right here: every run and every wide character stands at its own
cell, whatever font draws it, and fonts are those of the system.
"""

from __future__ import annotations

import html
import re
from collections.abc import Iterator

from rich.cells import cell_len

_RUN = re.compile(r'<text class="([^"]*)" x="([\d.]+)" y="([\d.]+)" textLength="([\d.]+)"([^>]*)>([^<]*)</text>')
_CELL = 12.2
_FONTS = "'DejaVu Sans Mono', 'Noto Sans Mono CJK SC', 'Sarasa Mono SC', Menlo, Consolas, monospace"


def mend(svg: str) -> str:
    svg = re.sub(r"@font-face\s*{[^}]*}", "", svg)
    svg = re.sub(r"font-family:[^;]+;", f"font-family: {_FONTS};", svg)
    return _RUN.sub(_mend_run, svg)


def _mend_run(match: re.Match[str]) -> str:
    style, x, y, _, rest, content = match.groups()
    text = html.unescape(content).replace("\xa0", " ")
    return "".join(
        f'<text class="{style}" x="{float(x) + cell * _CELL:.1f}" y="{y}" textLength="{cell_len(piece) * _CELL:.1f}"'
        f"{rest}>{html.escape(piece).replace(' ', '&#160;')}</text>"
        for cell, piece in _pieces(text)
    )


def _pieces(text: str) -> Iterator[tuple[int, str]]:
    """Runs of narrow characters and single wide ones, each with its first cell; blanks at their ends are not drawn."""
    cell = 0
    for run in re.findall(r"[^\u1100-\uffff\U00010000-\U0010ffff]+|.", text, re.DOTALL):
        if bare := run.strip(" "):
            yield cell + len(run) - len(run.lstrip(" ")), bare
        cell += cell_len(run)
