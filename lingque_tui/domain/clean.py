"""Text from outside, made harmless: model replies, files, pastes, server errors, names.

A terminal obeys what it is shown: OSC 52 writes the clipboard, CSI 2J clears the screen, bidi marks reorder
code, a lone surrogate crashes the encoder. So every text is cleaned where it enters. A stream is cleaned
statefully, because a sequence may be cut between two pieces: for any way of cutting,
`"".join(feed(p) for p in pieces) + finish()` equals `clean("".join(pieces))`.

What is left of a sequence that never ends is shown as plain text, its introducer gone: nothing said is lost.
"""

from __future__ import annotations

import re

_LONGEST_STRING = 4096
"""An OSC/DCS string longer than this is no terminal sequence but text after a stray introducer."""

_STRING_BODY = rf"[^\x07\x1b\x9c\n]{{0,{_LONGEST_STRING}}}"
_SEQUENCE = re.compile(
    r"(?:\x1b\[|\x9b)[0-?]*[ -/]*[@-~]"  # CSI: cursor, colour, clear
    rf"|(?:\x1b[\]PX^_]|[\x90\x98\x9d\x9e\x9f]){_STRING_BODY}(?:\x07|\x1b\\|\x9c)"  # OSC, DCS, SOS, PM, APC
    r"|\x1b[ -/]*[0-~]"  # two-character escapes
)
_UNFINISHED = re.compile(
    r"(?:(?:\x1b\[|\x9b)[0-?]*[ -/]*"
    rf"|(?:\x1b[\]PX^_]|[\x90\x98\x9d\x9e\x9f]){_STRING_BODY}\x1b?"
    r"|\x1b[ -/]*"
    r"|\r"
    r"|[\ud800-\udbff])\Z"
)
_PAIR = re.compile("[\ud800-\udbff][\udc00-\udfff]")
_NEWLINE = re.compile("\r\n?|[\u2028\u2029\x85]")
_SURROGATE = re.compile("[\ud800-\udfff]")
_INVISIBLE = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff\ufff9-\ufffb]")
_SUSPECT = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff\ufeff\ufff9-\ufffb]"
)


def clean(text: str) -> str:
    """`text` without terminal escapes, control, bidi and lone surrogate characters; newlines are `\\n`."""
    if not _SUSPECT.search(text):
        return text
    text = _SEQUENCE.sub("", text)
    text = _NEWLINE.sub("\n", text)
    text = _PAIR.sub(lambda pair: pair[0].encode("utf-16", "surrogatepass").decode("utf-16"), text)
    return _INVISIBLE.sub("", _SURROGATE.sub("\ufffd", text))


def clean_line(text: str, limit: int = 200) -> str:
    """One line for a title, a name, a status: white space folded, cut to `limit` characters."""
    line = " ".join(clean(text[: limit * 8]).split())
    return line if len(line) <= limit else line[: limit - 1] + "…"


def is_clean(text: str) -> bool:
    return not _SUSPECT.search(text)


class StreamCleaner:
    """Cleans a text that arrives in pieces."""

    def __init__(self) -> None:
        self._held = ""

    def feed(self, piece: str) -> str:
        if not self._held and not _SUSPECT.search(piece):
            return piece
        text = self._held + piece
        start = _unfinished_start(text)
        self._held = text[start:]
        return clean(text[:start])

    def finish(self) -> str:
        """What was held back, once it is known that nothing more comes."""
        held, self._held = self._held, ""
        return clean(held)


def _unfinished_start(text: str) -> int:
    """Where a sequence begins that the next piece may complete.

    Found by walking over whole sequences first: the bytes of a finished one may look like the start of another."""
    position = 0
    while match := _INTRODUCER.search(text, position):
        if _UNFINISHED.match(text, match.start()):
            return match.start()
        whole = _SEQUENCE.match(text, match.start())
        position = whole.end() if whole else match.start() + 1
    return len(text)


_INTRODUCER = re.compile("[\x1b\x90\x98\x9b\x9d-\x9f\r\ud800-\udbff]")
