"""Plain text in columns. Chinese characters take two cells of a terminal, so `len` does not line anything up."""

from __future__ import annotations

import unicodedata


def cells(text: str) -> int:
    return sum(_cells_of(character) for character in text)


def pad(text: str, width: int) -> str:
    return text + " " * (width - cells(text))


def _cells_of(character: str) -> int:
    if unicodedata.combining(character):
        return 0
    return 2 if unicodedata.east_asian_width(character) in "WF" else 1
