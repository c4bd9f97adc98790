"""What `lingque doctor` looks at, gathered in one place so that judging it needs no machine.

A part that cannot even be looked at is a fact too (`Broken`): the doctor is called when things are out of order.
"""

from __future__ import annotations

import asyncio
import importlib
import shutil
import sys
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from lingque_tui.config.schema import Config
from lingque_tui.domain.clean import clean_line

if TYPE_CHECKING:
    from lingque_tui.providers.connections import Connection

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Broken:
    reason: str


@dataclass(frozen=True, slots=True)
class Terminal:
    is_tty: bool
    term: str
    has_truecolor: bool
    columns: int
    lines: int
    encoding: str
    """What Python writes, which is what counts in the end."""
    locale: str


@dataclass(frozen=True, slots=True)
class Embedded:
    can_run: bool
    weights: Path | None


@dataclass(frozen=True, slots=True)
class Surroundings:
    terminal: Terminal
    python: tuple[int, int, int]
    sqlite: str | Broken
    vocabularies: tuple[str, ...] | Broken
    connections: tuple[Connection, ...] | Broken
    servers: tuple[Connection, ...] | Broken
    embedded: Embedded | Broken


async def look_around(config: Config, environment: Mapping[str, str], credentials: Mapping[str, str]) -> Surroundings:
    servers = asyncio.ensure_future(_try_async(lambda: _servers(config, environment)))
    return Surroundings(
        terminal=look_at_terminal(environment),
        python=(sys.version_info.major, sys.version_info.minor, sys.version_info.micro),
        sqlite=await _try(_sqlite),
        vocabularies=await _try(_vocabularies),
        connections=await _try(lambda: _connections(config, environment, credentials)),
        embedded=await _try(lambda: _embedded(config)),
        servers=await servers,
    )


def look_at_terminal(environment: Mapping[str, str]) -> Terminal:
    size = shutil.get_terminal_size()
    term = environment.get("TERM", "")
    # Windows Terminal sets neither TERM nor COLORTERM.
    truecolor = environment.get("COLORTERM", "").lower() in ("truecolor", "24bit") or term.endswith("-direct")
    return Terminal(
        is_tty=sys.stdout.isatty(),
        term=clean_line(term, 40) or ("windows-terminal" if "WT_SESSION" in environment else ""),
        has_truecolor=truecolor or "WT_SESSION" in environment,
        columns=size.columns,
        lines=size.lines,
        encoding=sys.stdout.encoding,
        locale=clean_line(next((environment[n] for n in ("LC_ALL", "LC_CTYPE", "LANG") if environment.get(n)), ""), 40),
    )


async def _try(look: Callable[[], T]) -> T | Broken:
    """In a thread, since first imports take their time."""
    return await _try_async(lambda: asyncio.to_thread(look))


async def _try_async(look: Callable[[], Awaitable[T]]) -> T | Broken:
    try:
        return await look()
    except Exception as error:  # whatever it is, the other checks are worth having
        return Broken(clean_line(f"{type(error).__name__}: {error}"))


def _sqlite() -> str:
    store = importlib.import_module("lingque_tui.store")
    return str(store.sqlite_version())


def _vocabularies() -> tuple[str, ...]:
    from lingque_tui.tokens import available_vocabularies, counter_for

    counter_for("gpt-4o").count("灵雀")  # a name in a list proves nothing: one of them has to count
    return available_vocabularies()


def _connections(
    config: Config, environment: Mapping[str, str], credentials: Mapping[str, str]
) -> tuple[Connection, ...]:
    from lingque_tui.providers.connections import find_connections

    return find_connections(config, environment, credentials)


async def _servers(config: Config, environment: Mapping[str, str]) -> tuple[Connection, ...]:
    from lingque_tui.providers.connections import discover_servers

    return await discover_servers(config.discovery, environment)


def _embedded(config: Config) -> Embedded:
    from lingque_tui.providers.local import can_run_local, find_weights

    return Embedded(can_run=can_run_local(), weights=find_weights(config.local.model_path))
