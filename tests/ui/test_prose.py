"""Markdown becomes blocks, blocks become rows; a growing text ends up as if it had come at once."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from textual.content import Content

from lingque_tui.ui.blocks import Kind, plain_block, read_blocks
from lingque_tui.ui.prose import Page, Prose, block_rows
from lingque_tui.ui.tables import fit_columns, table_rows


def drawn(markdown: str, width: int = 40) -> list[str]:
    return [row.content.plain.rstrip() for row in Page(read_blocks(markdown)[0]).rows(width)]


@pytest.mark.parametrize(
    ("markdown", "expected"),
    [
        ("one\ntwo", ["one two"]),
        ("one\n\ntwo", ["one", "", "two"]),
        ("hard  \nbreak", ["hard", "break"]),
        ("# Title\ntext", ["Title", "", "text"]),
        ("before\n\n- a\n- b\n\nafter", ["before", "", "• a", "• b", "", "after"]),
        ("- a\n  - b\n    - c\n- d", ["• a", "  • b", "    • c", "• d"]),
        ("3. three\n4. four", ["3. three", "4. four"]),
        ("- a\n\n- b", ["• a", "", "• b"]),
        ("> quoted\n> more", ["▎ quoted more"]),
        ("```\ncode  x\n\n  y\n```", [" code  x", "", "   y"]),
        ("<b>html</b> stays", ["<b>html</b> stays"]),
        ("<div>\nblock\n</div>", ["<div> block </div>"]),
        ("a **b** *c* `d` ~~e~~", ["a b c d e"]),
        ("[text](http://x)", ["text"]),
        ("|a|b|\n|-|-|\n|1|2|", ["a │ b", "──┼──", "1 │ 2"]),
        ("---", ["─" * 40]),
        ("", []),
    ],
)
def test_markdown_is_drawn_row_by_row(markdown: str, expected: list[str]) -> None:
    assert drawn(markdown) == expected


def test_rows_of_a_list_item_hang_below_its_text() -> None:
    assert drawn("- one two three four", 12) == ["• one two", "  three four"]


@pytest.mark.parametrize("depth", [5, 20, 100, 5_000])
def test_deep_nesting_leaves_room_for_words_and_loses_none(depth: int) -> None:
    blocks, _ = read_blocks(">" * depth + " deep")
    assert len(blocks[0].lead) <= 24
    assert "deep" in blocks[0].content.plain


PIECES = st.lists(
    st.sampled_from(
        [
            "word ",
            "中文，",
            "\n",
            "\n\n",
            "- item\n",
            "1. one\n",
            "```\n",
            "`c`",
            "**b**",
            "# h\n",
            "> q\n",
            "|a|b|\n",
            "|-|-|\n",
        ]
    ),
    max_size=25,
)


@settings(max_examples=300)
@given(PIECES)
def test_a_text_that_grew_looks_like_one_that_came_at_once(pieces: list[str]) -> None:
    grown = Prose("")
    text = ""
    for piece in pieces:
        text += piece
        grown._text = text
        settled = grown._settled_blocks
        grown._page = grown._page.grown(settled, grown._read())
    assert [row.content.plain for row in grown._page.rows(30)] == [
        row.content.plain for row in Page(read_blocks(text)[0]).rows(30)
    ]


def test_plain_text_is_not_markdown() -> None:
    rows = list(block_rows(plain_block("# no *title*\n[/]"), 40))
    assert [row.content.plain for row in rows] == ["# no *title*", "[/]"]


@given(st.lists(st.integers(1, 60), min_size=1, max_size=8), st.integers(10, 200))
def test_columns_fit_unless_all_are_as_narrow_as_can_be(widths: list[int], room: int) -> None:
    fitted = fit_columns(widths, room)
    assert sum(fitted) <= max(room, 0) or max(fitted) <= max(4, min(widths))
    assert all(after <= before for after, before in zip(fitted, widths, strict=True))


def test_a_wide_table_wraps_its_cells() -> None:
    table = [[Content("a"), Content("b")], [Content("x" * 30), Content("中" * 30)]]
    rows = [row.plain for row in table_rows(table, 24)]
    assert max(Content(row).cell_length for row in rows) <= 24
    assert sum(row.count("x") for row in rows) == 30
    assert sum(row.count("中") for row in rows) == 30


def test_code_keeps_its_kind() -> None:
    assert [block.kind for block in read_blocks("```py\nx\n```\n\n|a|\n|-|")[0]] == [Kind.CODE, Kind.TABLE]
