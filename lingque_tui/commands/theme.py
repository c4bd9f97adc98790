"""`/theme [name]`: how it looks; the picker previews live."""

from lingque_tui.commands.desk import Desk
from lingque_tui.commands.registry import Command
from lingque_tui.domain.clean import clean_line
from lingque_tui.domain.errors import CommandError
from lingque_tui.i18n import t


async def choose_theme(desk: Desk, arguments: str) -> None:
    if not arguments:
        desk.open_page("themes")
    elif arguments in desk.theme_names():
        desk.use_theme(arguments)
    else:
        known = ", ".join(desk.theme_names())
        raise CommandError(detail=t("theme_unknown", name=clean_line(arguments, 40), known=known))


COMMAND = Command("theme", choose_theme, "[name]")
