"""`/model [provider/model]`: who answers from now on."""

from lingque_tui.commands.desk import Desk
from lingque_tui.commands.registry import Command


async def choose_model(desk: Desk, arguments: str) -> None:
    if arguments:
        await desk.use_model(arguments)
    else:
        desk.open_page("models")


COMMAND = Command("model", choose_model, "[provider/model]")
