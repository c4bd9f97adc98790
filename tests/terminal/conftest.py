"""The program itself, in a terminal that is real but for the glass."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.scripts import Home


@pytest.fixture
def home(tmp_path: Path) -> Home:
    """Where a scripted model says one short sentence; tests that need more write their own script."""
    home = Home(tmp_path)
    home.script("The quick brown fox answers.")
    return home
