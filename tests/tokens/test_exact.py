"""Exact counts: every bundled vocabulary loads, nothing is downloaded, threads share."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import pytest
import tiktoken

from lingque_tui.tokens import available_vocabularies
from lingque_tui.tokens.exact import Encode, count, encoder
from tests.tokens.samples import KINDS


def loaded(vocabulary: str) -> Encode:
    encode = encoder(vocabulary)
    assert encode is not None
    return encode


@pytest.mark.parametrize("vocabulary", available_vocabularies())
def test_every_bundled_vocabulary_counts(vocabulary: str) -> None:
    assert count(loaded(vocabulary), "") == 0
    assert 4 <= count(loaded(vocabulary), "你好，世界 hello") <= 12


def test_the_first_two_mistral_vocabularies_count_alike() -> None:
    for text in (sample for samples in KINDS.values() for sample in samples):
        assert count(loaded("mistral_v1"), text) == count(loaded("mistral_v2"), text)


@pytest.mark.parametrize("vocabulary", ["o200k_base", "qwen3", "glm4"])
def test_a_special_token_in_a_text_is_text(vocabulary: str) -> None:
    assert count(loaded(vocabulary), "<|endoftext|>") > 1


def test_a_lone_surrogate_counts_like_its_replacement() -> None:
    encode = loaded("o200k_base")
    assert count(encode, "a \ud800 b") == count(encode, "a \ufffd b")


@pytest.mark.parametrize("vocabulary", ["gpt2", "p50k_base", "no-such-thing", ""])
def test_what_is_not_bundled_is_refused_rather_than_downloaded(
    vocabulary: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("TIKTOKEN_CACHE_DIR", raising=False)
    assert encoder(vocabulary) is None


def test_threads_share_one_vocabulary_and_count_the_same() -> None:
    texts = [sample for samples in KINDS.values() for sample in samples] * 20
    alone = [count(loaded("qwen3"), text) for text in texts]
    with ThreadPoolExecutor(8) as threads:
        encoders = list(threads.map(lambda _: loaded("qwen3"), range(16)))
        together = list(threads.map(lambda text: count(loaded("qwen3"), text), texts))
    assert together == alone
    assert len(set(map(id, encoders))) == 1


@pytest.mark.parametrize("encoding", ["o200k_base", "cl100k_base"])
def test_tiktoken_agrees(encoding: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tiktoken.load.read_file", _refuse_to_download)
    try:
        reference = tiktoken.get_encoding(encoding)
    except ConnectionRefusedError:
        pytest.skip("tiktoken would have to download this encoding first")
    for text in (sample for samples in KINDS.values() for sample in samples):
        assert count(loaded(encoding), text) == len(reference.encode_ordinary(text))


def _refuse_to_download(address: str) -> bytes:
    raise ConnectionRefusedError(address)
