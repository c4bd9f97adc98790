"""`/help`: keys and commands."""

from lingque_tui.commands.desk import Desk
from lingque_tui.commands.registry import Command


async def show_help(desk: Desk, arguments: str) -> None:
    desk.open_page("help")


COMMAND = Command("help", show_help)
