"""The estimate stays near the exact counts of three vocabularies, on every kind of text people send."""

from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lingque_tui.tokens import Counter
from lingque_tui.tokens.estimate import estimate
from tests.tokens.samples import KINDS


@pytest.mark.parametrize("vocabulary", ["o200k_base", "glm4", "qwen3"])
@pytest.mark.parametrize("kind", KINDS)
def test_each_kind_of_text_is_within_a_fifth_of_the_exact_count(kind: str, vocabulary: str) -> None:
    text = "\n\n".join(KINDS[kind])
    assert estimate(text) == pytest.approx(Counter(vocabulary).count(text), rel=0.20)


@pytest.mark.parametrize("text", [sample for kind, samples in KINDS.items() if kind != "chinese" for sample in samples])
def test_each_single_sample_is_within_a_fifth_of_the_middle(text: str) -> None:
    counts = [Counter(vocabulary).count(text) for vocabulary in ("o200k_base", "glm4", "qwen3")]
    assert estimate(text) == pytest.approx(sum(counts) / 3, rel=0.20)


def test_nothing_is_no_token_and_anything_is_at_least_one() -> None:
    assert estimate("") == 0
    assert all(estimate(text) == 1 for text in ("a", " ", "\n", "7", "\x00", "，", "好"))


@given(st.text(st.characters(codec="utf-8")))
def test_no_text_has_more_tokens_than_bytes(text: str) -> None:
    assert estimate(text) <= len(text.encode())


@given(st.text(), st.text())
def test_a_longer_text_never_costs_much_less(text: str, more: str) -> None:
    """Where two texts meet, two pieces may become one; no more than that may be saved."""
    assert estimate(text + more) >= estimate(text) - 1


@given(st.text(st.characters(codec=None)))
def test_even_text_that_can_not_be_sent_is_counted(text: str) -> None:
    assert estimate(text) >= bool(text)


@pytest.mark.parametrize(
    "line", ["def count(self, text: str) -> int:\n    return 1\n", "今天下了一场大雨，明天呢？", "a"]
)
def test_a_megabyte_takes_less_than_half_a_second(line: str) -> None:
    text = (line * (1_000_000 // len(line.encode()) + 1))[:1_000_000]
    started = time.process_time()
    estimate(text)
    assert time.process_time() - started < 0.5
