"""Keys are kept for their owner only and are never shown in full."""

from __future__ import annotations

import stat
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lingque_tui.config.credentials import credentials_problem, read_credentials, save_credential
from lingque_tui.config.masking import hide_secrets, looks_secret, mask
from lingque_tui.config.paths import Paths, find_paths
from lingque_tui.domain.errors import ConfigUnreadable


@pytest.fixture
def paths(tmp_path: Path) -> Paths:
    return find_paths({"LINGQUE_HOME": str(tmp_path / "home")})


def test_what_was_saved_is_read(paths: Paths) -> None:
    assert read_credentials(paths) == {}
    save_credential(paths, "deepseek", "sk-one")
    save_credential(paths, "my.server", " sk-two\n")
    save_credential(paths, "deepseek", "sk-three")
    assert read_credentials(paths) == {"deepseek": "sk-three", "my.server": "sk-two"}


def test_the_file_is_private(paths: Paths) -> None:
    save_credential(paths, "deepseek", "sk-one")
    assert stat.S_IMODE(paths.credentials_file.stat().st_mode) == 0o600


def test_a_file_left_open_to_others_is_closed_on_the_next_save(paths: Paths) -> None:
    paths.config.mkdir()
    paths.credentials_file.write_text('a = "b"\n', encoding="utf-8")
    paths.credentials_file.chmod(0o644)
    save_credential(paths, "deepseek", "sk-one")
    assert stat.S_IMODE(paths.credentials_file.stat().st_mode) == 0o600


def test_an_empty_key_forgets(paths: Paths) -> None:
    save_credential(paths, "deepseek", "sk-one")
    save_credential(paths, "deepseek", "")
    save_credential(paths, "never-there", "")
    assert read_credentials(paths) == {}


def test_a_broken_file_holds_no_keys_and_is_not_overwritten(paths: Paths) -> None:
    paths.config.mkdir()
    paths.credentials_file.write_text('a = "b', encoding="utf-8")
    assert read_credentials(paths) == {}
    assert isinstance(credentials_problem(paths), ConfigUnreadable)
    with pytest.raises(ConfigUnreadable):
        save_credential(paths, "deepseek", "sk-one")
    assert paths.credentials_file.read_text("utf-8") == 'a = "b'


def test_what_is_no_key_is_passed_over(paths: Paths) -> None:
    paths.config.mkdir()
    paths.credentials_file.write_text('a = 3\nb = ""\nc = "k"\n[d]\n', encoding="utf-8")
    assert read_credentials(paths) == {"c": "k"}
    assert credentials_problem(paths) is None


@pytest.mark.parametrize(
    ("key", "shown"),
    [
        ("sk-0123456789abcdefa1b2", "sk-…a1b2"),
        ("0123456789abcdef0123456789abcdef", "…cdef"),
        ("sk-short", "••••"),
        ("", "••••"),
    ],
)
def test_a_mask_tells_keys_apart(key: str, shown: str) -> None:
    assert mask(key) == shown


@given(st.text(min_size=1, max_size=80))
def test_a_mask_never_shows_more_than_four_characters_of_the_end(key: str) -> None:
    shown = mask(key)
    assert len(shown.partition("…")[2]) <= 4
    assert key not in shown or key in "••••"


@pytest.mark.parametrize(
    "text", ["lingque-dark", "deepseek/deepseek-chat", "OPENAI_API_KEY", "http://127.0.0.1:11434", "auto", "sk-"]
)
def test_ordinary_settings_are_no_secrets(text: str) -> None:
    assert not looks_secret(text)
    assert hide_secrets(text) == text


def test_a_password_in_an_address_is_hidden() -> None:
    assert hide_secrets("https://me:secret@host/v1") == "https://••••@host/v1"
