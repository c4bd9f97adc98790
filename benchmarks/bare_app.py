"""The smallest Textual app with something to type into: what a start can't be faster than."""

from __future__ import annotations

from textual.app import App, ComposeResult
from textual.widgets import Input

PLACEHOLDER = "say something"


class BareApp(App[None]):
    def compose(self) -> ComposeResult:
        yield Input(placeholder=PLACEHOLDER)


if __name__ == "__main__":
    BareApp().run()
