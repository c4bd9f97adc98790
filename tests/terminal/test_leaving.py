"""Every way out leaves the terminal as it was found and nothing said behind: asked for, signalled, crashed, killed."""

from __future__ import annotations

import re
import signal
import subprocess
import sys

import pytest

from lingque_tui.domain.messages import MessageState
from tests.support.scripts import PROGRAM, READY, ROOT, Home, newest_number, numbered
from tests.support.terminal import Terminal, clean_environment

RESTORED = {
    "the alternate screen is left": b"\x1b[?1049l",
    "the cursor is shown": b"\x1b[?25h",
    "mouse clicks are off": b"\x1b[?1000l",
    "mouse movements are off": b"\x1b[?1003l",
    "extended mouse reports are off": b"\x1b[?1006l",
    "bracketed paste is off": b"\x1b[?2004l",
    "focus reports are off": b"\x1b[?1004l",
    "kitty's keys are off": b"\x1b[<u",
}

SECRET = "sk-secret1234567890abcdef"
CRASHING = f"""
import lingque_tui.ui.conversation as conversation

async def begin(self):
    api_key = {SECRET!r}
    raise RuntimeError(api_key)

conversation.Conversation.begin = begin
from lingque_tui.cli.main import main
main()
"""


def missing(raw: bytes) -> list[str]:
    """What was switched on and not off again at the end."""
    return [what for what, code in RESTORED.items() if raw.rfind(code) <= raw.rfind(_switched_on(code))]


def _switched_on(code: bytes) -> bytes:
    if code == b"\x1b[<u":
        return b"\x1b[>"
    return code[:-1] + (b"l" if code.endswith(b"h") else b"h")


def start_streaming(home: Home) -> Terminal:
    home.script(numbered(3000), delay_s=0.01)
    terminal = home.start()
    terminal.wait_for(READY)
    terminal.send("count, please\r")
    terminal.wait_for(lambda screen: newest_number(screen) >= 20)
    return terminal


def test_quit_leaves_with_zero_and_the_terminal_as_it_was(home: Home) -> None:
    with home.start() as terminal:
        terminal.wait_for(READY)
        terminal.send("/quit\r")
        assert terminal.wait() == 0
        assert missing(terminal.raw) == []


def test_control_c_asks_before_leaving(home: Home) -> None:
    with home.start() as terminal:
        terminal.wait_for(READY)
        terminal.send("\x03")
        terminal.wait_for("Leave Lingque?")
        terminal.send("y")
        assert terminal.wait() == 0
        assert missing(terminal.raw) == []


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP])
def test_a_signal_restores_the_terminal_and_keeps_draft_and_reply(home: Home, number: signal.Signals) -> None:
    with start_streaming(home) as terminal:
        terminal.send("half a thought")
        terminal.wait_for("half a thought")
        shown = newest_number(terminal.screen())
        terminal.kill(number)
        assert terminal.wait() == 0
        assert missing(terminal.raw) == []
    assert not home.paths.state.exists(), "leaving is no crash"
    reply = home.messages()[-1]
    assert reply.state is MessageState.INTERRUPTED
    assert newest_number(reply.text) >= shown
    assert home.draft() == "half a thought"


def test_a_crash_restores_the_terminal_and_gives_nothing_away(home: Home) -> None:
    with home.start(program=[sys.executable, "-c", CRASHING]) as terminal:
        assert terminal.wait() != 0
        assert missing(terminal.raw) == []
        said = terminal.raw.rpartition(b"\x1b[?1049l")[2]
    assert b"error of its own" in said
    assert b"Traceback" not in terminal.raw and b"sk-secret" not in terminal.raw
    (report,) = home.paths.state.iterdir()
    assert report.stat().st_mode & 0o777 == 0o600
    written = report.read_text()
    assert "RuntimeError" in written and "in begin" in written
    assert SECRET not in written
    assert report.name.encode() in re.sub(rb"\s", b"", said)


def test_without_a_terminal_it_says_so(home: Home) -> None:
    result = subprocess.run(
        PROGRAM,
        cwd=ROOT,
        env=clean_environment(home.folder) | home.environment,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=20,
    )
    assert (result.returncode, result.stdout) == (2, "")
    assert "needs a terminal" in result.stderr
    assert "lingque ask" in result.stderr


def test_a_draft_survives_kill_9(home: Home) -> None:
    with home.start() as terminal:
        terminal.wait_for(READY)
        terminal.send("一个还没写完的想法")
        terminal.wait_for("一个还没写完的想法")
        _wait_for_draft(home, terminal, "一个还没写完的想法")
        terminal.kill()
        terminal.wait()
    with home.start() as terminal:
        terminal.wait_for("一个还没写完的想法")


def _wait_for_draft(home: Home, terminal: Terminal, text: str) -> None:
    """A second after the last key at most."""
    typed = terminal.elapsed
    while home.draft() != text:
        assert terminal.elapsed - typed < 1.0, f"{home.draft()!r} is all that was saved within a second"
