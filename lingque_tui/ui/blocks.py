"""Markdown as a list of blocks: values that know their text and their place in lists and quotes, not the screen.

One message is drawn by one widget (`prose.py`). Textual's own Markdown makes a widget of every paragraph, list
item and bullet; a screen of chat is a hundred of them, and each costs on every layout.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from enum import Enum

from markdown_it import MarkdownIt
from markdown_it.token import Token
from textual.content import Content, Span
from textual.style import Style

_PARSER_DEPTH = 60
_DEEPEST = 12
"""Nesting beyond this is drawn at this depth: a hostile text must not eat the whole width."""

Table = tuple[tuple[Content, ...], ...]


class Kind(Enum):
    PROSE = "prose"
    CODE = "code"
    TABLE = "table"
    RULE = "rule"


@dataclass(frozen=True, slots=True)
class Block:
    kind: Kind
    content: Content
    lead: str = ""
    """Before the first row: bullets, numbers, quote bars."""
    indent: str = ""
    """Before all other rows; as wide as `lead`."""
    has_gap: bool = True
    """A blank row before it, unless it is the first."""
    table: Table = ()
    """Rows of cells, the heading first."""


@dataclass(slots=True)
class _Prefix:
    first: str
    rest: str
    is_used: bool = False

    def take(self) -> str:
        taken, self.is_used = (self.rest if self.is_used else self.first), True
        return taken


@dataclass(slots=True)
class _List:
    number: int | None
    is_tight: bool = True


@dataclass(slots=True)
class _Reader:
    prefixes: list[_Prefix] = field(default_factory=list)
    lists: list[_List] = field(default_factory=list)
    is_item_open: bool = False

    def block(self, content: Content, kind: Kind = Kind.PROSE, *, is_tight: bool = False, table: Table = ()) -> Block:
        shown = self.prefixes[:_DEEPEST]
        is_first_of_item = bool(shown) and not shown[-1].is_used
        lead = "".join(prefix.take() for prefix in shown)
        indent = "".join(prefix.rest for prefix in shown)
        has_gap = not (is_tight and self.lists) if not is_first_of_item else self._item_gap(is_tight)
        return Block(kind, content, lead, indent, has_gap, table)

    def _item_gap(self, is_tight: bool) -> bool:
        """Items of a tight list stand close; the first one keeps its distance from what is above the list."""
        if len(self.lists) > 1 and is_tight:
            return False
        gap, self.is_item_open = not (is_tight and self.is_item_open), True
        return gap


def read_blocks(markdown: str) -> tuple[list[Block], int]:
    """The blocks, and the line at which the last top-level one begins: before it nothing can change any more."""
    try:
        tokens = _parser().parse(markdown)
    except RecursionError:
        return [plain_block(markdown)], 0
    if any(token.level >= _PARSER_DEPTH - 1 for token in tokens):
        return [plain_block(markdown)], 0  # the parser drops what is nested deeper: show it as it was written
    last = next((t.map[0] for t in reversed(tokens) if t.level == 0 and t.map is not None), 0)
    return list(_walk(tokens)), last


def plain_block(text: str) -> Block:
    return Block(Kind.PROSE, Content(text.expandtabs(4)))


_made: list[MarkdownIt] = []


def _parser() -> MarkdownIt:
    if not _made:
        _made.append(MarkdownIt("gfm-like", {"html": False, "maxNesting": _PARSER_DEPTH}))  # HTML stays visible as text
    return _made[0]


def _walk(tokens: Sequence[Token]) -> Iterator[Block]:
    reader = _Reader()
    table: list[list[Content]] = []
    style = ""
    is_tight = False
    for token in tokens:
        match token.type:
            case "paragraph_open":
                is_tight = token.hidden  # of a list without blank lines between its items
            case "heading_open":
                style = "bold underline $accent" if token.tag == "h1" else "bold $accent"
            case "inline":
                if table:
                    table[-1].append(inline(token))
                else:
                    yield reader.block(inline(token).stylize_before(style), is_tight=is_tight)
            case "heading_close":
                style = ""
            case "fence" | "code_block":
                yield reader.block(_code(token), Kind.CODE)
            case "hr":
                yield reader.block(Content(""), Kind.RULE)
            case "blockquote_open":
                reader.prefixes.append(_Prefix("▎ ", "▎ "))
            case "bullet_list_open" | "ordered_list_open":
                start = int(token.attrs.get("start") or 1) if token.type.startswith("ordered") else None
                reader.lists.append(_List(start))
                if len(reader.lists) == 1:
                    reader.is_item_open = False
            case "list_item_open":
                reader.prefixes.append(_marker(reader.lists[-1]))
            case "bullet_list_close" | "ordered_list_close":
                reader.lists.pop()
            case "blockquote_close" | "list_item_close":
                reader.prefixes.pop()
            case "tr_open":
                table.append([])
            case "table_close":
                yield reader.block(Content(""), Kind.TABLE, table=tuple(map(tuple, table)))
                table = []
            case _:
                pass


def _marker(current: _List) -> _Prefix:
    if current.number is None:
        return _Prefix("• ", "  ")
    marker = f"{current.number}. "
    current.number += 1
    return _Prefix(marker, " " * len(marker))


def _code(token: Token) -> Content:
    code = token.content.rstrip("\n").expandtabs(4)
    language = token.info.split()[0] if token.info.strip() else ""
    if not language:
        return Content(code)
    from textual.highlight import highlight

    return highlight(code, language=language)


def inline(token: Token) -> Content:
    """Text with its styles. Links are marked; a click reports them, nothing opens by itself."""
    pieces: list[str] = []
    spans: list[Span] = []
    open_styles: list[tuple[Style | str, int]] = []
    length = 0
    for child in token.children or ():
        text = ""
        match child.type:
            case "text":
                text = re.sub(r"\s+", " ", child.content)
            case "softbreak":
                text = " "
            case "hardbreak":
                text = "\n"
            case "code_inline":
                text = child.content
                spans.append(Span(length, length + len(text), "$warning on $code-background"))
            case "image":
                text = f"🖼 {child.content or child.attrs.get('src', '')}"
            case "strong_open":
                open_styles.append(("bold", length))
            case "em_open":
                open_styles.append(("italic", length))
            case "s_open":
                open_styles.append(("strike", length))
            case "link_open":
                open_styles.append((_link(str(child.attrs.get("href", ""))), length))
            case kind if kind.endswith("_close") and open_styles:
                style, start = open_styles.pop()
                spans.append(Span(start, length, style))
            case _:
                text = child.content
        pieces.append(text)
        length += len(text)
    return Content("".join(pieces), spans=spans)


def _link(href: str) -> Style:
    return Style(underline=True) + Style.from_meta({"@click": f"link({href!r})"})
