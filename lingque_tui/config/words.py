"""How a wrong setting is explained: what was found and what was expected, in human words."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from lingque_tui.config.masking import hide_secrets
from lingque_tui.domain.clean import clean_line
from lingque_tui.i18n import t

if TYPE_CHECKING:
    from msgspec import inspect


@dataclass(frozen=True, slots=True)
class Phrase:
    """Words that are chosen when they are read: while settings load, the language is not known yet."""

    key: str
    values: Mapping[str, object] = field(default_factory=dict)

    def __str__(self) -> str:
        return t(self.key, **self.values)


def show(value: object, limit: int = 60) -> str | Phrase:
    """A value as TOML would write it, on one short line, without terminal escapes or secrets."""
    match value:
        case bool():
            return "true" if value else "false"
        case str():
            return f'"{clean_line(hide_secrets(value), limit)}"'
        case dict():
            return Phrase("config.found.table")
        case list() | tuple():
            return Phrase("config.found.list")
        case int() if value.bit_length() > 64:  # Python refuses to print very long ones
            return Phrase("config.found.huge")
        case _:
            return clean_line(str(value), limit)


def expected(kind: Any) -> Phrase:
    """What the schema's type `kind` takes, for instance "a number from 0 to 2"."""
    from msgspec import inspect

    return _describe(inspect.type_info(kind))


def _describe(kind: inspect.Type) -> Phrase:
    from msgspec import inspect

    match kind:
        case inspect.UnionType(types=types):
            return _describe(next(each for each in types if not isinstance(each, inspect.NoneType)))
        case inspect.BoolType():
            return Phrase("config.expected.switch")
        case inspect.LiteralType(values=values):
            return Phrase("config.expected.one_of", {"choices": ", ".join(f'"{value}"' for value in values)})
        case inspect.IntType():
            return Phrase("config.expected.whole", {"bounds": _bounds(kind)})
        case inspect.FloatType():
            return Phrase("config.expected.number", {"bounds": _bounds(kind)})
        case inspect.VarTupleType():
            return Phrase("config.expected.texts")
        case inspect.StrType():
            return Phrase("config.expected.text")
        case _:
            return Phrase("config.expected.table")


def _bounds(kind: inspect.IntType | inspect.FloatType) -> Phrase | str:
    match (kind.ge, kind.gt, kind.le):
        case (None, None, None):
            return ""
        case (None, None, high):
            return Phrase("config.bounds.at_most", {"high": high})
        case (None, low, None):
            return Phrase("config.bounds.above", {"low": low})
        case (low, _, None):
            return Phrase("config.bounds.at_least", {"low": low})
        case (None, low, high):
            return Phrase("config.bounds.above_to", {"low": low, "high": high})
        case (low, _, high):
            return Phrase("config.bounds.from_to", {"low": low, "high": high})
