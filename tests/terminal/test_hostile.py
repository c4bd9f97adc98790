"""What the terminal receives when hostile text is shown: letters, and escapes of our own making only.

Every byte that was written is read by a small grammar. A marker that turns up inside an escape means that some
text was obeyed on its way; a control, direction or surrogate character outside of one means that a real terminal
would have been. What is lost of the picture is asked elsewhere: here the screen itself may look as it likes.
"""

from __future__ import annotations

import asyncio
import contextlib
import re

from lingque_tui.domain.messages import Role
from lingque_tui.store import NewMessage
from tests.support.chat_server import ChatServer, http_error
from tests.support.hostile import HOSTILE, MARKERS, SHORT, storable
from tests.support.scripts import READY, Home
from tests.support.terminal import Condition, ScreenTimeout, Terminal

CTRL_HOME = "\x1b[1;5H"
CTRL_S = "\x13"
DOWN = "\x1b[B"
PAGE_DOWN = "\x1b[6~"

_ESCAPE = re.compile(
    r"\x1b\[[0-?]*[ -/]*[@-~]"  # CSI
    r"|\x1b[\]P_^X][^\x07\x1b]*(?:\x07|\x1b\\)"  # strings: OSC, DCS, APC, PM, SOS
    r"|\x1b[ -/]*[0-~]"
)
_OURS = re.compile(
    r"\x1b\[[\d;]*[mHKJ]"  # colours, places, clearing
    r"|\x1b\[\?(?:7|25|47|1000|1003|1004|1006|1015|1049|2004|2026|2048)[hl]"  # modes that Textual switches
    r"|\x1b\[\?(?:2026|2048)\$p"  # and asks for
    r"|\x1b\[[<>]\d*u"  # kitty's keys on and off
    r"|\x1b\]22;[a-z-]*\x07"  # the pointer's shape
)
_FORBIDDEN = re.compile(
    "[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff\ud800-\udfff]"
)


def assert_harmless(terminal: Terminal) -> None:
    written = terminal.raw.decode("utf-8")  # strictly: half a character would be one more way to act
    escapes = _ESCAPE.findall(written)
    assert not [escape for escape in escapes if any(marker in escape for marker in MARKERS)]
    assert not {escape for escape in escapes if not _OURS.fullmatch(escape)}
    text = _ESCAPE.sub("", written)
    assert not {
        f"{match[0]!r} in {text[match.start() - 20 : match.end() + 20]!r}" for match in _FORBIDDEN.finditer(text)
    }


def test_in_replies_and_pastes(home: Home) -> None:
    home.script(*({"text": text, "reasoning": text} for text in _together()), piece_size=97)
    with home.start() as terminal:
        terminal.wait_for(READY)
        for text in _together():
            terminal.send(_as_terminals_paste(text))
        _wait_until_said(home, terminal, 2 * len(_together()))
    assert_harmless(terminal)


def _as_terminals_paste(text: str) -> str:
    """Every terminal of today takes the escape out of a paste, else a paste could type."""
    harmless = storable(text).replace("\x1b", "")
    return f"\x1b[200~{harmless}\x1b[201~\r"


def _together(size: int = 4) -> list[str]:
    """The beginnings of all texts, a few in one: their bytes are looked for, not their looks."""
    beginnings = [text[:1_000] for text in HOSTILE.values()]
    return ["\n\n".join(beginnings[start : start + size]) for start in range(0, len(beginnings), size)]


def _wait_until_said(home: Home, terminal: Terminal, count: int, within_s: float = 40.0) -> None:
    deadline = terminal.elapsed + within_s
    while len(home.messages(limit=500)) < count:
        assert terminal.is_alive and terminal.elapsed < deadline, terminal.screen()


def test_in_what_the_store_holds(home: Home) -> None:
    """As another program may have left it there: nobody cleaned it on its way in."""
    for text in SHORT.values():
        home.fill([NewMessage(Role.USER, "x")], title=storable(text))
    said = [NewMessage(role, storable(text)) for text in HOSTILE.values() for role in (Role.USER, Role.ASSISTANT)]
    home.fill(
        [NewMessage(Role.USER, "the beginning"), *said, NewMessage(Role.USER, "the end")], storable("\x1b]0;t\x07[/]")
    )
    with home.start() as terminal:
        terminal.wait_for("the end")
        terminal.send(CTRL_HOME)
        terminal.wait_for(lambda screen: "the beginning" in screen and "the end" not in screen)
        _page_down_to(terminal, "the end")
        terminal.send(CTRL_S)
        terminal.wait_for("Search by title")
        terminal.send(DOWN * len(SHORT))
        _search_in_vain(terminal)
    assert_harmless(terminal)


def _page_down_to(terminal: Terminal, words: str, within_s: float = 20.0) -> None:
    deadline = terminal.elapsed + within_s
    while words not in terminal.screen():
        assert terminal.is_alive and terminal.elapsed < deadline, terminal.screen()
        terminal.send(PAGE_DOWN)
        with contextlib.suppress(ScreenTimeout):  # at an edge: more is on its way from the store
            terminal.wait_for(_other_than(terminal.screen()), 0.5)


def _other_than(before: str) -> Condition:
    return lambda screen: screen != before


def _search_in_vain(terminal: Terminal) -> None:
    terminal.send("qqq")
    terminal.wait_for("nothing found")


async def test_in_errors_and_names_of_a_server(home: Home) -> None:
    names = [{"id": storable(text)} for text in SHORT.values()]
    async with ChatServer(models=[{"id": "m"}, *names]) as server:
        server.queue(*(http_error(400, {"message": words}) for words in _numbered_cases()))
        home.configure(f'[chat]\nmodel = "near/m"\n[providers.near]\nbase_url = "{server.url}"\nmodels = ["m"]\n')
        with home.start() as terminal:
            await asyncio.to_thread(_provoke_all, terminal)
    assert_harmless(terminal)


def _numbered_cases() -> list[str]:
    return [f"case{number:02d} {storable(text)}" for number, text in enumerate(SHORT.values())]


def _provoke_all(terminal: Terminal) -> None:
    terminal.wait_for("near/m")
    for number in range(len(SHORT)):
        terminal.send("/retry\r" if number else "hello\r")
        terminal.wait_for(f"case{number:02d}")
    terminal.send("/model\r")
    terminal.wait_for("near/mark")
    terminal.send(DOWN * len(SHORT))
    _search_in_vain(terminal)
