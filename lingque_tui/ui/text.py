"""Widths of text in cells: a Chinese character takes two."""

from __future__ import annotations

from textual.content import Content


def width_of(content: Content) -> int:
    return content.cell_length


def fit(content: Content, width: int) -> Content:
    """`content`, cut to `width` cells with an ellipsis."""
    width = max(0, width)
    return content if content.cell_length <= width else content.truncate(width, ellipsis=True)
