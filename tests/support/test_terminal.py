"""The terminal that tests rely on is itself tested, with small programs."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchmarks.bare_app import PLACEHOLDER
from tests.support.terminal import ScreenTimeout, Terminal, _Queries

Run = Callable[..., Terminal]

RAW = "import os, sys, tty; tty.setraw(0)\n"
"""As a full-screen program does: keys arrive one by one, and nothing is echoed."""


@pytest.fixture
def run(tmp_path: Path) -> Iterator[Run]:
    """Run a piece of Python in a terminal."""
    opened: list[Terminal] = []

    def start(program: str, **options: int) -> Terminal:
        # -I -S: a bare interpreter starts three times as fast.
        opened.append(Terminal([sys.executable, "-I", "-S", "-c", program], tmp_path, folder=tmp_path, **options))  # type: ignore[arg-type]
        return opened[-1]

    yield start
    for terminal in opened:
        terminal.close()


def test_what_is_printed_is_on_the_screen(run: Run) -> None:
    terminal = run("print('hello'); print('there')")
    terminal.wait_for("there")
    assert terminal.screen() == "hello\nthere"
    assert terminal.raw == b"hello\r\nthere\r\n"


def test_a_wide_character_is_one_character(run: Run) -> None:
    terminal = run("print('你好，世界|😀|')")
    terminal.wait_for("你好，世界|😀|")


def test_the_program_sees_the_size_it_was_given_and_every_change(run: Run) -> None:
    terminal = run(
        "import os, signal\n"
        "show = lambda *_: print(*os.get_terminal_size(), flush=True)\n"
        "signal.signal(signal.SIGWINCH, show); show(); input()",
        columns=77,
        rows=21,
    )
    terminal.wait_for("77 21")
    terminal.resize(100, 30)
    terminal.wait_for("100 30")


def test_the_program_sees_nothing_of_our_environment(run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SOME_API_KEY", "secret")
    terminal = run("import os; print(os.environ['HOME'], 'SOME_API_KEY' in os.environ, 'end')", columns=300)
    terminal.wait_for(f"{tmp_path} False end")


def test_what_is_typed_reaches_the_program(run: Run) -> None:
    terminal = run("print('Hello, ' + input('name? ') + '!')")
    terminal.wait_for("name?")
    terminal.send("灵雀\r")
    terminal.wait_for("Hello, 灵雀!")
    assert terminal.wait() == 0


def test_it_is_a_controlling_terminal(run: Run) -> None:
    terminal = run(
        "open('/dev/tty').close(); print('mine', flush=True)\n"
        "try: input()\nexcept KeyboardInterrupt: raise SystemExit(7)"
    )
    terminal.wait_for("mine")
    terminal.send("\x03")
    assert terminal.wait() == 7


def test_waiting_in_vain_shows_the_screen(run: Run) -> None:
    terminal = run("print('only this'); input()")
    terminal.wait_for("only this")
    with pytest.raises(ScreenTimeout, match=r"(?s)'something else'.*only this"):
        terminal.wait_for("something else", timeout=0.05)


def test_nobody_waits_for_a_program_that_has_ended(run: Run) -> None:
    terminal = run("print('bye')")
    with pytest.raises(ScreenTimeout, match="has ended"):
        terminal.wait_for("something else", timeout=60)
    assert terminal.elapsed < 30


def test_waiting_tells_when_the_output_arrived_not_when_it_was_looked_at(run: Run) -> None:
    terminal = run("print('first', flush=True); input(); print('second', flush=True); input()")
    first = terminal.wait_for(lambda text: "first" in text)
    terminal.send("\r")
    second = terminal.wait_for("second")
    assert 0 < first < second < terminal.elapsed
    assert terminal.wait_for("second") == second


@pytest.mark.parametrize(
    ("query", "answer"),
    [
        (r"\x1b[c", r"\x1b\[\?62;22c"),
        (r"\x1b[>c", r"\x1b\[>41;\d+;0c"),
        (r"\x1b[>0q", r"\x1bP>\|XTerm\(\d+\)\x1b\\"),
        (r"\x1b[5n", r"\x1b\[0n"),
        (r"\x1b[3;5H\x1b[6n", r"\x1b\[3;5R"),
        (r"\x1b[?996n", r"\x1b\[\?997;1n"),
        (r"\x1b[?u", r"\x1b\[\?0u"),
        (r"\x1b[14t", r"\x1b\[4;720;1200t"),
        (r"\x1b[16t", r"\x1b\[6;20;10t"),
        (r"\x1b[18t", r"\x1b\[8;36;120t"),
        (r"\x1b[?2026$p", r"\x1b\[\?2026;2\$y"),
        (r"\x1b[?2048$p", r"\x1b\[\?2048;0\$y"),
        (r"\x1b]10;?\x07", r"\x1b\]10;rgb:e6e6/e6e6/e6e6\x1b\\"),
        (r"\x1b]11;?\x1b\\", r"\x1b\]11;rgb:1a1a/1b1b/2626\x1b\\"),
    ],
)
def test_queries_are_answered_as_a_terminal_does(run: Run, query: str, answer: str) -> None:
    # The program says what it was told in hexadecimal, so that the answer itself has no effect on the screen.
    terminal = run(f"{RAW}os.write(1, b'{query}'); print('<' + os.read(0, 99).hex() + '>', flush=True)")
    terminal.wait_for(">")
    told = re.search(r"<(\w+)>", terminal.screen())
    assert told is not None
    assert re.fullmatch(answer.encode(), bytes.fromhex(told[1]))


def test_a_cut_query_is_still_a_query() -> None:
    queries = _Queries()
    assert [match[0] for piece in (b"a\x1b", b"[", b"?2026", b"$pb") for match in queries.feed(piece)] == [
        b"\x1b[?2026$p"
    ]


@given(st.text(st.sampled_from("\x1b[]?$>;\x07\\cnptu0126 "), max_size=40), st.data())
def test_queries_are_found_however_the_output_is_cut(output: str, data: st.DataObject) -> None:
    cuts = sorted(data.draw(st.lists(st.integers(0, len(output)), max_size=5)))
    pieces = [output[a:b].encode() for a, b in zip([0, *cuts], [*cuts, len(output)], strict=True)]
    queries = _Queries()
    found = [match[0] for piece in pieces for match in queries.feed(piece)]
    assert found == [match[0] for match in _Queries().feed(output.encode())]


@pytest.mark.parametrize(
    "sequence",
    [
        r"\x1b[>1u",
        r"\x1b[<u",
        r"\x1b[?u",
        r"\x1b[=1;1u",
        r"\x1b[?2026$p",
        r"\x1b[?2026h",
        r"\x1b[>4;2m",
        r"\x1b[4 q",
        r"\x1b[?996n",
        r"\x1b[16t",
        r"\x1b]52;c;aGk=\x07",
        r"\x1b]0;title\x07",
        r"\x1bP+q544e\x1b\\",
        r"\x1b_Gi=1;AAAA\x1b\\",
    ],
)
def test_sequences_without_a_picture_leave_none(run: Run, sequence: str) -> None:
    terminal = run(
        f"{RAW}whole = b'a{sequence}b.'\nfor i in range(len(whole)): os.write(1, whole[i:i+1])\nos.read(0, 1)"
    )
    terminal.wait_for(".")
    assert terminal.screen() == "ab."


def test_keys_are_timed_until_their_picture(run: Run) -> None:
    # Each key is shown between colours whose codes hold the same letters and digits.
    terminal = run(
        f"import time\n{RAW}os.write(1, b'ready')\n"
        "while key := os.read(0, 8): time.sleep(0.03); os.write(1, b'\\x1b[31m' + key + b'\\x1b[m')"
    )
    terminal.wait_for("ready")
    latencies = terminal.keystroke_latency("3m1m你")
    assert len(latencies) == 5
    assert all(0.03 <= latency < 1 for latency in latencies)
    assert terminal.screen() == "ready3m1m你"


def test_a_textual_app_paints_takes_keys_and_leaves_the_terminal_in_order(tmp_path: Path) -> None:
    with Terminal([sys.executable, "-m", "benchmarks.bare_app"], tmp_path, columns=60, rows=12) as terminal:
        terminal.wait_for(PLACEHOLDER, timeout=20)
        assert all(0 < latency < 2 for latency in terminal.keystroke_latency("灵雀x"))
        terminal.send("\x11")
        assert terminal.wait() == 0
    assert terminal.raw.rindex(b"\x1b[?1049l") > terminal.raw.rindex(b"\x1b[?1049h")


def test_a_signal_reaches_the_program(run: Run) -> None:
    terminal = run(
        "import signal, sys\nsignal.signal(signal.SIGTERM, lambda *_: sys.exit(3))\nprint('up', flush=True); input()"
    )
    terminal.wait_for("up")
    assert terminal.is_alive
    terminal.kill(signal.SIGTERM)
    assert terminal.wait() == 3
    assert not terminal.is_alive


def test_a_killed_program_says_so(run: Run) -> None:
    terminal = run("print('up', flush=True); input()")
    terminal.wait_for("up")
    terminal.kill()
    assert terminal.wait() == -signal.SIGKILL


def test_closing_ends_what_was_started_and_nothing_else(tmp_path: Path) -> None:
    with subprocess.Popen(["cat"], stdin=subprocess.PIPE) as stranger:
        with Terminal(["/bin/sh", "-c", "sleep 60 & echo child $! ready; wait"], tmp_path) as terminal:
            terminal.wait_for("ready")
            child = int(terminal.screen().split()[1])
            os.kill(child, 0)
        assert not terminal.is_alive
        assert _ends(child)
        assert stranger.poll() is None
        stranger.communicate()


def test_closing_hangs_up_first_so_that_a_program_can_leave_in_order(tmp_path: Path) -> None:
    with Terminal(["/bin/sh", "-c", "trap 'echo left; exit 5' HUP; echo up; cat"], tmp_path) as terminal:
        terminal.wait_for("up")
    assert terminal.wait() == 5
    assert "left" in terminal.screen()


def test_closing_kills_a_program_that_will_not_leave(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tests.support.terminal.HANG_UP_PATIENCE_S", 0.1)
    with Terminal(["/bin/sh", "-c", "trap '' HUP; echo up; cat"], tmp_path) as terminal:
        terminal.wait_for("up")
    assert terminal.wait() == -signal.SIGKILL


def test_closing_twice_and_sending_to_the_dead_do_no_harm(tmp_path: Path) -> None:
    terminal = Terminal(["true"], tmp_path)
    assert terminal.wait() == 0
    terminal.send("hello?")
    terminal.close()
    terminal.close()


def _ends(pid: int, timeout: float = 5.0) -> bool:
    """Whether it ends in time: nobody is there, or a body that its adoptive parent has not buried yet."""
    deadline = time.monotonic() + timeout
    while time.monotonic() < deadline:
        listed = subprocess.run(["ps", "-o", "stat=", "-p", str(pid)], capture_output=True, text=True, check=False)
        if listed.stdout.strip()[:1] in ("", "Z"):
            return True
    return False
