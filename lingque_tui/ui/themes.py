"""Themes are TOML files: ours, and the person's own, which win by name.

A file is checked in full before Textual sees it, since a colour that does not parse would stop the whole app.
Loading reports what failed and goes on with the rest. What a theme leaves open is derived from its colours, so
that five lines make a theme.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from textual.color import Color, ColorParseError
from textual.css.constants import VALID_STYLE_FLAGS
from textual.theme import Theme

import lingque_tui
from lingque_tui.config.files import read_table
from lingque_tui.domain.clean import clean_line
from lingque_tui.domain.errors import ConfigError
from lingque_tui.i18n import t

TOKENS = (
    "user-bar",
    "assistant-bar",
    "notice",
    "queued",
    "code-background",
    "gauge-system",
    "gauge-recent",
    "gauge-draft",
    "gauge-reserve",
    "gauge-free",
    "gauge-line",
    "gauge-calm",
    "gauge-warm",
    "gauge-urgent",
)
"""Colours of our own, beyond Textual's: `$user-bar` in the style sheet."""

_COLOURS = (
    "primary",
    "secondary",
    "warning",
    "error",
    "success",
    "accent",
    "foreground",
    "background",
    "surface",
    "panel",
    "boost",
)
_SHARES = ("luminosity_spread", "text_alpha")
_CSS_COLOUR = re.compile(r"(?P<base>\S.*?)(?:\s+\d{1,3}(?:\.\d+)?%)?")


@dataclass(frozen=True, slots=True)
class LoadedThemes:
    themes: Mapping[str, Theme]
    failed: tuple[tuple[Path, str], ...] = ()
    """Each file that could not be used, with the reason in the person's language."""


def load_themes(user_folder: Path) -> LoadedThemes:
    """Our themes and those of `user_folder`. Never raises."""
    themes: dict[str, Theme] = {}
    failed: list[tuple[Path, str]] = []
    for path in (*_files(own_folder()), *_files(user_folder)):
        try:
            theme = read_theme(path)
        except (ThemeRefused, ConfigError) as reason:
            failed.append((path, reason.what))
        else:
            themes[theme.name] = theme
    return LoadedThemes(themes, tuple(failed))


def find_theme(name: str, user_folder: Path) -> Theme | None:
    """One theme by its name, without reading the others; None where there is none that can be used."""
    for folder in (user_folder, own_folder()):
        path = folder / f"{name}.toml"
        if path.parent == folder and path.is_file():  # a name is no way to other folders
            try:
                return read_theme(path)
            except (ThemeRefused, ConfigError):
                continue
    return None


def own_folder() -> Path:
    """Beside the package in an installed copy, at the root of the repository in an editable one."""
    package = Path(lingque_tui.__file__).parent
    beside = package / "themes"
    return beside if beside.is_dir() else package.parent / "themes"


class ThemeRefused(Exception):
    """A theme file says something that a theme cannot mean."""

    def __init__(self, key: str, found: object, expected: str) -> None:
        self.what = t("themes.refused", key=key, found=clean_line(str(found), 60), expected=expected)
        super().__init__(self.what)


def read_theme(path: Path) -> Theme:
    """The theme that `path` describes. Raises `ThemeRefused`, or `ConfigError` if it is no TOML at all."""
    table = read_table(path)
    variables = table.pop("variables", {})
    if not isinstance(variables, dict):
        raise ThemeRefused("variables", variables, t("config.expected.table"))
    if "primary" not in table:
        raise ThemeRefused("primary", t("config.found.nothing"), t("themes.colour"))
    for key, value in table.items():
        _check_field(key, value)
    for key, value in variables.items():
        _check_variable(key, value)
    theme = Theme(name=_name(path), **table, variables=variables)
    theme.variables = token_colours(theme) | theme.variables
    return theme


def token_colours(theme: Theme) -> dict[str, str]:
    """All `TOKENS` for a theme that knows nothing of them, such as Textual's own."""
    shades = theme.to_color_system().generate()

    def faded(share: float) -> str:
        return Color.parse(shades["background"]).blend(Color.parse(shades["foreground"]), share).hex

    def named(name: str) -> str:
        return Color.parse(shades[name]).hex

    return {
        "user-bar": named("primary"),
        "assistant-bar": faded(0.4),
        "notice": faded(0.7),
        "queued": named("warning"),
        "code-background": named("surface"),
        "gauge-system": named("secondary"),
        "gauge-recent": named("primary"),
        "gauge-draft": named("accent"),
        "gauge-reserve": faded(0.35),
        "gauge-free": faded(0.15),
        "gauge-line": named("foreground"),
        "gauge-calm": named("success"),
        "gauge-warm": named("warning"),
        "gauge-urgent": named("error"),
    }


def _files(folder: Path) -> Iterator[Path]:
    try:
        yield from sorted(path for path in folder.iterdir() if path.suffix == ".toml")
    except OSError:  # no such folder: nobody has to have one
        return


def _name(path: Path) -> str:
    name = clean_line(path.stem, 60)
    if not name or "," in name:  # Textual reads a comma as "the first of these that exists"
        raise ThemeRefused("name", name, t("themes.name"))
    return name


def _check_field(key: str, value: object) -> None:
    if key in _COLOURS:
        _check_colour(key, value)
    elif key == "dark":
        if not isinstance(value, bool):
            raise ThemeRefused(key, value, t("config.expected.switch"))
    elif key in _SHARES:
        if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value <= 1:
            raise ThemeRefused(key, value, t("themes.share"))
    else:
        raise ThemeRefused(clean_line(key, 60), value, t("themes.fields", names=", ".join((*_COLOURS, "dark"))))


def _check_variable(key: str, value: object) -> None:
    if key in TOKENS:
        _check_colour(key, value)
    elif not isinstance(value, str):
        raise ThemeRefused(clean_line(key, 60), value, t("config.expected.text"))
    elif key.endswith(("text-style", "link-style", "link-style-hover")):
        if not value.split() or not VALID_STYLE_FLAGS.issuperset(value.split()):
            raise ThemeRefused(key, value, t("themes.style"))
    elif (css := _CSS_COLOUR.fullmatch(value)) is None or css["base"] != "auto":
        _check_colour(key, css["base"] if css else value)


def _check_colour(key: str, value: object) -> None:
    try:
        Color.parse(value if isinstance(value, str) else "")
    except ColorParseError as error:
        raise ThemeRefused(clean_line(key, 60), value, t("themes.colour")) from error
