"""Themes load or say why not, and ours can be read by everyone."""

from __future__ import annotations

import itertools
from pathlib import Path

import pytest
from textual.app import App, ComposeResult
from textual.color import Color
from textual.theme import BUILTIN_THEMES, Theme
from textual.widgets import Static

from lingque_tui.ui.themes import TOKENS, load_themes, own_folder, token_colours

OURS = ("lingque-contrast", "lingque-dark", "lingque-light")
TEXTS = ("foreground", "primary", "secondary", "success", "warning", "error", "notice", "queued", "link-color")
FIGURES = ("gauge-calm", "gauge-warm", "gauge-urgent")
BACKGROUNDS = ("background", "surface", "panel", "code-background")


@pytest.fixture(scope="module")
def ours() -> dict[str, Theme]:
    return dict(load_themes(Path("no such folder")).themes)


def luminance(colour: Color) -> float:
    """Relative luminance as WCAG 2 defines it."""
    channels = (
        channel / 12.92 if channel <= 0.04045 else ((channel + 0.055) / 1.055) ** 2.4 for channel in colour.normalized
    )
    return sum(weight * channel for weight, channel in zip((0.2126, 0.7152, 0.0722), channels, strict=True))


def contrast(theme: Theme, one: str, other: str) -> float:
    shades = theme.to_color_system().generate() | theme.variables
    low, high = sorted(luminance(Color.parse(shades[name])) for name in (one, other))
    return (high + 0.05) / (low + 0.05)


def test_black_on_white_is_the_greatest_contrast() -> None:
    assert contrast(Theme("x", primary="#000", variables={"paper": "#fff"}), "primary", "paper") == pytest.approx(21)


def test_our_themes_load(ours: dict[str, Theme]) -> None:
    assert tuple(sorted(ours)) == OURS
    assert load_themes(Path("no such folder")).failed == ()


@pytest.mark.parametrize("name", OURS)
def test_each_of_ours_names_every_token_itself(name: str) -> None:
    text = (own_folder() / f"{name}.toml").read_text("utf-8")
    assert [token for token in TOKENS if f"\n{token} = " not in text] == []


@pytest.mark.parametrize("name", OURS)
def test_text_can_be_read_on_every_background(ours: dict[str, Theme], name: str) -> None:
    least = 7.0 if name == "lingque-contrast" else 4.5
    faint = {
        f"{text} on {background}": round(ratio, 2)
        for text, background in itertools.product((*TEXTS, *FIGURES), BACKGROUNDS)
        if (ratio := contrast(ours[name], text, background)) < least
    }
    assert faint == {}


@pytest.mark.parametrize("name", OURS)
def test_a_chosen_line_can_be_read(ours: dict[str, Theme], name: str) -> None:
    least = 7.0 if name == "lingque-contrast" else 4.5
    assert contrast(ours[name], "block-cursor-foreground", "block-cursor-background") >= least
    assert contrast(ours[name], "link-color-hover", "link-background-hover") >= least


@pytest.mark.parametrize("name", OURS)
def test_bars_and_neighbouring_parts_of_the_gauge_can_be_told_apart(ours: dict[str, Theme], name: str) -> None:
    theme = ours[name]
    for mark in ("user-bar", "assistant-bar", "gauge-system", "gauge-recent", "gauge-draft", "gauge-line"):
        assert contrast(theme, mark, "background") >= 3, mark
    parts = ("gauge-system", "gauge-recent", "gauge-draft", "gauge-free", "gauge-reserve")
    for left, right in itertools.pairwise(parts):
        assert contrast(theme, left, right) >= 1.4, (left, right)


def test_a_theme_of_the_person_wins_by_name(tmp_path: Path) -> None:
    (tmp_path / "lingque-dark.toml").write_text('primary = "#ff0000"\n', encoding="utf-8")
    (tmp_path / "mine.toml").write_text('primary = "red"\ndark = false\n[variables]\nuser-bar = "#123456"\n', "utf-8")
    (tmp_path / "notes.txt").write_text("not a theme", encoding="utf-8")
    loaded = load_themes(tmp_path)
    assert loaded.failed == ()
    assert loaded.themes["lingque-dark"].primary == "#ff0000"
    assert loaded.themes["mine"].variables["user-bar"] == "#123456"
    assert set(TOKENS) <= set(loaded.themes["mine"].variables)


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        ("primary = \n", "line 1"),
        ('background = "#000"', "`primary` is missing"),
        ('primary = "reddish"', "`primary` is reddish, but a colour such as #5db8a1"),
        ("primary = 3", "`primary` is 3"),
        ('primary = "#000"\nprimery = "#000"', "`primery`"),
        ('primary = "#000"\nname = "x"', "`name`"),
        ('primary = "#000"\ndark = "yes"', "`dark` is yes, but true or false"),
        ('primary = "#000"\ntext_alpha = 7', "a number from 0 to 1"),
        ('primary = "#000"\nvariables = 3', "`variables` is 3, but a table"),
        ('primary = "#000"\n[variables]\nuser-bar = "auto"', "`user-bar` is auto"),
        ('primary = "#000"\n[variables]\nborder = "} X {"', "`border`"),
        ('primary = "#000"\n[variables]\nborder = 3', "`border` is 3, but text"),
        ('primary = "#000"\n[variables]\nlink-style = "loud"', "`link-style` is loud"),
        ('primary = "\\u001b[2Jx"', "`primary` is x,"),
    ],
)
def test_a_broken_theme_is_named_with_the_reason(tmp_path: Path, content: str, reason: str) -> None:
    path = tmp_path / "broken.toml"
    path.write_text(content, encoding="utf-8")
    loaded = load_themes(tmp_path)
    assert tuple(sorted(loaded.themes)) == OURS
    ((failed, why),) = loaded.failed
    assert failed == path
    assert reason in why


def test_a_folder_and_a_name_with_a_comma_are_no_themes(tmp_path: Path) -> None:
    (tmp_path / "folder.toml").mkdir()
    (tmp_path / "a,b.toml").write_text('primary = "#000"', encoding="utf-8")
    assert [path.name for path, _ in load_themes(tmp_path).failed] == ["a,b.toml", "folder.toml"]


def test_a_name_is_cleaned(tmp_path: Path) -> None:
    (tmp_path / "night\x1b[2J\u202e.toml").write_text('primary = "#000"', encoding="utf-8")
    assert "night" in load_themes(tmp_path).themes


@pytest.mark.parametrize("name", sorted(BUILTIN_THEMES))
def test_every_theme_of_textual_gets_our_tokens(name: str) -> None:
    tokens = token_colours(BUILTIN_THEMES[name])
    assert tuple(tokens) == TOKENS
    for value in tokens.values():
        Color.parse(value)


async def test_an_app_draws_with_each_theme(ours: dict[str, Theme]) -> None:
    class Tokens(App[None]):
        CSS = "\n".join(f"#{token} {{ background: ${token}; color: $text; }}" for token in TOKENS)

        def get_theme_variable_defaults(self) -> dict[str, str]:
            return token_colours(self.current_theme)

        def compose(self) -> ComposeResult:
            yield from (Static(token, id=token) for token in TOKENS)

    app = Tokens()
    for theme in ours.values():
        app.register_theme(theme)
    async with app.run_test() as pilot:
        for name in (*ours, "ansi-dark", "nord"):
            app.theme = name
            await pilot.pause()
            wanted = app.theme_variables["user-bar"]
            assert app.query_one("#user-bar").styles.background == Color.parse(wanted)
