"""One widget for one text: Markdown or plain, wrapped as its language wants, selectable, growing while it streams.

While a text grows, only its last block is read and wrapped anew; and only rows that can be seen are drawn.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from rich.segment import Segment
from textual.content import Content
from textual.geometry import Size
from textual.message import Message
from textual.selection import Selection
from textual.strip import Strip
from textual.style import Style
from textual.widget import Widget

from lingque_tui.ui.blocks import Block, Kind, plain_block, read_blocks
from lingque_tui.ui.tables import table_rows
from lingque_tui.ui.wrapping import fold_offsets, wrap_offsets

_CODE_PADDING = 1


@dataclass(frozen=True, slots=True)
class Row:
    content: Content
    fill: str = ""
    """Style of the cells behind the text."""
    goes_on: bool = False
    """The next row belongs to the same line of text: copying joins them."""


class Page:
    """Blocks, laid out for a width. Rows of a block are kept, for the same block comes back with every growth."""

    def __init__(self, blocks: Sequence[Block]) -> None:
        self._blocks = blocks
        self._width = -1
        self._rows: list[Row] = []
        self._kept: dict[int, list[Row]] = {}

    def grown(self, settled: int, fresh: Sequence[Block]) -> Page:
        """The same page with everything after the first `settled` blocks replaced."""
        page = Page([*self._blocks[:settled], *fresh])
        page._width = self._width
        page._kept = {id(block): self._kept[id(block)] for block in self._blocks[:settled] if id(block) in self._kept}
        return page

    def rows(self, width: int) -> list[Row]:
        if width != self._width:
            self._width, self._rows = width, []
            self._kept.clear()
        if not self._rows:
            self._rows = list(self._lay_out(width))
        return self._rows

    def _lay_out(self, width: int) -> Iterator[Row]:
        for index, block in enumerate(self._blocks):
            if index and block.has_gap:
                yield Row(Content(""))
            if id(block) not in self._kept:
                self._kept[id(block)] = list(block_rows(block, width))
            yield from self._kept[id(block)]


def block_rows(block: Block, width: int) -> Iterator[Row]:
    room = max(8, width - len(block.lead))
    match block.kind:
        case Kind.RULE:
            rows = iter([Row(Content.styled("─" * room, "$gauge-reserve"))])
        case Kind.TABLE:
            rows = (Row(content) for content in table_rows(block.table, room))
        case Kind.CODE:
            rows = _code_rows(block.content, room)
        case Kind.PROSE:
            rows = _prose_rows(block.content, room)
    for index, row in enumerate(rows):
        prefix = block.lead if index == 0 else block.indent
        yield Row(Content.styled(prefix, "$accent") + row.content, row.fill, row.goes_on) if prefix else row


def _prose_rows(content: Content, width: int) -> Iterator[Row]:
    for line in content.split("\n", allow_blank=True):
        pieces = line.divide(wrap_offsets(line.plain, width)) or [line]
        for index, piece in enumerate(pieces):
            yield Row(piece, goes_on=index < len(pieces) - 1)


def _code_rows(content: Content, width: int) -> Iterator[Row]:
    blank = " " * _CODE_PADDING
    for line in content.split("\n", allow_blank=True):
        pieces = line.divide(fold_offsets(line.plain, width - 2 * _CODE_PADDING)) or [line]
        for index, piece in enumerate(pieces):
            yield Row(Content(blank) + piece, fill="on $code-background", goes_on=index < len(pieces) - 1)


class Prose(Widget):
    """Shows a text. `grow` replaces it by a longer one that begins the same way."""

    DEFAULT_CSS = "Prose { height: auto; width: 1fr; }"

    class LinkClicked(Message):
        def __init__(self, href: str) -> None:
            super().__init__()
            self.href = href

    def __init__(self, text: str, *, is_markdown: bool = True) -> None:
        super().__init__()
        self._text = text
        self._settled_text = 0
        """Characters before the last block: read once, never again."""
        self._settled_blocks = 0
        self._page = Page(self._read() if is_markdown else [plain_block(text)])

    def grow(self, text: str) -> None:
        self._text = text
        settled = self._settled_blocks
        self._page = self._page.grown(settled, self._read())
        self.refresh(layout=True)

    def show_plain(self, text: str) -> None:
        """Anything else instead, as it is."""
        self._page = Page([plain_block(text)])
        self.refresh(layout=True)

    def _read(self) -> list[Block]:
        """The blocks from the last settled place on; what lies before the new last block is settled then."""
        tail = self._text[self._settled_text :]
        blocks, last_line = read_blocks(tail)
        if last_line:
            head = "".join(f"{line}\n" for line in tail.split("\n")[:last_line])
            self._settled_blocks += len(read_blocks(head)[0])
            self._settled_text += len(head)
        return blocks

    def get_content_width(self, container: Size, viewport: Size) -> int:
        return container.width

    def get_content_height(self, container: Size, viewport: Size, width: int) -> int:
        return len(self._page.rows(width))

    def render_line(self, y: int) -> Strip:
        width = self.content_size.width
        rows = self._page.rows(width)
        style = self.visual_style
        if y >= len(rows):
            return Strip.blank(width, style.rich_style)
        row = rows[y]
        if row.fill:
            style += self._get_style(row.fill)
        return _strip(self._selected(row.content, y), y, style, self._get_style).adjust_cell_length(
            width, style.rich_style
        )

    def _selected(self, content: Content, y: int) -> Content:
        span = self.text_selection.get_span(y) if self.text_selection is not None else None
        if span is None:
            return content
        start, end = span
        mark = Style.from_styles(self.screen.get_component_styles("screen--selection"))
        return content.stylize(mark, start, len(content) if end == -1 else end)

    def get_selection(self, selection: Selection) -> tuple[str, str] | None:
        """The words as they were written: rows that wrapping made are joined again."""
        rows = self._page.rows(self.content_size.width)
        taken: list[str] = []
        for y, row in enumerate(rows):
            span = selection.get_span(y)
            if span is None:
                continue
            start, end = span
            text = row.content.plain
            taken.append(text[start : len(text) if end == -1 else end] + ("" if row.goes_on else "\n"))
        return "".join(taken).rstrip("\n"), "\n"

    def action_link(self, href: str) -> None:
        self.post_message(self.LinkClicked(href))


def _strip(content: Content, y: int, style: Style, get_style: Callable[[str | Style], Style]) -> Strip:
    segments: list[Segment] = []
    x = 0
    for text, text_style in content.render(style, end="", parse_style=get_style):
        # The offset in the style is how Textual finds the character under the mouse.
        segments.append(Segment(text, (style + text_style).rich_style_with_offset(x, y)))
        x += len(text)
    return Strip(segments, content.cell_length)
