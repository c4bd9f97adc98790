"""F1: every key and every command, from the same registry that runs them."""

from __future__ import annotations

from textual.app import ComposeResult
from textual.containers import Vertical, VerticalScroll
from textual.content import Content
from textual.screen import ModalScreen
from textual.widgets import Static

from lingque_tui.commands.registry import Registry
from lingque_tui.i18n import t

KEYS = (
    ("enter", "key_send"),
    ("ctrl+j", "key_newline"),
    ("↑ ↓", "key_history"),
    ("/ tab", "key_complete"),
    ("esc", "key_stop"),
    ("pgup pgdn", "key_scroll"),
    ("ctrl+home ctrl+end", "key_ends"),
    ("ctrl+c", "key_copy"),
    ("ctrl+p", "key_palette"),
    ("ctrl+s", "key_sessions"),
)


class HelpScreen(ModalScreen[None]):
    CSS_PATH = "sheets.tcss"
    BINDINGS = [("escape,f1,q,enter", "dismiss", "")]

    def __init__(self, registry: Registry) -> None:
        super().__init__()
        self._registry = registry

    def compose(self) -> ComposeResult:
        with Vertical(id="sheet"):
            yield Static(Content(t("help_title")), classes="sheet-title")
            with VerticalScroll(id="help-body"):
                yield Static(self._table(t("help_keys"), [(key, t(meaning)) for key, meaning in KEYS]))
                yield Static(self._table(t("help_commands"), self._commands()))
            yield Static(Content(t("help_close")), classes="sheet-hint")

    def _commands(self) -> list[tuple[str, str]]:
        commands = sorted(self._registry.commands.items())
        return [(f"/{name} {command.usage}".strip(), command.summary) for name, command in commands]

    @staticmethod
    def _table(title: str, rows: list[tuple[str, str]]) -> Content:
        lines = [Content.styled(title, "bold $accent")]
        lines += [Content.assemble((f"  {key:<26}", "bold"), (meaning, "")) for key, meaning in rows]
        return Content("\n").join([*lines, Content("")])
