"""How many tokens a text is, roughly, for models whose vocabulary nobody here has.

Vocabularies differ in their words but cut a text alike before they look any up: a word with the space before it,
three digits, a run of signs, a run of Chinese. So the text is cut the same way, and each piece has a price:
one part for being there, one for each character. The prices were fitted to o200k_base, glm4 and qwen3 over
source code, documentation and chat in both languages; each kind of text comes out within ±20 % of all three.

It refuses to be exact: a literary Chinese text takes up to half more than a technical one of the same length.
"""

from __future__ import annotations

import re
from math import ceil


def estimate(text: str) -> int:
    """Tokens in `text`, in one pass: about 0.1 s for a million characters."""
    total = 0.0
    for piece in _PIECE.finditer(text):
        start, end = piece.span()
        flat, per_character = _PRICES[piece.lastindex or 0]
        total += flat + per_character * (end - start)
    return ceil(total)


_HAN = "\u3400-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"
_KANA_HANGUL = "\u1100-\u11ff\u3040-\u30ff\uac00-\ud7af"
_WIDE_SIGNS = "\u2010-\u2027\u3000-\u303f\uff00-\uffef"
_EMOJI = "\u200d\u2190-\u2bff\ufe0f\U0001f000-\U0001faff"

# kind: what belongs to it, its price for a piece, its price for each character
_KINDS = (
    (rf"[{_HAN}]+", 0.3, 0.66),
    # Fourteen letters at most, and a new piece at a capital: names like readFileSync and long hashes cost more.
    (r" ?(?:[A-Z]?[a-z]{1,14}|[A-Z]{1,14}(?![a-z]))", 0.87, 0.042),
    # Some take three digits as one token, some as three.
    (r"[0-9]{1,3}", 0.36, 0.51),
    (r"[ \t]*[\r\n]+", 0.1, 0.05),
    (r"[ \t]+(?= [^\s\d])|[ \t]+", 0.54, 0.016),
    (r" ?[!-/:-@\[-`{-~]+\n*", 0.22, 0.33),
    (rf"[{_WIDE_SIGNS}]", 0.0, 0.79),
    (rf"[{_EMOJI}]", 0.0, 1.5),
    (rf" ?[{_KANA_HANGUL}]+", 0.1, 0.62),
    # Other alphabets, and the accented letters that break a Latin word in two.
    (r" ?[^\W\d_]+", 0.7, 0.12),
    (r"(?s:.)", 0.0, 0.7),
)
_PIECE = re.compile("|".join(f"({pattern})" for pattern, _, _ in _KINDS))
_PRICES = ((0.0, 0.0), *((flat, per_character) for _, flat, per_character in _KINDS))
