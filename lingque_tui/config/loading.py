"""Settings from all their sources: defaults, then the file, then the environment, then flags.

Loading never fails. What cannot be used becomes a problem that names its place, and only that value is left
to the source below it; a chat client that refuses to start over a typo helps nobody.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from msgspec.structs import FieldInfo

from lingque_tui.config.environment import find_misspelt, find_values
from lingque_tui.config.files import read_table
from lingque_tui.config.paths import Paths
from lingque_tui.config.schema import Config
from lingque_tui.config.settings import (
    candidates_near,
    dotted,
    fields_of,
    fit,
    fit_given,
    named_tables,
    sections,
    unknown,
    values_of,
)
from lingque_tui.config.words import Phrase, expected, show
from lingque_tui.domain.clean import clean_line
from lingque_tui.domain.errors import ConfigError

DEFAULT = "default"
FLAG = "flag"


@dataclass(frozen=True, slots=True)
class Loaded:
    config: Config
    origins: Mapping[str, str]
    """Dotted name → `default`, `config.toml`, the variable's name, or `flag`."""
    problems: tuple[ConfigError, ...] = ()


def load_config(paths: Paths, environment: Mapping[str, str], flags: Mapping[str, object] | None = None) -> Loaded:
    """What is in force. `flags` are dotted names with values; None means that the flag was not given."""
    draft = _Draft()
    draft.take_file(paths.config_file)
    draft.take_environment(environment)
    draft.take_flags(flags or {})
    return draft.finish()


class _Draft:
    """Settings found so far. A later source overwrites an earlier one, value by value."""

    def __init__(self) -> None:
        self._found: dict[str, dict[str, Any]] = {name: {} for name in (*sections(), *named_tables())}
        self._origins: dict[str, str] = {}
        self._problems: list[ConfigError] = []

    def take_file(self, path: Path) -> None:
        try:
            document = read_table(path)
        except ConfigError as problem:
            self._problems.append(problem)
            return
        source = _Source(clean_line(str(path)), path.name)
        for name, content in document.items():
            if name not in self._found:
                self._problems.append(unknown(source.file, dotted(name), candidates_near()))
            elif not isinstance(content, dict):
                self._misfit(source, dotted(name), content, Phrase("config.expected.table"))
            elif name in sections():
                self._found[name] = self._take_table(source, (name,), content, fields_of(sections()[name]))
            else:
                self._take_entries(source, name, content)

    def take_environment(self, environment: Mapping[str, str]) -> None:
        for variable, name, text in find_values(environment):
            self._take_single(_Source(variable, variable), name, text)
        self._problems += find_misspelt(environment)

    def take_flags(self, flags: Mapping[str, object]) -> None:
        for name, value in flags.items():
            if value is not None:
                self._take_single(_Source(Phrase("config.source.flags"), FLAG), name, value)

    def finish(self) -> Loaded:
        built: dict[str, Any] = {name: struct(**self._found[name]) for name, struct in sections().items()}
        config = Config(**(self._found | built))
        origins = {name: self._origins.get(name, DEFAULT) for name, _ in values_of(config)}
        return Loaded(config, origins, tuple(self._problems))

    def _take_entries(self, source: _Source, collection: str, content: dict[str, Any]) -> None:
        struct = named_tables()[collection]
        for name, table in content.items():
            if not isinstance(table, dict):
                self._misfit(source, dotted(collection, name), table, Phrase("config.expected.table"))
                continue
            fields = fields_of(struct)
            values = self._take_table(source, (collection, name), table, fields)
            absent = [key for key, field in fields.items() if field.required and key not in values]
            for key in (key for key in absent if key not in table):
                self._misfit(source, dotted(collection, name, key), None, expected(fields[key].type))
            if not absent:
                self._found[collection][clean_line(name)] = struct(**values)

    def _take_table(
        self, source: _Source, place: tuple[str, ...], table: dict[str, Any], fields: Mapping[str, FieldInfo]
    ) -> dict[str, object]:
        values: dict[str, object] = {}
        for key, value in table.items():
            name = dotted(*place, key)
            if key not in fields:
                self._problems.append(unknown(source.file, name, candidates_near(*place)))
                continue
            try:
                values[key] = fit(value, fields[key].type, file=source.file, key=name)
                self._origins[name] = source.origin
            except ConfigError as problem:
                self._problems.append(problem)
        return values

    def _take_single(self, source: _Source, name: str, value: object) -> None:
        section, _, key = name.partition(".")
        field = fields_of(sections()[section]).get(key) if section in sections() else None
        if field is None:
            self._problems.append(unknown(source.file, clean_line(name), candidates_near(section)))
            return
        try:
            self._found[section][key] = fit_given(value, field.type, file=source.file, key=name)
            self._origins[name] = source.origin
        except ConfigError as problem:
            self._problems.append(problem)

    def _misfit(self, source: _Source, key: str, value: object, wanted: Phrase) -> None:
        found = Phrase("config.found.nothing") if value is None else show(value)
        self._problems.append(ConfigError(file=source.file, key=key, found=found, expected=wanted))


@dataclass(frozen=True, slots=True)
class _Source:
    file: object
    """How problems name it."""
    origin: str
