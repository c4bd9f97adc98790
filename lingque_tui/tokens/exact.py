"""Exact counts by a model's own vocabulary: loaded on first use, kept, shared by all threads.

It refuses to download by itself. What is not bundled comes from tiktoken, which fetches its files and would wait
for a dead network without end; so it is asked only where `TIKTOKEN_CACHE_DIR` names a folder it keeps them in.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from functools import cache
from threading import Lock

Encode = Callable[[str], Sequence[int]]

_loading = Lock()


def encoder(vocabulary: str) -> Encode | None:
    """What turns a text into tokens, or None where the vocabulary can't be had.

    Text that spells a special token is text: `<|endoftext|>` in a message counts by its characters.
    The first call loads for about 50 ms; without the lock, two threads would both do so."""
    with _loading:
        return _load(vocabulary)


def count(encode: Encode, text: str) -> int:
    try:
        return len(encode(text))
    except UnicodeEncodeError:
        # A lone surrogate can't be sent either; it goes out as U+FFFD.
        return len(encode(text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")))


@cache
def _load(vocabulary: str) -> Encode | None:
    from splintr import Tokenizer

    try:
        bundled: Encode = Tokenizer.from_pretrained(vocabulary).encode_ordinary
    except ValueError:
        return _load_with_tiktoken(vocabulary)
    return bundled


def _load_with_tiktoken(vocabulary: str) -> Encode | None:
    if not os.environ.get("TIKTOKEN_CACHE_DIR"):
        return None
    import tiktoken

    try:
        return tiktoken.get_encoding(vocabulary).encode_ordinary
    except (ValueError, OSError):
        return None
