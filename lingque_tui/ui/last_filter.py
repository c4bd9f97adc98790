"""The last gate before the terminal: no control byte leaves a widget, whatever was forgotten further in.

Text is cleaned where it enters; this is the net below, applied to every segment that is drawn.
"""

from __future__ import annotations

import re

from rich.segment import Segment
from textual.color import Color
from textual.filter import LineFilter

_CONTROL = re.compile("[\x00-\x1f\x7f-\x9f\u200e\u200f\u202a-\u202e\u2066-\u2069\ud800-\udfff]")


class ControlFilter(LineFilter):
    def apply(self, segments: list[Segment], background: Color) -> list[Segment]:
        if not any(_CONTROL.search(segment.text) for segment in segments):
            return segments
        return [
            # One replacement for one character keeps the width that the layout counted on.
            Segment(_CONTROL.sub("\ufffd", text), style, control)
            for text, style, control in segments
        ]
