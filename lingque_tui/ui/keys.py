"""Keys that Textual's parser does not know by themselves.

A terminal without an extended keyboard protocol sends Alt+Enter as ESC CR. Textual takes that for a plain
Enter, and the message would go out in the middle of a sentence.
"""

from __future__ import annotations

from enum import Enum
from typing import Any, cast

from textual._ansi_sequences import ANSI_SEQUENCES_KEYS


class OwnKeys(Enum):
    ALT_ENTER = "alt+enter"


def teach_textual() -> None:
    table = cast("dict[str, Any]", ANSI_SEQUENCES_KEYS)
    for sequence in ("\x1b\r", "\x1b\n"):
        table.setdefault(sequence, (OwnKeys.ALT_ENTER,))
