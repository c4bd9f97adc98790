"""What is sent: as much of the newest as fits, in order, every tool result with its call, and a bill that adds up."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from lingque_tui.domain.context import Quality
from lingque_tui.domain.messages import Message, Role, ToolCall
from lingque_tui.session.assembler import Assembly, Budget, Counted, assemble, is_sendable, to_wire

CALL = ToolCall("c1", "read", '{"path": "a"}')
SYSTEM = Counted(Message("system", 0, "s", Role.SYSTEM, "be brief", 0.0), 7)


def entry(seq: int, role: Role = Role.USER, text: str = "words", tokens: int = 10, calls: bool = False) -> Counted:
    message = Message(
        id=f"m{seq}",
        seq=seq,
        session_id="s",
        role=role,
        text=f"{seq} {text}" if text else "",
        created_at=0.0,
        tool_calls=(CALL,) if calls else (),
        tool_call_id="c1" if role is Role.TOOL else "",
    )
    return Counted(message, tokens)


@st.composite
def histories(draw: st.DrawFn) -> list[Counted]:
    kinds = st.sampled_from(["user", "reply", "empty", "calls", "result", "empty result"])
    history: list[Counted] = []
    for seq, kind in enumerate(draw(st.lists(kinds, max_size=25)), start=1):
        tokens = draw(st.integers(0, 40))
        match kind:
            case "user":
                history.append(entry(seq, Role.USER, tokens=tokens))
            case "reply":
                history.append(entry(seq, Role.ASSISTANT, tokens=tokens))
            case "empty":
                history.append(entry(seq, Role.ASSISTANT, "", tokens=tokens))
            case "calls":
                history.append(entry(seq, Role.ASSISTANT, "", tokens=tokens, calls=True))
            case _:
                history.append(entry(seq, Role.TOOL, "" if "empty" in kind else "found", tokens=tokens))
    return history


budgets = st.builds(Budget, st.none() | st.integers(0, 300), st.integers(0, 60), st.none() | st.just(0.8))


def kept_of(assembly: Assembly, sendable: list[Counted]) -> list[Counted]:
    """The entries behind the wires. They must be the newest ones, in order: a suffix of what could be sent."""
    wires = [wire for wire in assembly.messages if wire["role"] != "system"]
    kept = sendable[len(sendable) - len(wires) :]
    assert wires == [to_wire(entry.message) for entry in kept]
    return kept


@given(histories(), budgets, st.booleans(), st.integers(0, 30), st.integers(0, 5))
def test_the_newest_that_fit_go_and_the_bill_adds_up(
    history: list[Counted], budget: Budget, has_system: bool, draft: int, older: int
) -> None:
    system = SYSTEM if has_system else None
    assembly = assemble(system, history, budget, draft_tokens=draft, older=older, quality=Quality.EXACT)
    bill, sendable = assembly.bill, [entry for entry in history if is_sendable(entry.message)]
    kept = kept_of(assembly, sendable)

    assert (bill.system, bill.draft) == (7 if has_system else 0, draft)
    assert bill.recent == sum(entry.tokens for entry in kept)
    assert (bill.window, bill.reserve, bill.line, bill.quality) == (
        budget.window,
        budget.reserve,
        budget.line,
        Quality.EXACT,
    )
    assert bill.left_out == older + len(sendable) - len(kept)
    assert bool(kept) == bool(sendable), "the newest message always goes"
    if budget.room is not None and len(kept) > 1:
        assert bill.used <= budget.room
    if budget.room is not None and kept and len(kept) < len(sendable):
        one_more = sendable[-len(kept) - 1]
        assert bill.used + one_more.tokens > budget.room or one_more.message.role is Role.TOOL, "no room was wasted"
    if budget.room is None:
        assert kept == sendable


@given(histories(), budgets)
def test_no_tool_result_goes_first_without_its_call(history: list[Counted], budget: Budget) -> None:
    assembly = assemble(None, [entry(0), *history, entry(99)], budget)
    assert assembly.messages[0]["role"] != "tool"


def test_results_whose_call_has_fallen_out_fall_out_too() -> None:
    history = [
        entry(1),
        entry(2, Role.ASSISTANT, "", calls=True),
        entry(3, Role.TOOL),
        entry(4, Role.TOOL),
        entry(5),
    ]
    assembly = assemble(None, history, Budget(window=35))
    assert [wire["content"] for wire in assembly.messages] == ["5 words"]
    assert assembly.bill.left_out == 4


def test_an_empty_tool_result_goes_with_its_call() -> None:
    history = [entry(1), entry(2, Role.ASSISTANT, "", calls=True), entry(3, Role.TOOL, ""), entry(4)]
    wires = assemble(None, history, Budget()).messages
    assert [wire["role"] for wire in wires] == ["user", "assistant", "tool", "user"]
    assert wires[1]["tool_calls"] == [
        {"id": "c1", "type": "function", "function": {"name": "read", "arguments": '{"path": "a"}'}}
    ]
    assert wires[2] == {"role": "tool", "content": "", "tool_call_id": "c1"}


def test_the_newest_goes_even_where_it_does_not_fit() -> None:
    assembly = assemble(SYSTEM, [entry(1), entry(2, tokens=500)], Budget(window=100))
    assert [wire["content"] for wire in assembly.messages] == ["be brief", "2 words"]
    assert (assembly.bill.recent, assembly.bill.left_out) == (500, 1)


def test_a_reply_that_holds_no_text_is_not_sent() -> None:
    assembly = assemble(None, [entry(1), entry(2, Role.ASSISTANT, ""), entry(3)], Budget())
    assert [wire["content"] for wire in assembly.messages] == ["1 words", "3 words"]
    assert assembly.bill.left_out == 0
