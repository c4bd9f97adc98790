"""`/rename title`: name this session."""

from lingque_tui.commands.desk import Desk
from lingque_tui.commands.registry import Command
from lingque_tui.domain.clean import clean_line
from lingque_tui.domain.errors import CommandError
from lingque_tui.i18n import t


async def rename_session(desk: Desk, arguments: str) -> None:
    if not clean_line(arguments):
        raise CommandError(detail=t("command_needs", usage="/rename title"))
    await desk.session.rename(arguments)


COMMAND = Command("rename", rename_session, "title")
