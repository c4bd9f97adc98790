"""A changed setting changes one line; comments, order and other people's mistakes stay."""

from __future__ import annotations

import stat
import tomllib
from pathlib import Path

import pytest

from lingque_tui.config.editing import set_value
from lingque_tui.config.loading import load_config
from lingque_tui.config.paths import Paths, find_paths
from lingque_tui.domain.errors import ConfigError, ConfigUnreadable, SettingUnknown

COMMENTED = """\
# mine, with care
[ui]
theme = "lingque-dark"   # easy on the eyes
language = "zh"

[chat] # talk
retries = 2
"""


@pytest.fixture
def paths(tmp_path: Path) -> Paths:
    return find_paths({"LINGQUE_HOME": str(tmp_path / "home")})


def write(paths: Paths, text: str) -> None:
    paths.config.mkdir(exist_ok=True)
    paths.config_file.write_text(text, encoding="utf-8")


def test_only_the_value_changes(paths: Paths) -> None:
    write(paths, COMMENTED)
    set_value(paths, "ui.theme", "lingque-light")
    assert paths.config_file.read_text("utf-8") == COMMENTED.replace("lingque-dark", "lingque-light")


def test_a_new_section_is_added_below(paths: Paths) -> None:
    write(paths, COMMENTED)
    set_value(paths, "compaction.enabled", False)
    text = paths.config_file.read_text("utf-8")
    assert text.startswith(COMMENTED)
    assert tomllib.loads(text)["compaction"] == {"enabled": False}


def test_a_new_file_says_what_it_is_and_is_private(paths: Paths) -> None:
    set_value(paths, "ui.theme", "lingque-light")
    text = paths.config_file.read_text("utf-8")
    assert text.startswith("# Settings of Lingque.")
    assert tomllib.loads(text) == {"ui": {"theme": "lingque-light"}}
    assert stat.S_IMODE(paths.config_file.stat().st_mode) == 0o600
    assert stat.S_IMODE(paths.config.stat().st_mode) == 0o700


def test_what_was_set_is_what_is_loaded(paths: Paths) -> None:
    set_value(paths, "chat.temperature", 0.5)
    set_value(paths, ("models", "glm/glm-4.5", "window"), 128_000)
    set_value(paths, "providers.mine.base_url", "http://127.0.0.1:1/v1")
    set_value(paths, "providers.mine.models", ["a", "b"])
    loaded = load_config(paths, {})
    assert loaded.problems == ()
    assert loaded.config.chat.temperature == 0.5
    assert loaded.config.models["glm/glm-4.5"].window == 128_000
    assert loaded.config.providers["mine"].models == ("a", "b")


def test_none_takes_a_value_out(paths: Paths) -> None:
    write(paths, COMMENTED)
    set_value(paths, "chat.retries", None)
    set_value(paths, "chat.temperature", None)
    assert tomllib.loads(paths.config_file.read_text("utf-8"))["chat"] == {}


@pytest.mark.parametrize(
    ("content", "key", "value", "error"),
    [
        ("[ui\n", "ui.theme", "x", ConfigUnreadable),
        ("", "ui.tehme", "x", SettingUnknown),
        ("", "ui", "x", SettingUnknown),
        ("", "providers.a.nope", "x", SettingUnknown),
        ("", "chat.retries", 99, ConfigError),
        ("ui = 3\n", "ui.theme", "x", ConfigError),
    ],
)
def test_a_refused_change_leaves_the_file_alone(
    paths: Paths, content: str, key: str, value: object, error: type[ConfigError]
) -> None:
    write(paths, content)
    with pytest.raises(error):
        set_value(paths, key, value)
    assert paths.config_file.read_text("utf-8") == content
    assert [path.name for path in paths.config.iterdir()] == ["config.toml"]


def test_a_link_stays_a_link(paths: Paths, tmp_path: Path) -> None:
    dotfile = tmp_path / "dotfiles.toml"
    dotfile.write_text(COMMENTED, encoding="utf-8")
    paths.config.mkdir()
    paths.config_file.symlink_to(dotfile)
    set_value(paths, "chat.retries", 5)
    assert paths.config_file.is_symlink()
    assert tomllib.loads(dotfile.read_text("utf-8"))["chat"] == {"retries": 5}
