"""The lines around the conversation: title above, hints and figures below."""

from __future__ import annotations

from textual.content import Content
from textual.reactive import reactive
from textual.widget import Widget

from lingque_tui.i18n import t
from lingque_tui.ui.text import fit, width_of


class TwoSidedLine(Widget):
    """One row: something at the left, something at the right; the left side gives way."""

    DEFAULT_CSS = "TwoSidedLine { height: 1; width: 1fr; }"

    left: reactive[Content] = reactive(Content(""))
    right: reactive[Content] = reactive(Content(""))

    def render(self) -> Content:
        width = self.size.width
        right = fit(self.right, width - 10)
        left = fit(self.left, width - width_of(right) - 2)
        gap = " " * max(1, width - width_of(left) - width_of(right))
        return Content.assemble(left, gap, right)


class TitleLine(TwoSidedLine):
    def show(self, title: str, model: str, window: str, is_read_only: bool) -> None:
        marked = Content.styled(f"  [{t('read_only')}]", "$warning") if is_read_only else Content("")
        self.left = Content.assemble((t("brand"), "bold $accent"), "  ", Content(title), marked)
        self.right = Content.assemble(Content(model), (f" · {window}" if window else "", "$notice"))


_IDLE = (
    ("enter", "hint_send"),
    ("^j", "hint_newline"),
    ("^p", "hint_commands"),
    ("^s", "hint_sessions"),
    ("f1", "hint_help"),
)
_BUSY = (("esc", "hint_stop"), *_IDLE)


class HintLine(TwoSidedLine):
    def show_idle(self, news: str) -> None:
        self._show(_IDLE, news)

    def show_busy(self, news: str) -> None:
        self._show(_BUSY, news)

    def _show(self, hints: tuple[tuple[str, str], ...], news: str) -> None:
        shown = [Content.assemble((key, "bold"), f" {t(meaning)}") for key, meaning in hints]
        self.left = Content("   ").join(shown).stylize("$notice")
        self.right = Content.styled(news, "$notice")
