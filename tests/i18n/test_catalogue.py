"""Every sentence in every language: none missing, none different in its places, none used that isn't there."""

from __future__ import annotations

import ast
import re
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest

import lingque_tui
from lingque_tui import i18n
from lingque_tui.domain import errors
from lingque_tui.domain.errors import LingqueError

PACKAGE = Path(lingque_tui.__file__).parent
SOURCES = sorted(PACKAGE.rglob("*.py"))
LANGUAGES = i18n.languages()
COMPOSED = {"gauge_system", "gauge_recent", "gauge_draft", "gauge_reserve"}
"""Named by the part of the gauge at run time. Nothing else may be left over."""
_PLACE = re.compile(r"\{(\w+)\}")


def catalogue(language: str) -> dict[str, str]:
    return i18n._catalogue(language)


def kinds_of_errors() -> list[type[LingqueError]]:
    return [kind for kind in vars(errors).values() if isinstance(kind, type) and issubclass(kind, LingqueError)]


def called_with() -> Iterator[tuple[Path, ast.expr]]:
    """The first argument of every call of `t` and `translate`, and where it stands."""
    for path in SOURCES:
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
                position = {"t": 0, "translate": 1}.get(node.func.id)
                if position is not None and len(node.args) > position:
                    yield path, node.args[position]


def literals(expression: ast.expr) -> Iterator[str]:
    """The keys that an expression may be, as far as they stand in the source."""
    match expression:
        case ast.Constant(value=str(key)):
            yield key
        case ast.IfExp(body=body, orelse=orelse):
            yield from literals(body)
            yield from literals(orelse)


def beginnings() -> set[str]:
    """`command.` of `t(f"command.{name}")`: keys that are put together when they are needed."""
    found = set()
    for _, expression in called_with():
        if isinstance(expression, ast.JoinedStr) and isinstance(expression.values[0], ast.Constant):
            found.add(str(expression.values[0].value))
    return found


def strings_of_the_code() -> set[str]:
    trees = (ast.parse(path.read_text(encoding="utf-8")) for path in SOURCES)
    nodes = (node for tree in trees for node in ast.walk(tree))
    return {node.value for node in nodes if isinstance(node, ast.Constant) and isinstance(node.value, str)}


def test_there_are_two_languages_at_least() -> None:
    assert {"en", "zh"} <= set(LANGUAGES)


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_language_has_the_same_keys(language: str) -> None:
    assert set(catalogue(language)) == set(catalogue("en"))
    assert [key for key, sentence in catalogue(language).items() if not sentence.strip()] == []


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_sentence_has_the_same_places(language: str) -> None:
    places = {key: set(_PLACE.findall(sentence)) for key, sentence in catalogue(language).items()}
    wanted = {key: set(_PLACE.findall(sentence)) for key, sentence in catalogue("en").items()}
    assert {key: (found, wanted[key]) for key, found in places.items() if found != wanted[key]} == {}


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_files_are_toml_without_a_table_twice(language: str) -> None:
    text = (PACKAGE / "i18n" / f"{language}.toml").read_text(encoding="utf-8")
    assert tomllib.loads(text)
    assert "\t" not in text


def test_every_sentence_that_is_asked_for_is_there() -> None:
    used = [(path.name, key) for path, expression in called_with() for key in literals(expression)]
    assert len(used) > 100, "the scan finds what is used"
    assert [(name, key) for name, key in used if key not in catalogue("en")] == []


def test_every_beginning_of_a_key_leads_somewhere() -> None:
    dead = [start for start in beginnings() if start and not any(key.startswith(start) for key in catalogue("en"))]
    assert dead == []


def test_no_sentence_is_left_that_nobody_asks_for() -> None:
    spoken, starts = strings_of_the_code(), tuple(filter(None, beginnings()))
    forgotten = {key for key in catalogue("en") if key not in spoken and not key.startswith((*starts, "error."))}
    assert forgotten - COMPOSED == set()


@pytest.mark.parametrize("kind", kinds_of_errors(), ids=lambda kind: kind.__name__)
@pytest.mark.parametrize("language", LANGUAGES)
def test_every_error_says_what_happened_and_what_to_do(kind: type[LingqueError], language: str) -> None:
    i18n.use(language)
    error = kind()
    assert error.what != f"error.{kind.code}.what"
    assert error.next_step != f"error.{kind.code}.next"


def test_no_two_errors_share_a_code() -> None:
    codes = [kind.code for kind in kinds_of_errors()]
    assert len(set(codes)) == len(codes)
    described = {key.split(".")[1] for key in catalogue("en") if key.startswith("error.")}
    assert described == set(codes)


def test_values_are_put_in_as_text_and_nothing_in_them_is_filled_in() -> None:
    assert i18n.translate("en", "command_unknown", word="{near}") == "There is no command /{near}."
    assert i18n.translate("zh", "no_such_key") == "no_such_key"
    assert i18n.translate("xx", "quit_yes") == "leave"


@pytest.mark.parametrize(
    ("environment", "language"),
    [
        ({}, "en"),
        ({"LANG": "zh_CN.UTF-8"}, "zh"),
        ({"LC_ALL": "C", "LANG": "zh_TW"}, "zh"),
        ({"LC_ALL": "en_US.UTF-8", "LANG": "zh_CN"}, "en"),
        ({"LANGUAGE": "zh:en"}, "zh"),
        ({"LANG": "POSIX"}, "en"),
        ({"LANG": "de_DE.UTF-8"}, "de"),
    ],
)
def test_the_locale_tells_the_language(environment: dict[str, str], language: str) -> None:
    assert i18n.detect(environment) == language


def test_a_language_nobody_wrote_is_english(monkeypatch: pytest.MonkeyPatch) -> None:
    assert i18n.use("de") == "en" == i18n.current()
    monkeypatch.setenv("LC_ALL", "zh_CN.UTF-8")
    assert i18n.use("auto") == "zh"
