"""Settings from environment variables, by one rule: `LINGQUE_` + section + `_` + key.

The names come from the schema, so a new setting has its variable at once. Other variables of ours
(`LINGQUE_HOME`, `LINGQUE_API_KEY`, …) are no settings and are left alone.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cache

from lingque_tui.config.settings import dotted, fields_of, named_tables, sections, unknown
from lingque_tui.config.words import Phrase
from lingque_tui.domain.clean import clean_line
from lingque_tui.domain.errors import SettingUnknown


@cache
def variables() -> Mapping[str, str]:
    """Every variable that is a setting, with the setting's dotted name."""
    return {
        f"LINGQUE_{section}_{key}".upper(): dotted(section, key)
        for section, struct in sections().items()
        for key in fields_of(struct)
    }


def find_values(environment: Mapping[str, str]) -> Iterator[tuple[str, str, str]]:
    """Variable, dotted name and text of each setting that is given. An empty variable gives nothing."""
    for variable, name in variables().items():
        if text := environment.get(variable):
            yield variable, name, text


def find_misspelt(environment: Mapping[str, str]) -> Iterator[SettingUnknown]:
    """Variables that begin like a setting and are none: `LINGQUE_UI_TEHME`."""
    prefixes = tuple(f"LINGQUE_{section}_".upper() for section in (*sections(), *named_tables()))
    for variable in sorted(environment):
        if variable.startswith(prefixes) and variable not in variables():
            known = {name: name for name in variables()}
            yield unknown(Phrase("config.source.environment"), clean_line(variable, 80), known)
