"""The top of every task: whatever went wrong becomes something a person can read and act on."""

from __future__ import annotations

import re

from lingque_tui.config.masking import hide_secrets
from lingque_tui.domain.clean import clean_line
from lingque_tui.domain.errors import LingqueError

_WORD = re.compile(r"[\w.-]{8,}")


def as_lingque_error(error: BaseException) -> LingqueError:
    if isinstance(error, LingqueError):
        return error
    # The type and the message only: locals and arguments may hold keys, and even a message may quote one.
    told = hide_secrets(clean_line(f"{type(error).__name__}: {error}"))
    unexpected = LingqueError(detail=_WORD.sub(lambda word: hide_secrets(word[0]), told))
    unexpected.__cause__ = error
    return unexpected
