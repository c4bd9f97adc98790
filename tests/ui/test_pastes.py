from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from lingque_tui.ui.pastes import BIG_CHARACTERS, BIG_LINES, Pastes, is_big

drafts = st.lists(st.tuples(st.text("ab ⟦⟧1\n", max_size=10), st.text(max_size=50)), max_size=5)


@given(drafts)
def test_a_draft_with_placeholders_expands_to_what_was_pasted_into_it(pieces: list[tuple[str, str]]) -> None:
    pastes = Pastes()
    typed = [words.replace("⟦", "[") for words, _ in pieces]
    draft = "".join(words + pastes.keep(pasted) for words, (_, pasted) in zip(typed, pieces, strict=True))
    assert pastes.expand(draft) == "".join(words + pasted for words, (_, pasted) in zip(typed, pieces, strict=True))


@given(st.text())
def test_a_draft_without_pastes_is_what_it_says(draft: str) -> None:
    assert Pastes().expand(draft) == draft


def test_a_placeholder_within_a_paste_stays_as_it_is() -> None:
    pastes = Pastes()
    first = pastes.keep("the first")
    second = pastes.keep(f"quotes {first}")
    assert pastes.expand(second) == f"quotes {first}"


def test_a_placeholder_of_somebody_else_stays_as_it_is() -> None:
    pastes = Pastes()
    pastes.keep("mine")
    assert pastes.expand("⟦7 pasted: 3 lines⟧") == "⟦7 pasted: 3 lines⟧"


def test_a_placeholder_taken_out_leaves_nothing_behind() -> None:
    pastes = Pastes()
    pastes.keep("gone")
    kept = pastes.keep("kept")
    assert pastes.expand(f"only {kept}") == "only kept"


def test_long_texts_and_many_lines_are_big() -> None:
    assert not is_big("x" * BIG_CHARACTERS)
    assert is_big("x" * (BIG_CHARACTERS + 1))
    assert not is_big("\n" * (BIG_LINES - 1))
    assert is_big("\n" * BIG_LINES)
