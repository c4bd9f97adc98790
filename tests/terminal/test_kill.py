"""The benchmark `kill_loop`, three times: what was said survives what nothing can catch."""

from __future__ import annotations

from pathlib import Path

import pytest

from benchmarks.kill_loop import EMBEDDED, SCRIPTED, Model, Outcome, kill_once, summary
from tests.support.scripts import Home, numbered


@pytest.mark.parametrize(
    ("model", "after_s"),
    [
        pytest.param(SCRIPTED, 0.3, id="before the first checkpoint"),
        pytest.param(SCRIPTED, 1.3, id="between checkpoints"),
        pytest.param(EMBEDDED, 1.0, id="the embedded model", marks=pytest.mark.embedded),
    ],
)
def test_a_kill_loses_less_than_a_second_and_leaves_nobody_behind(tmp_path: Path, model: Model, after_s: float) -> None:
    home = Home(tmp_path)
    home.script(numbered(1000), delay_s=0.01)
    outcome = kill_once(home, model, after_s)
    assert outcome.is_good, outcome.row
    assert outcome.reply_characters > 0


def test_one_bad_run_shows_in_the_summary() -> None:
    good = Outcome("scripted", 1.0, True, 100, 0.2, True, 0)
    bad = Outcome("scripted", 1.0, False, 100, 1.2, True, 1)
    assert good.is_good and not bad.is_good
    assert summary([good, bad]) == ("2 kills: message kept 1/2, worst loss 1.20 s (limit 1), integrity 2/2, orphans 1")
