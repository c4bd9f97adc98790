"""Text from outside is harmless after cleaning, however it was cut on its way."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lingque_tui.domain.clean import StreamCleaner, clean, clean_line, is_clean

NASTY = st.text(
    st.one_of(
        st.sampled_from("\x1b\x1b\x9b\x9d\x90\x07\x9c\\[]P0;?52cm \n\r\x00\u202e\u2066\ud83d\ude00\ud800\udfffa你"),
        st.characters(codec=None),
    ),
    max_size=60,
)


@pytest.mark.parametrize(
    ("dirty", "expected"),
    [
        ("plain 你好 👩‍👩‍👧 é\tx\n", "plain 你好 👩‍👩‍👧 é\tx\n"),
        ("a\x1b[2Jb", "ab"),
        ("a\x1b]52;c;aGk=\x07b", "ab"),
        ("a\x1b]8;;http://x\x1b\\link\x1b]8;;\x1b\\b", "alinkb"),
        ("a\x9b31mred", "ared"),
        ("a\x9d0;title\x9cb", "ab"),
        ("a\x1bPq#0\x1b\\b", "ab"),
        ("a\x1bcb", "ab"),
        ("never ends \x1b]52;c;but this was said", "never ends 52;c;but this was said"),
        ("one\r\ntwo\rthree\u2028four", "one\ntwo\nthree\nfour"),
        ("nul\x00bell\x07del\x7f", "nulbelldel"),
        ("\u202eevil\u202c \u2066x\u2069", "evil x"),
        ("lone \ud800 pair \ud83d\ude00", "lone \ufffd pair 😀"),
    ],
)
def test_what_a_terminal_would_obey_is_gone(dirty: str, expected: str) -> None:
    assert clean(dirty) == expected


@given(NASTY)
def test_cleaned_text_is_clean_and_stays_as_it_is(text: str) -> None:
    once = clean(text)
    assert is_clean(once)
    assert clean(once) == once
    once.encode("utf-8")


@given(NASTY, st.data())
def test_a_stream_cut_anywhere_gives_the_same_text(text: str, data: st.DataObject) -> None:
    cuts = sorted(data.draw(st.lists(st.integers(0, len(text)), max_size=6)))
    cleaner = StreamCleaner()
    pieces = [text[a:b] for a, b in zip([0, *cuts], [*cuts, len(text)], strict=True)]
    assert "".join(map(cleaner.feed, pieces)) + cleaner.finish() == clean(text)


def test_a_sequence_cut_in_the_middle_never_leaks_its_tail() -> None:
    cleaner = StreamCleaner()
    shown = [cleaner.feed(p) for p in ("a\x1b", "]52;c", ";aGk=", "\x07b")]
    assert shown == ["a", "", "", "b"]


def test_a_name_is_one_short_line() -> None:
    assert clean_line("a\x1b[31m\nb\t c" + "x" * 500, limit=12) == "a b cxxxxxx…"


def test_a_million_hostile_characters_take_linear_time() -> None:
    assert clean("\x1b]" * 500_000) == ""
    assert len(clean("\x1b]x" * 300_000)) == 300_000
