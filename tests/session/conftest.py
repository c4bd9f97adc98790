"""A real store, and somebody to talk to in it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from lingque_tui.store import Store
from tests.session.players import Puppet


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with Store.open(tmp_path / "data" / "lingque.db") as store:
        yield store


@pytest.fixture
async def puppet() -> Puppet:
    return Puppet()
