"""`/new [title]`: a fresh session; the old one stays."""

from lingque_tui.commands.desk import Desk
from lingque_tui.commands.registry import Command


async def start_session(desk: Desk, arguments: str) -> None:
    await desk.open_session(None)
    if arguments:
        await desk.session.rename(arguments)


COMMAND = Command("new", start_session, "[title]")
