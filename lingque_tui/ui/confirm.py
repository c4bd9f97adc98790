"""One question, two answers. Asked before leaving, never before anything that can be undone."""

from __future__ import annotations

from textual import on
from textual.app import ComposeResult
from textual.containers import Horizontal, Vertical
from textual.content import Content
from textual.screen import ModalScreen
from textual.widgets import Button, Static


class Confirm(ModalScreen[bool]):
    CSS_PATH = "sheets.tcss"
    BINDINGS = [
        ("escape,n", "answer(False)", ""),
        ("y,ctrl+c", "answer(True)", ""),
        ("left,right", "app.focus_next", ""),
    ]

    def __init__(self, question: str, yes: str, no: str) -> None:
        super().__init__()
        self._words = (question, yes, no)

    def compose(self) -> ComposeResult:
        question, yes, no = self._words
        with Vertical(id="question"):
            yield Static(Content(question))
            with Horizontal(classes="answers"):
                yield Button(Content(f"{yes} (y)"), id="yes", compact=True)
                yield Button(Content(f"{no} (n)"), id="no", compact=True)

    @on(Button.Pressed)
    def _pressed(self, event: Button.Pressed) -> None:
        self.dismiss(event.button.id == "yes")

    def action_answer(self, answer: bool) -> None:
        self.dismiss(answer)
