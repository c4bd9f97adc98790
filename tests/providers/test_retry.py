"""The wait before another try."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lingque_tui.domain.errors import RateLimited, ServerFailed
from lingque_tui.providers.retry import retry_delay

PLAIN = ServerFailed(provider="p", detail="d")


@pytest.mark.parametrize(("attempt", "expected"), [(1, 0.5), (2, 1.0), (3, 2.0), (6, 16.0), (7, 20.0), (5000, 20.0)])
def test_the_wait_doubles_up_to_a_cap(attempt: int, expected: float) -> None:
    assert retry_delay(PLAIN, attempt, jitter=lambda: 1.0) == expected


@given(st.integers(1, 100), st.floats(0, 1, exclude_max=True))
def test_jitter_takes_away_half_at_most(attempt: int, share: float) -> None:
    whole = retry_delay(PLAIN, attempt, jitter=lambda: 1.0)
    assert whole / 2 <= retry_delay(PLAIN, attempt, jitter=lambda: share) <= whole


@pytest.mark.parametrize(("asked", "expected"), [(0, 0.0), (3, 3.0), (0.25, 0.25), (3600, 60.0), (-1, 0.0)])
def test_what_the_server_asked_for_is_honoured_up_to_a_minute(asked: float, expected: float) -> None:
    assert retry_delay(RateLimited(provider="p", detail="d", retry_after=asked), 5) == expected


def test_without_a_wish_of_the_server_the_wait_is_ours() -> None:
    error = RateLimited(provider="p", detail="d", retry_after=None)
    assert retry_delay(error, 1, jitter=lambda: 0.0) == 0.25
