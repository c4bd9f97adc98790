"""Finds the commands, reads a typed line, suggests completions. A broken command file is a notice, never a crash."""

from __future__ import annotations

import importlib
import pkgutil
import re
from collections.abc import Awaitable, Callable, Iterable, Mapping
from dataclasses import dataclass
from difflib import get_close_matches

import lingque_tui.commands as package
from lingque_tui.commands.desk import Desk
from lingque_tui.domain.clean import clean_line
from lingque_tui.domain.errors import CommandError
from lingque_tui.i18n import t

_NOT_COMMANDS = frozenset({"desk", "registry"})
_COMMAND_LINE = re.compile(r"/([A-Za-z0-9][A-Za-z0-9-]*)(\s.*)?", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Command:
    name: str
    run: Callable[[Desk, str], Awaitable[None]]
    usage: str = ""
    """Arguments as the help shows them, for instance `[title]`."""

    @property
    def needs_arguments(self) -> bool:
        return bool(self.usage) and not self.usage.startswith("[")

    @property
    def summary(self) -> str:
        return t(f"command.{self.name}")


@dataclass(frozen=True, slots=True)
class Registry:
    commands: Mapping[str, Command]
    failed: tuple[tuple[str, str], ...] = ()

    def complete(self, line: str) -> tuple[Command, ...]:
        """Commands whose name begins with what was typed; none once the name is finished by a space."""
        if not line.startswith("/") or any(map(str.isspace, line)):
            return ()
        return tuple(command for name, command in sorted(self.commands.items()) if name.startswith(line[1:].lower()))

    def parse(self, line: str) -> tuple[Command, str] | None:
        """The command and its arguments; None where the line is no command. Raises `CommandError` for an unknown one.

        A path (`/usr/bin`) or a comment (`// …`) is something a person says, not a command."""
        spoken = _COMMAND_LINE.fullmatch(line)
        if spoken is None:
            return None
        word, arguments = spoken[1], spoken[2] or ""
        command = self.commands.get(word.lower())
        if command is None:
            raise CommandError(detail=unknown(word, self.commands))
        return command, arguments.strip()


def unknown(word: str, known: Iterable[str]) -> str:
    near = get_close_matches(word.lower(), list(known), n=1)
    shown = clean_line(word, 40)
    return t("command_unknown_near", word=shown, near=near[0]) if near else t("command_unknown", word=shown)


def load_commands() -> Registry:
    commands: dict[str, Command] = {}
    failed: list[tuple[str, str]] = []
    for module in pkgutil.iter_modules(package.__path__):
        if module.name in _NOT_COMMANDS:
            continue
        try:
            command = _load(module.name)
            if command.name in commands:
                raise ValueError(f"/{command.name} exists already")
            commands[command.name] = command
        except (Exception, SystemExit) as error:  # one bad file must not take the others with it
            failed.append((module.name, clean_line(f"{type(error).__name__}: {error}")))
    return Registry(commands, tuple(failed))


def _load(name: str) -> Command:
    command = importlib.import_module(f"{package.__name__}.{name}").COMMAND
    if not isinstance(command, Command):
        raise TypeError(f"COMMAND is {command!r}, not a Command")
    return command
