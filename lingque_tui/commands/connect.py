"""`/connect`: give a key, find a local server."""

from lingque_tui.commands.desk import Desk
from lingque_tui.commands.registry import Command


async def connect(desk: Desk, arguments: str) -> None:
    desk.open_page("connect")


COMMAND = Command("connect", connect)
