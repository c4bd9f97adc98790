"""How long to wait before a request is sent again. Whether it is sent again at all is the engine's decision."""

from __future__ import annotations

import random
from collections.abc import Callable

from lingque_tui.domain.errors import ProviderError

_FIRST_S = 0.5
_LONGEST_S = 20.0
_LONGEST_ASKED_S = 60.0
"""A server that asks for more than a minute is better told to the person than waited for."""


def retry_delay(error: ProviderError, attempt: int, jitter: Callable[[], float] = random.random) -> float:
    """Seconds before attempt number `attempt` + 1 (the first is 1).

    What the server asked for goes first. Otherwise the wait doubles, of which half is left to `jitter`
    (a number in [0, 1)), so that many clients don't come back in the same moment."""
    asked = error.values.get("retry_after")
    if isinstance(asked, int | float):
        return min(max(0.0, float(asked)), _LONGEST_ASKED_S)
    delay = min(_LONGEST_S, _FIRST_S * 2.0 ** min(max(0, attempt - 1), 16))
    return delay * (0.5 + 0.5 * jitter())
