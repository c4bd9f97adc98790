"""Every sentence a person reads, in their language: one catalogue, one file a language.

It sits below everything else, because errors of the engine speak through it too. It refuses to guess:
a missing key shows as the English sentence, and a test keeps the files complete.
"""

from __future__ import annotations

import os
import tomllib
from collections.abc import Mapping
from functools import cache
from pathlib import Path

_FOLDER = Path(__file__).parent
_FALLBACK = "en"
_current = _FALLBACK


def t(key: str, /, **values: object) -> str:
    """The sentence for `key` in the language in use, with `{name}` places filled in."""
    return translate(_current, key, **values)


def translate(language: str, key: str, /, **values: object) -> str:
    sentence = _catalogue(language).get(key) or _catalogue(_FALLBACK).get(key) or key
    for name, value in values.items():
        # Not str.format: a value may hold braces, and a sentence must never run anything.
        sentence = sentence.replace("{" + name + "}", str(value))
    return sentence


def use(language: str) -> str:
    """Speak `language` from now on; `auto` asks the locale. Returns the language chosen."""
    global _current
    chosen = detect(os.environ) if language == "auto" else language
    _current = chosen if chosen in languages() else _FALLBACK
    return _current


def current() -> str:
    return _current


def detect(environment: Mapping[str, str]) -> str:
    """The first of LC_ALL, LC_MESSAGES, LANG, LANGUAGE that says anything; `C` and `POSIX` say nothing."""
    for name in ("LC_ALL", "LC_MESSAGES", "LANG", "LANGUAGE"):
        value = environment.get(name, "")
        language = value.split(":")[0].split(".")[0].split("_")[0].split("-")[0].lower()
        if language and language not in ("c", "posix"):
            return language
    return _FALLBACK


@cache
def languages() -> tuple[str, ...]:
    return tuple(sorted(path.stem for path in _FOLDER.glob("*.toml")))


@cache
def _catalogue(language: str) -> dict[str, str]:
    path = _FOLDER / f"{language}.toml"
    if not path.exists():
        return {}
    return dict(_flatten("", tomllib.loads(path.read_text(encoding="utf-8"))))


def _flatten(prefix: str, table: Mapping[str, object]) -> list[tuple[str, str]]:
    rows: list[tuple[str, str]] = []
    for name, value in table.items():
        if isinstance(value, Mapping):
            rows += _flatten(f"{prefix}{name}.", value)
        else:
            rows.append((prefix + name, str(value)))
    return rows
