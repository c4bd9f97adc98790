"""One searchable list for everything a person picks: sessions, models, themes, commands."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass

from textual import on
from textual.app import ComposeResult
from textual.containers import Vertical
from textual.content import Content
from textual.screen import ModalScreen
from textual.widgets import Input, OptionList, Static
from textual.widgets.option_list import Option

from lingque_tui.domain.clean import clean_line
from lingque_tui.i18n import t

_MOST_SHOWN = 300


@dataclass(frozen=True, slots=True)
class Item:
    id: str
    title: str
    detail: str = ""
    is_current: bool = False

    def matches(self, words: str) -> bool:
        text = f"{self.title} {self.detail}".lower()
        return all(word in text for word in words.lower().split())


class Picker(ModalScreen[str | None]):
    """Ends with the id of what was taken, the typed text where `free_text` allows it, or None."""

    CSS_PATH = "sheets.tcss"
    BINDINGS = [("escape", "leave", "")]

    def __init__(
        self,
        title: str,
        search: str,
        load: Callable[[], Awaitable[Sequence[Item]]],
        *,
        loading: str = "",
        preview: Callable[[str], None] | None = None,
        free_text: bool = False,
    ) -> None:
        super().__init__()
        self._title = title
        self._search = search
        self._load = load
        self._loading = loading
        self._preview = preview
        self._free_text = free_text
        self._items: Sequence[Item] = ()

    def compose(self) -> ComposeResult:
        with Vertical(id="sheet"):
            yield Static(Content(self._title), classes="sheet-title")
            yield Input(placeholder=self._search, id="picker-search")
            yield OptionList(id="picker-list", markup=False)
            yield Static(Content(t("picker_hint")), classes="sheet-hint")

    def on_mount(self) -> None:
        if self._loading:
            self._list.add_option(Option(Content.styled(self._loading, "$notice"), disabled=True))
        self.run_worker(self._fill(), exclusive=True)

    async def _fill(self) -> None:
        self._items = await self._load()
        self._show()

    @property
    def _list(self) -> OptionList:
        return self.query_one("#picker-list", OptionList)

    @property
    def _words(self) -> str:
        return self.query_one("#picker-search", Input).value

    def _show(self) -> None:
        found = [item for item in self._items if item.matches(self._words)][:_MOST_SHOWN]
        self._list.clear_options()
        if not found:
            self._list.add_option(Option(Content.styled(t("nothing_found"), "$notice"), disabled=True))
            return
        self._list.add_options([Option(_line(item), id=item.id) for item in found])
        current = next((index for index, item in enumerate(found) if item.is_current), 0)
        self._list.highlighted = current

    @on(Input.Changed)
    def _search_changed(self) -> None:
        if self._items:
            self._show()

    @on(Input.Submitted)
    def _take(self) -> None:
        option = self._list.highlighted_option
        if option is not None and option.id is not None:
            self.dismiss(option.id)
        elif self._free_text and self._words.strip():
            self.dismiss(clean_line(self._words))

    @on(OptionList.OptionSelected)
    def _clicked(self, event: OptionList.OptionSelected) -> None:
        self.dismiss(event.option_id)

    @on(OptionList.OptionHighlighted)
    def _highlighted(self, event: OptionList.OptionHighlighted) -> None:
        if self._preview and event.option_id is not None:
            self._preview(event.option_id)

    def key_down(self) -> None:
        self._list.action_cursor_down()

    def key_up(self) -> None:
        self._list.action_cursor_up()

    def action_leave(self) -> None:
        self.dismiss(None)


def _line(item: Item) -> Content:
    mark = ("● ", "$accent") if item.is_current else ("  ", "")
    return Content.assemble(mark, item.title, ("   " + item.detail if item.detail else "", "$notice"))
