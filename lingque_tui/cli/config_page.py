"""`lingque config`: every setting, its value and who said so. It shows and never changes; secrets stay hidden."""

from __future__ import annotations

from lingque_tui.cli.columns import cells, pad
from lingque_tui.config.files import is_there
from lingque_tui.config.loading import DEFAULT, FLAG, Loaded
from lingque_tui.config.masking import hide_secrets
from lingque_tui.config.paths import Paths
from lingque_tui.config.settings import values_of
from lingque_tui.config.words import show
from lingque_tui.domain.clean import clean_line
from lingque_tui.domain.errors import ConfigError
from lingque_tui.i18n import t

_WIDEST_VALUE = 40
"""A long address pushes only its own origin to the right, not everybody's."""
_LONGEST_VALUE = 300


def render_config(loaded: Loaded, paths: Paths) -> str:
    rows = [(name, _as_toml(value), _origin(loaded.origins[name])) for name, value in values_of(loaded.config)]
    names = max(cells(name) for name, _, _ in rows)
    values = min(_WIDEST_VALUE, max(cells(value) for _, value, _ in rows))
    lines = [f"{pad(name, names)} = {pad(value, values)}  {origin}" for name, value, origin in rows]
    return "\n".join([*_render_problems(loaded.problems), _file_line(paths), "", *lines])


def config_as_json(loaded: Loaded, paths: Paths) -> dict[str, object]:
    return {
        "file": str(paths.config_file),
        "exists": is_there(paths.config_file),
        "settings": {
            name: {"value": _as_json(value), "origin": loaded.origins[name]} for name, value in values_of(loaded.config)
        },
        "problems": [
            {name: str(problem.values[name]) for name in ("file", "key", "found", "expected")}
            | {"what": problem.what, "next": problem.next_step}
            for problem in loaded.problems
        ],
    }


def _render_problems(problems: tuple[ConfigError, ...]) -> list[str]:
    """What is wrong, one line each, then what to do, once."""
    if not problems:
        return []
    steps = dict.fromkeys(problem.next_step for problem in problems)
    return [*(f"✗ {problem.what}" for problem in problems), *(f"  → {step}" for step in steps), ""]


def _file_line(paths: Paths) -> str:
    key = "config.page.file" if is_there(paths.config_file) else "config.page.absent"
    return t(key, path=clean_line(str(paths.config_file)))


def _origin(origin: str) -> str:
    return t(f"config.page.{origin}") if origin in (DEFAULT, FLAG) else origin


def _as_toml(value: object) -> str:
    if value is None:
        return "–"
    if isinstance(value, tuple):
        return f"[{', '.join(str(show(item)) for item in value)}]"
    return str(show(value, _LONGEST_VALUE))


def _as_json(value: object) -> object:
    if isinstance(value, tuple):
        return [_as_json(item) for item in value]
    return hide_secrets(value) if isinstance(value, str) else value
