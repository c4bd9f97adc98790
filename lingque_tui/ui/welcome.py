"""What an empty session shows: who this is and the three things worth knowing."""

from __future__ import annotations

from textual.content import Content
from textual.widgets import Static

from lingque_tui.i18n import t


class Welcome(Static):
    def __init__(self, hint: str = "") -> None:
        lines = [(t("welcome_title"), "bold $accent"), ("\n\n" + t("welcome"), "")]
        if hint:
            lines.append(("\n\n" + hint, "$notice"))
        super().__init__(Content.assemble(*lines), id="welcome")
