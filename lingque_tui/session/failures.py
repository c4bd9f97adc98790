"""The top of every task: whatever went wrong becomes something a person can read and act on."""

from __future__ import annotations

from lingque_tui.config.masking import hide_secrets_in
from lingque_tui.domain.clean import clean_line
from lingque_tui.domain.errors import LingqueError


def as_lingque_error(error: BaseException) -> LingqueError:
    if isinstance(error, LingqueError):
        return error
    # The type and the message only: locals and arguments may hold keys, and even a message may quote one.
    unexpected = LingqueError(detail=hide_secrets_in(clean_line(f"{type(error).__name__}: {error}")))
    unexpected.__cause__ = error
    return unexpected
