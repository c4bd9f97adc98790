"""`/retry`: ask for a reply to the last message again."""

from lingque_tui.commands.desk import Desk
from lingque_tui.commands.registry import Command
from lingque_tui.domain.errors import CommandError
from lingque_tui.i18n import t


async def retry(desk: Desk, arguments: str) -> None:
    if desk.session.is_busy:
        raise CommandError(detail=t("retry_busy"))
    if not desk.session.waiting and not await desk.session.count():
        raise CommandError(detail=t("retry_nothing"))
    desk.session.retry()


COMMAND = Command("retry", retry)
