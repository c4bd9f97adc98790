"""Lines break where a reader of either language expects it, and never lose a character."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len

from lingque_tui.ui.wrapping import fold_offsets, wrap_offsets

MIXED = st.text(st.sampled_from("ab9 ,.()，。；（）「」中文字符é👍\t"), max_size=120)


def rows(text: str, offsets: list[int]) -> list[str]:
    return [text[a:b] for a, b in zip([0, *offsets], [*offsets, len(text)], strict=True)]


@pytest.mark.parametrize(
    ("text", "width", "expected"),
    [
        ("one two three", 8, ["one two ", "three"]),
        ("中文可以在任何字之间换行", 8, ["中文可以", "在任何字", "之间换行"]),
        ("约 90 毫秒，登录时感觉不到", 12, ["约 90 毫秒，", "登录时感觉不", "到"]),
        ("他说（你好）。", 6, ["他说", "（你", "好）。"]),
        ("abcdefghij", 4, ["abcd", "efgh", "ij"]),
        ("short", 80, ["short"]),
    ],
)
def test_breaks_stand_where_a_reader_expects_them(text: str, width: int, expected: list[str]) -> None:
    assert rows(text, wrap_offsets(text, width)) == expected


@given(MIXED, st.integers(4, 40))
def test_nothing_is_lost_and_every_row_fits_but_for_blanks_at_its_end(text: str, width: int) -> None:
    pieces = rows(text, wrap_offsets(text, width))
    assert "".join(pieces) == text
    assert all(cell_len(piece.rstrip(" \t")) <= width for piece in pieces)
    assert all(pieces) or not text


@given(MIXED, st.integers(4, 40))
def test_code_is_cut_just_where_the_row_is_full(text: str, width: int) -> None:
    pieces = rows(text, fold_offsets(text, width))
    assert "".join(pieces) == text
    assert all(cell_len(piece) <= width for piece in pieces)


CLOSING = "，。！）"


@given(st.from_regex("(?:[中文字符][，。！）]{0,2}){1,30}", fullmatch=True), st.integers(8, 30))
def test_closing_punctuation_never_begins_a_row(text: str, width: int) -> None:
    assert all(piece[0] not in CLOSING for piece in rows(text, wrap_offsets(text, width)))
