"""Big pastes stand in the composer as a short placeholder and are sent whole.

A one-line paste of a megabyte takes a text area 20 seconds; its placeholder takes none.
"""

from __future__ import annotations

import re

from lingque_tui.i18n import t

BIG_CHARACTERS = 2_000
BIG_LINES = 20

_PLACEHOLDER = re.compile(r"⟦(\d+)[^⟦⟧\n]*⟧")


def is_big(text: str) -> bool:
    return len(text) > BIG_CHARACTERS or text.count("\n") >= BIG_LINES


class Pastes:
    """The texts behind the placeholders of one draft."""

    def __init__(self) -> None:
        self._texts: dict[int, str] = {}

    def keep(self, text: str) -> str:
        """The placeholder that stands for `text`."""
        number = len(self._texts) + 1
        self._texts[number] = text
        return "⟦{} {}⟧".format(number, t("paste", lines=text.count("\n") + 1, characters=len(text)))

    def expand(self, draft: str) -> str:
        """`draft` with every placeholder of ours replaced by what it stands for; others stay as they are."""
        if not self._texts:
            return draft
        return _PLACEHOLDER.sub(lambda match: self._texts.get(int(match[1]), match[0]), draft)

    def clear(self) -> None:
        self._texts.clear()
