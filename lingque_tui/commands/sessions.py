"""`/sessions [words]`: list, search by title, switch. One hit is opened at once."""

from lingque_tui.commands.desk import Desk
from lingque_tui.commands.registry import Command


async def show_sessions(desk: Desk, arguments: str) -> None:
    if arguments:
        found = await desk.workspace.store.sessions(search=arguments)
        if len(found) == 1:
            await desk.open_session(found[0].id)
            return
    desk.open_page("sessions")


COMMAND = Command("sessions", show_sessions, "[words]")
