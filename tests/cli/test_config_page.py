"""The page tells every value, who said so, and what is wrong, without telling secrets."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from lingque_tui import i18n
from lingque_tui.cli.columns import cells, pad
from lingque_tui.cli.config_page import config_as_json, render_config
from lingque_tui.config.loading import load_config
from lingque_tui.config.paths import Paths, find_paths
from lingque_tui.config.schema import Config
from lingque_tui.config.settings import values_of
from lingque_tui.domain.clean import is_clean

SECRET = "sk-abcdefghijklmnopqrstuvwx"


@pytest.fixture
def paths(tmp_path: Path) -> Paths:
    return find_paths({"LINGQUE_HOME": str(tmp_path)})


@pytest.fixture
def chinese() -> Iterator[None]:
    i18n.use("zh")
    yield
    i18n.use("en")


def row(page: str, name: str) -> list[str]:
    return next(line for line in page.splitlines() if line.startswith(f"{name} ")).split()


def test_every_setting_is_there_with_its_value_and_origin(paths: Paths) -> None:
    paths.config_file.write_text('[ui]\ntheme = "mine"\n', encoding="utf-8")
    page = render_config(load_config(paths, {"LINGQUE_UI_MOTION": "off"}, {"chat.retries": 1}), paths)
    assert row(page, "ui.theme") == ["ui.theme", "=", '"mine"', "config.toml"]
    assert row(page, "ui.motion") == ["ui.motion", "=", "false", "LINGQUE_UI_MOTION"]
    assert row(page, "chat.retries") == ["chat.retries", "=", "1", "command", "line"]
    assert row(page, "chat.temperature") == ["chat.temperature", "=", "–", "default"]
    assert all(f"\n{name} " in page for name, _ in values_of(Config()))


def test_the_file_is_named_and_its_absence_told(paths: Paths) -> None:
    assert f"File: {paths.config_file} (not there yet" in render_config(load_config(paths, {}), paths)
    paths.config_file.touch()
    assert f"File: {paths.config_file}\n" in render_config(load_config(paths, {}), paths)


def test_problems_come_first_and_each_remedy_once(paths: Paths) -> None:
    paths.config_file.write_text("[ui]\ntheme = 1\nmotion = 1\ntehme = 1\n", encoding="utf-8")
    lines = render_config(load_config(paths, {}), paths).splitlines()
    assert [line[0] for line in lines[:3]] == ["✗"] * 3
    assert sum("Defaults are used" in line for line in lines) == 1
    assert lines[5] == ""


def test_equal_signs_and_origins_line_up_in_chinese_too(paths: Paths, chinese: None) -> None:
    paths.config_file.write_text('[models."智谱/glm-4"]\nvocabulary = "词表"\n', encoding="utf-8")
    page = render_config(load_config(paths, {}), paths).splitlines()
    rows = page[page.index("") + 1 :]
    assert len({cells(line.partition(" = ")[0]) for line in rows}) == 1
    starts = [line.rindex("  ") for line in rows]
    assert len({cells(line[:start]) for line, start in zip(rows, starts, strict=True)}) == 1


def test_columns_count_cells() -> None:
    assert (cells("灵雀a"), pad("灵", 4), cells("e\u0301")) == (5, "灵  ", 1)


def test_secrets_and_escapes_are_not_shown(paths: Paths) -> None:
    text = f'[providers.a]\nbase_url = "http://me:{SECRET}@host/v1"\nmodels = ["{SECRET}", "m\\u001b[2J"]\n'
    paths.config_file.write_text(text, encoding="utf-8")
    loaded = load_config(paths, {})
    page = render_config(loaded, paths)
    assert "http://••••@host/v1" in page
    assert SECRET not in page
    assert SECRET not in json.dumps(config_as_json(loaded, paths))
    assert is_clean(page)


def test_a_program_reads_the_same(paths: Paths) -> None:
    paths.config_file.write_text("[ui]\nmotion = 3\n[chat]\nretries = 1\n", encoding="utf-8")
    page = json.loads(json.dumps(config_as_json(load_config(paths, {}), paths)))
    assert page["file"] == str(paths.config_file)
    assert page["exists"] is True
    assert page["settings"]["chat.retries"] == {"value": 1, "origin": "config.toml"}
    (problem,) = page["problems"]
    assert (problem["key"], problem["found"], problem["expected"]) == ("ui.motion", "3", "true or false")
