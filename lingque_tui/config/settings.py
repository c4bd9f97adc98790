"""The schema, looked at from outside: names, types and defaults of all settings, and what a value must be.

Whatever reads or writes settings (file, environment, flags, `set_value`) goes by this one view, so none of them
keeps a list of its own.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping
from functools import cache
from typing import Any, get_args, get_origin

import msgspec
from msgspec.structs import FieldInfo, fields

from lingque_tui.config.masking import looks_secret, mask
from lingque_tui.config.schema import Config
from lingque_tui.config.words import Phrase, expected, show
from lingque_tui.domain.clean import clean, clean_line
from lingque_tui.domain.errors import ConfigError, SettingUnknown

_BARE = re.compile(r"[A-Za-z0-9_-]+")
_SWITCHES = {"true": True, "1": True, "on": True, "yes": True, "false": False, "0": False, "off": False, "no": False}


@cache
def sections() -> Mapping[str, type[msgspec.Struct]]:
    """`[ui]`, `[chat]`, …: tables whose keys are fixed."""
    return {field.name: field.type for field in fields(Config) if get_origin(field.type) is not dict}


@cache
def named_tables() -> Mapping[str, type[msgspec.Struct]]:
    """`[providers.NAME]`, `[models.NAME]`: tables whose entries a person names."""
    return {field.name: get_args(field.type)[1] for field in fields(Config) if get_origin(field.type) is dict}


@cache
def fields_of(struct: type[msgspec.Struct]) -> Mapping[str, FieldInfo]:
    return {field.name: field for field in fields(struct)}


def dotted(*parts: str) -> str:
    """`ui.theme`, or `models."glm/glm-4".window` where a name needs quotes in TOML too."""
    return ".".join(part if _BARE.fullmatch(part) else f'"{clean_line(part, 80)}"' for part in parts)


def values_of(config: Config) -> Iterator[tuple[str, object]]:
    """Every setting in force, by its dotted name."""
    for section, struct in sections().items():
        for key in fields_of(struct):
            yield dotted(section, key), getattr(getattr(config, section), key)
    for collection, struct in named_tables().items():
        for name, entry in getattr(config, collection).items():
            for key in fields_of(struct):
                yield dotted(collection, name, key), getattr(entry, key)


def fit(value: object, kind: Any, *, file: object, key: str) -> object:
    """`value` as the type `kind` wants it; raises `ConfigError`, which says where it stood and what is wrong."""
    if isinstance(value, str) and looks_secret(value):
        raise ConfigError(file=file, key=key, found=mask(value), expected=Phrase("config.expected.no_secret"))
    try:
        fitted = msgspec.convert(value, kind)
        _check_size(fitted)
    except (msgspec.ValidationError, OverflowError) as error:
        raise ConfigError(file=file, key=key, found=show(value), expected=expected(kind)) from error
    return clean(fitted) if isinstance(fitted, str) else fitted


def fit_given(value: object, kind: Any, *, file: object, key: str) -> object:
    """Like `fit`, for a variable or a flag: there, `0.5` and `off` can only come as text."""
    if not isinstance(value, str) or kind is str:
        return fit(value, kind, file=file, key=key)
    try:
        meant = _SWITCHES[value.strip().lower()] if kind is bool else msgspec.convert(value.strip(), kind, strict=False)
    except (KeyError, msgspec.ValidationError) as error:
        raise ConfigError(file=file, key=key, found=show(value), expected=expected(kind)) from error
    return fit(meant, kind, file=file, key=key)


def unknown(file: object, key: str, candidates: Mapping[str, str]) -> SettingUnknown:
    """Nothing is called `key`. `candidates` are known names, each with the way to write it in full.

    What was assigned is not shown: a misspelt `api_key = …` would put the key on the screen."""
    import difflib

    last = key.rpartition(".")[2]
    close = difflib.get_close_matches(last, candidates, n=1)
    hint = Phrase("config.hint.similar", {"name": candidates[close[0]]}) if close else Phrase("config.hint.list")
    return SettingUnknown(file=file, key=key, found=Phrase("config.found.unknown"), expected=hint)


def candidates_near(*place: str) -> dict[str, str]:
    """Names someone may have meant who wrote in the table `place`: its own settings, sections, settings elsewhere."""
    names = {key: dotted(other, key) for other, struct in sections().items() for key in fields_of(struct)}
    names |= {name: name for name in (*sections(), *named_tables())}
    own = {**sections(), **named_tables()}.get(place[0]) if place else None
    return names | {key: dotted(*place, key) for key in (fields_of(own) if own else ())}


def _check_size(value: object) -> None:
    """TOML knows `inf`, `nan` and endless integers; no setting means any of them."""
    if isinstance(value, int | float) and not (math.isfinite(value) and abs(value) < 2**63):
        raise OverflowError
