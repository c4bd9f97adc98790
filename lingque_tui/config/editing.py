"""Settings changed from inside the program: one value at a time, everything else in the file as it was."""

from __future__ import annotations

from collections.abc import MutableMapping
from typing import TYPE_CHECKING, Any

from lingque_tui.config.files import edit_table
from lingque_tui.config.paths import Paths
from lingque_tui.config.settings import candidates_near, dotted, fields_of, fit, named_tables, sections, unknown
from lingque_tui.config.words import Phrase, show
from lingque_tui.domain.clean import clean_line
from lingque_tui.domain.errors import ConfigError
from lingque_tui.i18n import t

if TYPE_CHECKING:
    from tomlkit import TOMLDocument


def set_value(paths: Paths, key: str | tuple[str, ...], value: object) -> None:
    """Write `key` (`"ui.theme"`, or its parts where a name holds a dot) to the config file; None takes it out.

    Raises `ConfigError` and leaves the file alone if there is no such setting, the value does not fit, or the
    file does not parse; `OSError` if it cannot be written."""
    parts = tuple(key.split(".")) if isinstance(key, str) else key
    file = clean_line(str(paths.config_file))
    kind = _kind_of(parts, file)
    if value is not None:
        value = fit(value, kind, file=file, key=dotted(*parts))

    def change(document: TOMLDocument) -> None:
        table = _descend(document, parts[:-1], file)
        if value is None:
            table.pop(parts[-1], None)
        else:
            table[parts[-1]] = list(value) if isinstance(value, tuple) else value

    edit_table(paths.config_file, _header(), change)


def _kind_of(parts: tuple[str, ...], file: str) -> Any:
    match parts:
        case (section, key) if section in sections() and key in (fields := fields_of(sections()[section])):
            return fields[key].type
        case (section, _, key) if section in named_tables() and key in (fields := fields_of(named_tables()[section])):
            return fields[key].type
        case _:
            raise unknown(file, dotted(*parts), candidates_near(*parts[:-1]))


def _descend(document: TOMLDocument, path: tuple[str, ...], file: str) -> MutableMapping[str, Any]:
    import tomlkit

    table: MutableMapping[str, Any] = document
    for depth, name in enumerate(path, start=1):
        if name not in table:
            # Only the last one has values of its own: `[providers.x]` needs no empty `[providers]` above it.
            table[name] = tomlkit.table(is_super_table=depth < len(path))
        if not isinstance(table[name], MutableMapping):
            key, found = dotted(*path[:depth]), show(table[name])
            raise ConfigError(file=file, key=key, found=found, expected=Phrase("config.expected.table"))
        table = table[name]
    return table


def _header() -> str:
    return "".join(f"# {line}\n" for line in t("config.header").splitlines()) + "\n"
