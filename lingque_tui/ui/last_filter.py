"""The last gate before the terminal: no control byte leaves a widget, whatever was forgotten further in.

Text is cleaned where it enters; this is the net below, applied to every segment that is drawn.
"""

from __future__ import annotations

import re

from rich.segment import Segment
from textual.color import Color
from textual.filter import LineFilter

_WITHOUT_WIDTH = re.compile("[\x00-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff\ufff9-\ufffb]")
_SURROGATE = re.compile("[\ud800-\udfff]")
_FORBIDDEN = re.compile(f"{_WITHOUT_WIDTH.pattern}|{_SURROGATE.pattern}")


class ControlFilter(LineFilter):
    def apply(self, segments: list[Segment], background: Color) -> list[Segment]:
        if not any(_FORBIDDEN.search(segment.text) for segment in segments):
            return segments
        # The layout counted none of the first kind and one cell for each of the second: rows keep their width.
        return [
            Segment(_SURROGATE.sub("\ufffd", _WITHOUT_WIDTH.sub("", text)), style, control)
            for text, style, control in segments
        ]
