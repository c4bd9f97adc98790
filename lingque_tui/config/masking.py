"""Keys as they may be seen by others: on a screenshot, in a bug report, over a shoulder.

It refuses to guess much: only what is plainly a key is taken for one, since settings are text too.
"""

from __future__ import annotations

import re

from lingque_tui.domain.clean import clean_line

_HIDDEN = "••••"
_SHORTEST_SHOWN = 16
"""Below this length, four characters would be too large a share of the key."""

_PREFIX = re.compile(r"[A-Za-z]{2,4}[-_]")
_SECRET = re.compile(
    r"(?:sk|pk|gsk|hf|xai)[-_][\w.-]{8,}"  # most hosts
    r"|AIza[\w-]{20,}"  # Google
    r"|eyJ[\w-]+\.[\w.-]+"  # JSON web tokens
    r"|[A-Za-z0-9]{32,}(?:\.[A-Za-z0-9]+)?"  # Zhipu, and bare random ones
)
_WORD = re.compile(r"[\w.-]{8,}")
_USER_INFO = re.compile(r"(?<=://)[^/@\s]+@")


def mask(key: str) -> str:
    """`sk-…a1b2`: enough to tell two keys apart, never more than four characters of the end."""
    key = clean_line(key)
    if len(key) < _SHORTEST_SHOWN:
        return _HIDDEN
    prefix = _PREFIX.match(key)
    return f"{prefix[0] if prefix else ''}…{key[-4:]}"


def looks_secret(text: str) -> bool:
    return _SECRET.fullmatch(text.strip()) is not None


def hide_secrets(text: str) -> str:
    """`text` fit to be shown: a key masked, a name and password gone from an address."""
    return mask(text) if looks_secret(text) else _USER_INFO.sub(f"{_HIDDEN}@", text)


def hide_secrets_in(sentence: str) -> str:
    """`sentence` with every word masked that looks like a key: messages of foreign errors may quote one."""
    return _WORD.sub(lambda word: hide_secrets(word[0]), hide_secrets(sentence))
