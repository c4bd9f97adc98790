"""What `lingque doctor` makes of what was found: pure judgements, each with what to do about it."""

from __future__ import annotations

import os
import shlex
import shutil
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from lingque_tui.cli.surroundings import Broken, Embedded, Terminal
from lingque_tui.config.credentials import credentials_problem
from lingque_tui.config.files import is_there
from lingque_tui.config.loading import Loaded
from lingque_tui.config.masking import hide_secrets, mask
from lingque_tui.config.paths import Paths
from lingque_tui.domain.clean import clean_line
from lingque_tui.i18n import t

if TYPE_CHECKING:
    from lingque_tui.providers.connections import Connection

Area = Literal["terminal", "python", "sqlite", "store", "tokens", "config", "keys", "servers", "embedded", "model"]
State = Literal["ok", "note", "problem"]

_OLDEST_PYTHON = (3, 11)
_OLDEST_SQLITE = (3, 51, 3)
"""Before it, a checkpoint at the wrong moment could lose writes of the write-ahead log."""
_LEAST_COLUMNS, _LEAST_LINES = 80, 24
_LEAST_FREE_BYTES = 100_000_000


@dataclass(frozen=True, slots=True)
class Finding:
    area: Area
    state: State
    text: str
    fix: str = ""
    """What to do; empty where all is well."""


def check_terminal(terminal: Terminal) -> Iterator[Finding]:
    if not terminal.is_tty:
        yield _note("terminal", "not_a_tty")
    elif terminal.term in ("", "dumb"):
        yield _problem("terminal", "dumb", term=terminal.term or "–")
    else:
        yield _ok("terminal", "term", term=terminal.term)
    if not terminal.has_truecolor:
        yield _note("terminal", "few_colours")
    if terminal.columns < _LEAST_COLUMNS or terminal.lines < _LEAST_LINES:
        yield _note("terminal", "small", columns=terminal.columns, lines=terminal.lines)
    if "utf8" not in _plain(terminal.encoding):
        yield _problem("terminal", "not_utf8", encoding=terminal.encoding)
    elif "utf8" not in _plain(terminal.locale) and sys.platform not in ("win32", "darwin"):
        yield _note("terminal", "locale", locale=terminal.locale or "–")


def check_python(version: tuple[int, int, int]) -> Finding:
    shown = ".".join(map(str, version))
    if version[:2] < _OLDEST_PYTHON:
        return _problem("python", "python_old", version=shown)
    return _ok("python", "python", version=shown)


def check_sqlite(version: str | Broken) -> Finding:
    if isinstance(version, Broken):
        return _problem("sqlite", "sqlite_broken", reason=version.reason)
    numbers = tuple(int(number) for number in version.split(".") if number.isdigit())
    return (_ok if numbers >= _OLDEST_SQLITE else _note)("sqlite", "sqlite", version=version)


def check_store(paths: Paths) -> Iterator[Finding]:
    folder = paths.data
    existing = next(path for path in (folder, *folder.parents) if os.access(path, os.F_OK))
    if not os.access(existing, os.W_OK | os.X_OK) or not existing.is_dir():
        yield _problem("store", "store_unwritable", path=_shown(existing))
        return
    yield _ok("store", "store" if existing == folder else "store_to_be_made", path=_shown(folder))
    if (free := shutil.disk_usage(existing).free) < _LEAST_FREE_BYTES:
        yield _note("store", "store_full", free=free // 1_000_000)
    for path, mode in ((folder, "700"), (paths.store, "600"), (paths.credentials_file, "600")):
        if _is_open_to_others(path):
            yield _problem("store", "store_open", path=_shown(path), mode=mode, quoted=shlex.quote(_shown(path)))


def check_tokens(vocabularies: tuple[str, ...] | Broken) -> Finding:
    if isinstance(vocabularies, Broken):
        return _problem("tokens", "tokens_broken", reason=vocabularies.reason)
    return _ok("tokens", "tokens", count=len(vocabularies), names=", ".join(vocabularies))


def check_config(loaded: Loaded, paths: Paths) -> Iterator[Finding]:
    problems = [*loaded.problems, *filter(None, [credentials_problem(paths)])]
    for problem in problems:
        yield Finding("config", "problem", problem.what, problem.next_step)
    if not problems:
        yield _ok(
            "config", "config" if is_there(paths.config_file) else "config_absent", path=_shown(paths.config_file)
        )


def check_keys(connections: tuple[Connection, ...] | Broken, environment: Mapping[str, str]) -> Iterator[Finding]:
    if isinstance(connections, Broken):
        yield _problem("keys", "keys_broken", reason=connections.reason)
        return
    hosted = [connection for connection in connections if connection.kind == "openai"]
    if not hosted:
        yield _note("keys", "no_keys")
    for connection in hosted:
        named = {"title": clean_line(connection.title), "url": clean_line(hide_secrets(connection.base_url))}
        variable = connection.key_variable
        if connection.key:
            source = variable if environment.get(variable) else "credentials.toml"
            yield _ok("keys", "key", **named, key=mask(connection.key), source=source)
        else:
            yield _note("keys", "key_missing", **named, variable=variable or "api_key_env")


def check_servers(servers: tuple[Connection, ...] | Broken, *, is_enabled: bool) -> Iterator[Finding]:
    if isinstance(servers, Broken):
        yield _problem("servers", "servers_broken", reason=servers.reason)
    elif not is_enabled:
        yield _note("servers", "servers_off")
    elif not servers:
        yield _note("servers", "no_servers")
    else:
        for server in servers:
            url = clean_line(hide_secrets(server.base_url))
            yield _ok("servers", "server", title=server.title, url=url, count=len(server.models))


def check_embedded(embedded: Embedded | Broken) -> Finding:
    match embedded:
        case Broken(reason):
            return _problem("embedded", "embedded_broken", reason=reason)
        case Embedded(can_run=False):
            return _note("embedded", "embedded_absent")
        case Embedded(weights=None):
            return _note("embedded", "weights_absent")
        case Embedded(weights=Path() as weights) if not weights.is_file():
            return _problem("embedded", "weights_missing", path=_shown(weights))
        case _:
            return _ok("embedded", "embedded", name=clean_line(embedded.weights.name if embedded.weights else ""))


def check_anyone_answers(*ways: tuple[Connection, ...] | Broken) -> Iterator[Finding]:
    """Each way to a model may be absent; all of them may not."""
    if not any(isinstance(way, tuple) and way for way in ways):
        yield _problem("model", "nobody")


def _ok(area: Area, sentence: str, /, **values: object) -> Finding:
    return Finding(area, "ok", t(f"doctor.{sentence}.text", **values))


def _note(area: Area, sentence: str, /, **values: object) -> Finding:
    return Finding(area, "note", t(f"doctor.{sentence}.text", **values), t(f"doctor.{sentence}.fix", **values))


def _problem(area: Area, sentence: str, /, **values: object) -> Finding:
    return Finding(area, "problem", t(f"doctor.{sentence}.text", **values), t(f"doctor.{sentence}.fix", **values))


def _is_open_to_others(path: Path) -> bool:
    try:
        return sys.platform != "win32" and bool(path.stat().st_mode & 0o077)
    except OSError:
        return False


def _plain(encoding: str) -> str:
    return encoding.lower().replace("-", "")


def _shown(path: Path) -> str:
    return clean_line(str(path), 500)
