"""`/quit`: leave. Everything is on disk already."""

from lingque_tui.commands.desk import Desk
from lingque_tui.commands.registry import Command


async def leave(desk: Desk, arguments: str) -> None:
    desk.leave()


COMMAND = Command("quit", leave)
