"""One rule makes every variable's name, and its text is read by the setting's type."""

from __future__ import annotations

from pathlib import Path

import pytest

from lingque_tui.config.environment import variables
from lingque_tui.config.loading import Loaded, load_config
from lingque_tui.config.paths import find_paths
from lingque_tui.config.schema import Config
from lingque_tui.config.settings import values_of
from lingque_tui.domain.errors import SettingUnknown


def load(folder: Path, **environment: str) -> Loaded:
    return load_config(find_paths({"LINGQUE_HOME": str(folder)}), environment)


def test_each_setting_has_one_variable_and_no_two_share_one() -> None:
    names = [name for name, _ in values_of(Config())]
    assert list(variables().values()) == names
    assert variables()["LINGQUE_LOCAL_MODEL_PATH"] == "local.model_path"


@pytest.mark.parametrize(
    ("text", "expected"),
    [(word, True) for word in ("true", "1", "on", "yes", "True", " ON ")]
    + [(word, False) for word in ("false", "0", "off", "no", "No")],
)
def test_switches_understand_usual_words(tmp_path: Path, text: str, expected: bool) -> None:
    loaded = load(tmp_path, LINGQUE_UI_MOTION=text)
    assert (loaded.config.ui.motion, loaded.problems) == (expected, ())


def test_numbers_and_texts_are_read_by_type(tmp_path: Path) -> None:
    loaded = load(
        tmp_path,
        LINGQUE_CHAT_TEMPERATURE="0.7",
        LINGQUE_LOCAL_THREADS=" 4 ",
        LINGQUE_UI_THEME="123",
        LINGQUE_UI_LANGUAGE="zh",
    )
    assert (loaded.config.chat.temperature, loaded.config.local.threads) == (0.7, 4)
    assert (loaded.config.ui.theme, loaded.config.ui.language, loaded.problems) == ("123", "zh", ())


@pytest.mark.parametrize(
    ("variable", "text"),
    [
        ("LINGQUE_UI_MOTION", "perhaps"),
        ("LINGQUE_CHAT_TEMPERATURE", "2.5"),
        ("LINGQUE_CHAT_TEMPERATURE", "nan"),
        ("LINGQUE_CHAT_STALL_SECONDS", "inf"),
        ("LINGQUE_CHAT_STALL_SECONDS", "1e999"),
        ("LINGQUE_CHAT_RETRIES", "9" * 5000),
        ("LINGQUE_UI_LANGUAGE", "EN\x1b[2J"),
    ],
)
def test_what_does_not_fit_is_a_problem_and_the_default_stays(tmp_path: Path, variable: str, text: str) -> None:
    loaded = load(tmp_path, **{variable: text})
    assert [problem.values["file"] for problem in loaded.problems] == [variable]
    assert loaded.config == Config()


def test_an_empty_variable_is_not_set(tmp_path: Path) -> None:
    loaded = load(tmp_path, LINGQUE_UI_THEME="", LINGQUE_CHAT_RETRIES="")
    assert (loaded.config, loaded.problems) == (Config(), ())


def test_a_misspelt_variable_is_reported(tmp_path: Path) -> None:
    (problem,) = load(tmp_path, LINGQUE_UI_TEHME="x").problems
    assert isinstance(problem, SettingUnknown)
    assert "`LINGQUE_UI_TEHME`" in problem.what
    assert "Did you mean `LINGQUE_UI_THEME`?" in problem.what


def test_variables_that_are_no_settings_are_left_alone(tmp_path: Path) -> None:
    others = ("LINGQUE_HOME", "LINGQUE_BASE_URL", "LINGQUE_API_KEY", "LINGQUE_SCRIPTED", "LINGQUEUI_X", "UI_THEME")
    assert load(tmp_path, **dict.fromkeys(others, "x")).problems == ()
