"""Every good value is in force, every bad one is explained, and nothing is ever raised."""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lingque_tui import i18n
from lingque_tui.config.loading import Loaded, load_config
from lingque_tui.config.paths import Paths, find_paths
from lingque_tui.config.schema import Config, ProviderSettings
from lingque_tui.config.settings import values_of
from lingque_tui.domain.clean import is_clean
from lingque_tui.domain.errors import ConfigUnreadable, SettingUnknown


@pytest.fixture
def paths(tmp_path: Path) -> Paths:
    return find_paths({"LINGQUE_HOME": str(tmp_path)})


@pytest.fixture
def chinese() -> Iterator[None]:
    i18n.use("zh")
    yield
    i18n.use("en")


def load(paths: Paths, text: str, environment: dict[str, str] | None = None, **flags: object) -> Loaded:
    paths.config_file.write_text(text, encoding="utf-8")
    return load_config(paths, environment or {}, flags)


def test_without_a_file_the_defaults_are_in_force(paths: Paths) -> None:
    loaded = load_config(paths, {})
    assert loaded.config == Config()
    assert loaded.problems == ()
    assert set(loaded.origins.values()) == {"default"}


def test_flags_win_over_the_environment_which_wins_over_the_file(paths: Paths) -> None:
    text = '[ui]\ntheme = "from-file"\n[chat]\nretries = 1\nreply_reserve = 7\n'
    environment = {"LINGQUE_UI_THEME": "from-variable", "LINGQUE_CHAT_RETRIES": "2"}
    loaded = load(paths, text, environment, **{"ui.theme": "from-flag", "chat.model": None})

    assert (loaded.config.ui.theme, loaded.config.chat.retries, loaded.config.chat.reply_reserve) == ("from-flag", 2, 7)
    assert loaded.origins["ui.theme"] == "flag"
    assert loaded.origins["chat.retries"] == "LINGQUE_CHAT_RETRIES"
    assert loaded.origins["chat.reply_reserve"] == "config.toml"
    assert loaded.origins["chat.model"] == "default"
    assert loaded.problems == ()


def test_every_setting_has_an_origin(paths: Paths) -> None:
    loaded = load(paths, '[providers.mine]\nbase_url = "http://127.0.0.1:1/v1"\n[models."glm/glm-4"]\nwindow = 9\n')
    assert list(loaded.origins) == [name for name, _ in values_of(loaded.config)]
    assert loaded.origins["providers.mine.base_url"] == "config.toml"
    assert loaded.origins["providers.mine.api_key_env"] == "default"
    assert loaded.origins['models."glm/glm-4".window'] == "config.toml"


@pytest.mark.parametrize(
    ("text", "key", "found", "expected"),
    [
        ("[chat]\ntemperature = 3", "chat.temperature", "3", "a number from 0 to 2"),
        ("[chat]\nretries = 1.5", "chat.retries", "1.5", "a whole number from 0 to 10"),
        ("[chat]\nretries = true", "chat.retries", "true", "a whole number from 0 to 10"),
        ("[chat]\nreply_reserve = -1", "chat.reply_reserve", "-1", "a whole number of at least 0"),
        ("[chat]\nstall_seconds = nan", "chat.stall_seconds", "nan", "a number above 0"),
        ("[chat]\nstall_seconds = inf", "chat.stall_seconds", "inf", "a number above 0"),
        ("[compaction]\nsafety_margin = 0", "compaction.safety_margin", "0", "a number above 0 and at most 1"),
        ('[ui]\nlanguage = "fr"', "ui.language", '"fr"', 'one of "auto", "en", "zh"'),
        ('[ui]\nmotion = "yes"', "ui.motion", '"yes"', "true or false"),
        ("[ui]\ntheme = 3", "ui.theme", "3", "text"),
        ("[ui]\ntheme = [1]", "ui.theme", "a list", "text"),
        ("ui = 3", "ui", "3", "a table"),
        ('providers = ["a"]', "providers", "a list", "a table"),
        ("[providers]\na = 3", "providers.a", "3", "a table"),
        ("[providers.a]", "providers.a.base_url", "missing", "text"),
        ('[providers.a]\nbase_url="x"\nmodels = "y"', "providers.a.models", '"y"', "a list of texts"),
        ("[models.m]\nwindow = 0", "models.m.window", "0", "a whole number of at least 1"),
        (f"[local]\nthreads = {'9' * 100}", "local.threads", "a very long number", "a whole number of at least 0"),
    ],
)
def test_a_wrong_value_is_explained(paths: Paths, text: str, key: str, found: str, expected: str) -> None:
    (problem,) = load(paths, text).problems
    assert problem.values["file"] == str(paths.config_file)
    assert {name: str(problem.values[name]) for name in ("key", "found", "expected")} == {
        "key": key,
        "found": found,
        "expected": expected,
    }
    assert key in problem.what


def test_only_the_broken_value_falls_back(paths: Paths) -> None:
    text = """
        [ui]
        theme = "mine"
        motion = "perhaps"
        [chat]
        retries = 9
        [providers.good]
        base_url = "http://127.0.0.1:1/v1"
        models = 3
        [providers.bad]
        base_url = 3
    """
    loaded = load(paths, text)
    assert (loaded.config.ui.theme, loaded.config.ui.motion, loaded.config.chat.retries) == ("mine", True, 9)
    assert loaded.config.providers == {"good": ProviderSettings(base_url="http://127.0.0.1:1/v1")}
    assert [p.values["key"] for p in loaded.problems] == [
        "ui.motion",
        "providers.good.models",
        "providers.bad.base_url",
    ]


def test_a_broken_variable_leaves_the_value_of_the_file(paths: Paths) -> None:
    loaded = load(paths, "[chat]\nretries = 5", {"LINGQUE_CHAT_RETRIES": "many"})
    assert loaded.config.chat.retries == 5
    assert loaded.origins["chat.retries"] == "config.toml"
    assert loaded.problems[0].what == (
        'LINGQUE_CHAT_RETRIES: `chat.retries` is "many", but a whole number from 0 to 10 was expected.'
    )


@pytest.mark.parametrize(
    ("text", "key", "hint"),
    [
        ("[ui]\ntehme = 1", "ui.tehme", "ui.theme"),
        ("[uii]\ntheme = 1", "uii", "ui"),
        ('theme = "x"', "theme", "ui.theme"),
        ("[ui]\ntemperature = 1", "ui.temperature", "chat.temperature"),
        ('[providers.a]\nbase_url = "x"\napi_key_en = "y"', "providers.a.api_key_en", "providers.a.api_key_env"),
    ],
)
def test_an_unknown_key_is_reported_with_what_was_meant(paths: Paths, text: str, key: str, hint: str) -> None:
    (problem,) = load(paths, text).problems
    assert isinstance(problem, SettingUnknown)
    assert f"`{key}`" in problem.what
    assert f"Did you mean `{hint}`?" in problem.what


def test_an_unknown_key_like_no_other_gets_no_guess(paths: Paths) -> None:
    (problem,) = load(paths, "[ui]\nxyzzy = 1").problems
    assert "Did you mean" not in problem.what


@pytest.mark.parametrize(
    "content",
    [b"[ui\ntheme=", b"\xff\xfe\x00", b"x = " + b"[" * 5000, b"x = " + b"9" * 5000, b"a = 1\na = 2"],
    ids=["syntax", "encoding", "nesting", "digits", "twice"],
)
def test_a_file_that_is_not_toml_is_one_problem(paths: Paths, content: bytes) -> None:
    paths.config_file.write_bytes(content)
    loaded = load_config(paths, {"LINGQUE_UI_THEME": "still-heard"})
    (problem,) = loaded.problems
    assert isinstance(problem, ConfigUnreadable)
    assert str(paths.config_file) in problem.what
    assert loaded.config.ui.theme == "still-heard"


def test_a_syntax_error_names_its_line(paths: Paths) -> None:
    (problem,) = load(paths, "[ui]\ntheme = \n").problems
    assert "line 2, column 9" in problem.what


def test_a_folder_in_place_of_the_file_is_one_problem(paths: Paths) -> None:
    paths.config_file.mkdir()
    loaded = load_config(paths, {})
    assert [type(problem) for problem in loaded.problems] == [ConfigUnreadable]
    assert loaded.config == Config()


def test_a_byte_order_mark_does_no_harm(paths: Paths) -> None:
    loaded = load(paths, '\ufeff[ui]\r\ntheme = "mine"\r\n')
    assert (loaded.config.ui.theme, loaded.problems) == ("mine", ())


def test_secrets_in_the_wrong_place_are_never_shown(paths: Paths) -> None:
    secret = "sk-abcdefghijklmnopqrstuvwx"
    text = f'[chat]\nmodel = "{secret}"\n[providers.a]\nbase_url = "x"\napi_key = "{secret}"\napi_key_env = "{secret}"'
    loaded = load(paths, text, {"LINGQUE_UI_LANGUAGE": secret})
    assert len(loaded.problems) == 4
    assert not any(secret in f"{problem.what}{problem}{problem.values}" for problem in loaded.problems)
    assert secret not in repr(loaded.config)


def test_terminal_escapes_reach_neither_settings_nor_problems(paths: Paths) -> None:
    text = '[ui]\ntheme = "a\\u001b[2Jb"\nlanguage = "\\u001b[2J"\n"\\u001b[2Jx" = 1\n[models."\\u001b[2Jm"]\n'
    loaded = load(paths, text)
    assert loaded.config.ui.theme == "ab"
    assert list(loaded.config.models) == ["m"]
    assert len(loaded.problems) == 2
    assert all(is_clean(problem.what) for problem in loaded.problems)


def test_problems_speak_the_language_chosen_after_loading(paths: Paths, chinese: None) -> None:
    i18n.use("en")
    (problem,) = load(paths, "[chat]\ntemperature = 3").problems
    i18n.use("zh")
    assert "数字（0 到 2）" in problem.what


@given(st.binary(max_size=200))
def test_no_bytes_make_loading_fail(tmp_path_factory: pytest.TempPathFactory, content: bytes) -> None:
    paths = find_paths({"LINGQUE_HOME": str(tmp_path_factory.getbasetemp())})
    paths.config_file.write_bytes(content)
    for problem in load_config(paths, {}).problems:
        assert is_clean(problem.what)


def test_a_normal_file_loads_in_ten_milliseconds(paths: Paths) -> None:
    text = '[ui]\ntheme = "x"\n[chat]\nretries = 2\n' + "".join(f'[models."m{n}"]\nwindow = 9\n' for n in range(20))
    load(paths, text)
    fastest = min(_seconds(paths) for _ in range(5))
    assert fastest < 0.01


def _seconds(paths: Paths) -> float:
    start = time.perf_counter()
    load_config(paths, {})
    return time.perf_counter() - start
