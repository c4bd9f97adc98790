"""The window's arithmetic: nothing is lost by cutting, and something always stays."""

from __future__ import annotations

from hypothesis import example, given
from hypothesis import strategies as st

from lingque_tui.domain.messages import Message, Role
from lingque_tui.ui import window

texts = st.text(st.sampled_from("ab \n中"), max_size=400)
conversations = st.lists(texts, min_size=1, max_size=30).map(
    lambda said: [Message(str(seq), seq, "s", Role.USER, text, 0.0) for seq, text in enumerate(said)]
)


@given(texts, st.integers(2, 50))
def test_the_parts_of_a_monster_are_the_monster(text: str, size: int) -> None:
    parts = window.parts(text, size)
    assert "".join(parts) == text
    assert all(0 < len(part) <= size for part in parts)


@given(st.lists(st.text("ab", max_size=20), min_size=1, max_size=20))
def test_a_monster_is_cut_at_the_ends_of_lines_where_they_are_near(lines: list[str]) -> None:
    text = "\n".join(lines)
    assert all(part.endswith("\n") for part in window.parts(text, 60)[:-1])


@given(st.lists(st.integers(0, 100), max_size=30), st.integers(0, 300))
def test_what_stays_fits_and_nothing_goes_without_need(weights: list[int], budget: int) -> None:
    going = window.surplus(weights, budget)
    staying = weights[going:]
    assert sum(staying) <= budget or len(staying) == 1
    if going:
        assert sum(weights[going - 1 :]) > budget
    if weights:
        assert staying


@given(conversations, st.integers(1, 200), st.integers(1, 60))
def test_the_ends_of_a_conversation_fill_the_rows_asked_for(said: list[Message], width: int, rows: int) -> None:
    def height(messages: list[Message]) -> int:
        return sum(window.estimated_rows(message.text, width) for message in messages)

    newest, oldest = list(window.newest_to_fill(said, width, rows)), list(window.oldest_to_fill(said, width, rows))
    assert newest == said[-len(newest) :]
    assert oldest == said[: len(oldest)]
    for shown, without_last in ((newest, newest[1:]), (oldest, oldest[:-1])):
        assert shown
        assert height(shown) >= rows or shown == said
        assert height(without_last) < rows


@given(texts, st.integers(20, 200))
@example("中" * 100, 100)
def test_an_estimate_grows_with_the_text(text: str, width: int) -> None:
    assert window.estimated_rows(text + text, width) >= window.estimated_rows(text, width)
    assert window.estimated_rows(text + "\n", width) == window.estimated_rows(text, width) + 1


def test_wide_characters_take_twice_the_room() -> None:
    assert window.estimated_rows("中" * 100, 100) - window.estimated_rows("a" * 100, 100) == 1


def test_ordinary_texts_are_no_monsters() -> None:
    assert not window.is_monster("")
    assert not window.is_monster("word " * 900)
    assert not window.is_monster("\n".join(["| a | b |"] * 100))


def test_long_lines_many_lines_much_text_and_large_tables_are_monsters() -> None:
    assert window.is_monster("x" * (window.MONSTER_LINE + 1))
    assert window.is_monster("\n" * (window.MONSTER_LINES + 1))
    assert window.is_monster("word \n" * (window.MONSTER_CHARACTERS // 5))
    assert window.is_monster("\n".join(["|" + "c|" * 60] * 30))
