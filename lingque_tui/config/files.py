"""TOML files of the person's: read in full or not at all, and edited so that their comments survive.

A file that does not parse is never written to: whatever is wrong in it, it is theirs.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from lingque_tui.config.words import Phrase
from lingque_tui.domain.clean import clean_line
from lingque_tui.domain.errors import ConfigUnreadable
from lingque_tui.system import write_private

if TYPE_CHECKING:
    from tomlkit import TOMLDocument

_PLACE = re.compile(r"^(?P<detail>.*) \(at line (?P<line>\d+), column (?P<column>\d+)\)$", re.DOTALL)


def read_table(path: Path) -> dict[str, Any]:
    """The file's content; an absent file is empty. Raises `ConfigUnreadable`."""
    return _parse(path, _read(path))


def edit_table(path: Path, header: str, change: Callable[[TOMLDocument], None]) -> None:
    """Apply `change` to the file, which begins with `header` if it is new. Raises `ConfigUnreadable`."""
    import tomlkit

    path = path.resolve()  # a link into somebody's dotfiles stays a link
    text = _read(path)
    _parse(path, text)
    document = tomlkit.parse(text or header)
    change(document)
    edited = tomlkit.dumps(document)
    _parse(path, edited)  # what could not be read again is not written
    write_private(path, edited)


def is_there(path: Path) -> bool:
    try:
        return path.exists()
    except OSError:  # behind a folder that is closed to us: not readable, but not absent either
        return True


def _read(path: Path) -> str:
    try:
        # Editors on Windows put a byte order mark first; universal newlines for the same reason.
        return path.read_text(encoding="utf-8-sig")
    except FileNotFoundError:
        return ""
    except UnicodeDecodeError as error:
        raise _unreadable(path, Phrase("config.found.not_utf8")) from error
    except OSError as error:
        raise _unreadable(path, clean_line(error.strerror or str(error))) from error


def _parse(path: Path, text: str) -> dict[str, Any]:
    try:
        return tomllib.loads(text)
    except RecursionError as error:
        raise _unreadable(path, Phrase("config.found.nested")) from error
    except ValueError as error:  # TOMLDecodeError, and int() on thousands of digits
        raise _unreadable(path, _syntax(str(error))) from error


def _syntax(message: str) -> str | Phrase:
    place = _PLACE.match(message)
    return Phrase("config.found.syntax", place.groupdict()) if place else clean_line(message)


def _unreadable(path: Path, found: object) -> ConfigUnreadable:
    return ConfigUnreadable(file=clean_line(str(path)), key="", found=found, expected=Phrase("config.expected.toml"))
