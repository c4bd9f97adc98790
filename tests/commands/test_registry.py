"""Finding commands, reading a typed line, completing it."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lingque_tui import commands, i18n
from lingque_tui.commands.registry import Command, Registry, load_commands
from lingque_tui.domain.errors import CommandError

OURS = ("connect", "help", "model", "new", "quit", "rename", "retry", "sessions", "theme")


@pytest.fixture(scope="module")
def registry() -> Registry:
    return load_commands()


def names(found: tuple[Command, ...]) -> list[str]:
    return [command.name for command in found]


def test_every_command_is_found_and_described_in_every_language(registry: Registry) -> None:
    assert tuple(sorted(registry.commands)) == OURS and registry.failed == ()
    for name, command in registry.commands.items():
        assert command.name == name
        for language in i18n.languages():
            i18n.use(language)
            assert command.summary != f"command.{name}"


def test_completion_offers_what_begins_so(registry: Registry) -> None:
    assert names(registry.complete("/")) == list(OURS)
    assert names(registry.complete("/RE")) == ["rename", "retry"]
    assert names(registry.complete("/x")) == []


@pytest.mark.parametrize("line", ["", "new", " /new", "/new ", "/new title", "/new\n", "/new\t"])
def test_completion_is_silent_where_there_is_no_name_to_complete(registry: Registry, line: str) -> None:
    assert registry.complete(line) == ()


@pytest.mark.parametrize(
    ("line", "name", "arguments"),
    [
        ("/new", "new", ""),
        ("/NEW", "new", ""),
        ("/new   A title ", "new", "A title"),
        ("/rename\ttabbed", "rename", "tabbed"),
        ("/rename 第一行\n第二行", "rename", "第一行\n第二行"),
        ("/rename\nbelow", "rename", "below"),
        ("/theme /odd", "theme", "/odd"),
    ],
)
def test_a_command_is_read_with_its_arguments(registry: Registry, line: str, name: str, arguments: str) -> None:
    parsed = registry.parse(line)
    assert parsed is not None
    assert (parsed[0].name, parsed[1]) == (name, arguments)


@pytest.mark.parametrize(
    "line",
    ["", "hello", "/", "/ new", "//", "// a comment", "/* c */", "/usr/bin/env", "/usr/bin is a path", "/新的", "/-",
     "/--help", "/new!", "/a.txt", "1/2", " /new"],
)  # fmt: skip
def test_paths_and_comments_are_something_a_person_says(registry: Registry, line: str) -> None:
    assert registry.parse(line) is None


@pytest.mark.parametrize(("line", "near"), [("/modle", "/model"), ("/Renam x", "/rename"), ("/session", "/sessions")])
def test_an_unknown_command_is_told_with_a_near_one(registry: Registry, line: str, near: str) -> None:
    with pytest.raises(CommandError) as unknown:
        registry.parse(line)
    assert near in unknown.value.what and "/help" in unknown.value.next_step


def test_an_unknown_command_near_none_is_told_shortly(registry: Registry) -> None:
    with pytest.raises(CommandError) as unknown:
        registry.parse("/" + "z" * 5000)
    assert len(unknown.value.what) < 100


@given(st.text())
def test_any_line_is_a_command_or_said_or_refused(line: str) -> None:
    known = Registry({"new": Command("new", _nothing)})
    try:
        parsed = known.parse(line)
    except CommandError:
        assert line.startswith("/")
    else:
        assert parsed is None or line.lower().startswith("/new")
    known.complete(line)


# Files of others


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A second place for command files."""
    monkeypatch.setattr(commands, "__path__", [*commands.__path__, str(tmp_path)])
    return tmp_path


BROKEN = {
    "broken_syntax": "def (",
    "broken_import": "import there_is_no_such_module",
    "broken_nothing": "x = 1",
    "broken_kind": "COMMAND = 'not a command'",
    "broken_exit": "raise SystemExit(3)",
    "broken_raise": r"raise RuntimeError('escape \x1b[2J inside')",
    "broken_twice": (
        "from lingque_tui.commands.registry import Command\n"
        "async def run(desk, arguments): ...\n"
        "COMMAND = Command('help', run)"
    ),
}


@pytest.mark.parametrize("name", BROKEN)
def test_a_broken_command_file_is_a_notice_and_the_others_work(folder: Path, name: str) -> None:
    (folder / f"{name}.py").write_text(BROKEN[name], encoding="utf-8")
    try:
        registry = load_commands()
    finally:
        sys.modules.pop(f"lingque_tui.commands.{name}", None)
    assert tuple(sorted(registry.commands)) == OURS
    ((failed, detail),) = registry.failed
    assert failed == name and detail and "\x1b" not in detail


def test_a_new_command_is_one_file(folder: Path) -> None:
    (folder / "wave.py").write_text(
        "from lingque_tui.commands.registry import Command\n"
        "async def wave(desk, arguments): desk.say(arguments)\n"
        "COMMAND = Command('wave', wave, 'whom')",
        encoding="utf-8",
    )
    try:
        registry = load_commands()
    finally:
        sys.modules.pop("lingque_tui.commands.wave", None)
    assert registry.failed == () and registry.commands["wave"].needs_arguments
    assert names(registry.complete("/w")) == ["wave"]


async def _nothing(desk: object, arguments: str) -> None: ...
