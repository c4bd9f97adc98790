from pathlib import Path

import pytest

from lingque_tui.providers import connections
from tests.support.scripts import Home
from tests.ui.chat import Puppet


@pytest.fixture(autouse=True)
def without_embedded_model(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nobody answers but whom the test brings along."""
    monkeypatch.setattr(connections, "can_run_local", lambda: False)


@pytest.fixture
def home(tmp_path: Path) -> Home:
    home = Home(tmp_path)
    home.script("Hello.")
    return home


@pytest.fixture
def puppet() -> Puppet:
    return Puppet()
