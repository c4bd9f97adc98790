"""House rules that no linter sees: what importing costs, how long a file is, that each says why it exists."""

from __future__ import annotations

import ast
import subprocess
import sys
from pathlib import Path

import pytest

import lingque_tui

ROOT = Path(__file__).parents[1]
PACKAGE = Path(lingque_tui.__file__).parent
MODULES = sorted(PACKAGE.rglob("*.py"))
LONGEST = 400
HEAVY = ("textual", "rich", "openai", "httpx", "xllamacpp", "typer", "splintr", "tiktoken", "genai_prices")
ROOMS = (
    "lingque_tui",
    "lingque_tui.session.face",
    "lingque_tui.session.engine",
    "lingque_tui.commands.registry",
    "lingque_tui.store",
    "lingque_tui.config.loading",
    "lingque_tui.tokens",
    "lingque_tui.providers.connections",
)


@pytest.mark.parametrize("room", ROOMS)
def test_importing_a_room_loads_nothing_heavy(room: str) -> None:
    code = f"import {room}, sys; print(*(name for name in {HEAVY!r} if name in sys.modules))"
    answer = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=ROOT)
    assert answer.stdout.split() == []


def test_every_command_can_be_loaded_without_a_screen() -> None:
    code = (
        "from lingque_tui.commands.registry import load_commands; import sys; assert not load_commands().failed;"
        " print(*(name for name in ('textual', 'rich', 'openai') if name in sys.modules))"
    )
    answer = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=ROOT)
    assert answer.stdout.split() == []


def test_no_file_is_too_long_to_be_read() -> None:
    try:
        listed = subprocess.run(["git", "ls-files", "*.py"], capture_output=True, text=True, check=True, cwd=ROOT)
    except (OSError, subprocess.CalledProcessError):
        pytest.skip("not a git checkout")
    paths = [ROOT / line for line in listed.stdout.splitlines()]
    lengths = {str(path.relative_to(ROOT)): len(path.read_bytes().splitlines()) for path in paths if path.exists()}
    assert lengths
    assert {name: length for name, length in lengths.items() if length > LONGEST} == {}


@pytest.mark.parametrize("path", MODULES, ids=lambda path: str(path.relative_to(PACKAGE)))
def test_every_module_says_why_it_exists(path: Path) -> None:
    assert ast.get_docstring(ast.parse(path.read_text(encoding="utf-8")))
