"""Commands that fit what is being typed, above the composer."""

from __future__ import annotations

from textual.content import Content
from textual.reactive import var
from textual.widgets import Static

from lingque_tui.commands.registry import Command, Registry

_ROWS = 8


class Completion(Static):
    """The composer moves it; it never takes the focus."""

    place: var[int] = var(0)

    def __init__(self) -> None:
        super().__init__(id="completion")
        self._registry = Registry({})
        self._fitting: tuple[Command, ...] = ()
        self._line = ""
        self._closed_at = ""
        self.display = False

    @property
    def is_open(self) -> bool:
        return bool(self._fitting)

    @property
    def chosen(self) -> Command | None:
        return self._fitting[self.place] if self._fitting else None

    def set_registry(self, registry: Registry) -> None:
        self._registry = registry

    def suggest(self, line: str) -> None:
        fitting = () if line == self._closed_at else self._registry.complete(line)
        self._line = line
        if fitting != self._fitting:
            self._fitting = fitting
            self.place = 0
            self._draw()

    def move(self, step: int) -> bool:
        self.place = (self.place + step) % len(self._fitting)
        self._draw()
        return True

    def close(self) -> bool:
        """Stays closed until something else is typed."""
        self._closed_at = self._line
        self._fitting = ()
        self._draw()
        return True

    def _draw(self) -> None:
        self.display = self.is_open
        first = max(0, min(self.place - _ROWS + 1, len(self._fitting) - _ROWS))
        rows = [self._row(index) for index in range(first, min(first + _ROWS, len(self._fitting)))]
        self.update(Content("\n").join(rows))

    def _row(self, index: int) -> Content:
        command = self._fitting[index]
        name = f"/{command.name} {command.usage}".rstrip()
        mark, style = ("❯ ", "bold $accent") if index == self.place else ("  ", "")
        return Content.assemble((f"{mark}{name:<26}", style), (command.summary, "$notice"))
