"""Answers of servers become errors of ours: the right one, clean, and without the key."""

from __future__ import annotations

from datetime import UTC, datetime
from email.utils import format_datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lingque_tui.domain.clean import is_clean
from lingque_tui.domain.errors import (
    BadReply,
    ContextOverflow,
    ModelNotFound,
    ProviderError,
    QuotaExceeded,
    RateLimited,
    RequestRefused,
    ServerFailed,
    Unauthorized,
)
from lingque_tui.providers.errors import (
    Target,
    error_from_answer,
    error_from_event,
    error_from_finish,
    retry_after,
    to_provider_error,
)

KEY = "sk-very-secret-0123456789"
TARGET = Target(provider="acme", url="http://127.0.0.1:1/v1", variable="ACME_API_KEY", model="m1", key=KEY)


@pytest.mark.parametrize(
    ("status", "body", "expected"),
    [
        (401, {"message": "Incorrect API key"}, Unauthorized),
        (403, {"message": "no"}, Unauthorized),
        (402, {"message": "Insufficient Balance"}, QuotaExceeded),
        (429, {"code": "insufficient_quota", "message": "You exceeded your current quota"}, QuotaExceeded),
        (429, {"type": "exceeded_current_quota_error", "message": "suspended"}, QuotaExceeded),
        (429, {"code": "1113", "message": "您的账户已欠费，请充值后重试。"}, QuotaExceeded),
        (400, {"code": "Arrearage", "message": "Access denied"}, QuotaExceeded),
        (429, {"message": "Rate limit reached for requests"}, RateLimited),
        (404, {"message": "The model `m1` does not exist", "code": "model_not_found"}, ModelNotFound),
        (404, "<html>nginx</html>", BadReply),
        (404, {"detail": "Not Found"}, BadReply),
        (400, {"message": "Model Not Exist"}, ModelNotFound),
        (400, {"code": "1211", "message": "模型不存在，请检查模型代码。"}, ModelNotFound),
        (400, {"message": "m1 is not a valid model ID"}, ModelNotFound),
        (400, {"message": "messages must not be empty"}, RequestRefused),
        (413, "Payload Too Large", RequestRefused),
        (422, {"detail": [{"msg": "field required"}]}, RequestRefused),
        (408, None, ServerFailed),
        (500, {"message": "oops"}, ServerFailed),
        (502, "<html>Bad Gateway</html>", ServerFailed),
        (529, None, ServerFailed),
        (400, {"code": "context_length_exceeded", "message": "long"}, ContextOverflow),
    ],
)
def test_each_answer_becomes_its_error(status: int, body: object, expected: type[ProviderError]) -> None:
    assert type(error_from_answer(status, body, TARGET)) is expected


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ({"code": 429, "message": "Provider returned error"}, RateLimited),
        ({"code": "503", "message": "overloaded"}, ServerFailed),
        ({"type": "rate_limit_error", "message": "slow"}, RateLimited),
        ({"type": "invalid_request_error", "message": "no"}, RequestRefused),
        ({"type": "exceed_context_size_error", "message": "x", "n_ctx": 5}, ContextOverflow),
        ({"code": 429, "message": "maximum context length"}, RateLimited),
        ("Input does not fit in context length.", ContextOverflow),
        ("just broken", ServerFailed),
        (17, ServerFailed),
    ],
)
def test_an_error_inside_the_stream_tells_its_own_kind(body: object, expected: type[ProviderError]) -> None:
    assert type(error_from_event(body, TARGET)) is expected


def test_an_overflow_carries_what_the_server_counted() -> None:
    error = error_from_answer(400, {"message": "token limit: 8 (requested: 9)", "code": "1261"}, TARGET)
    assert (error.values["requested"], error.values["window"]) == (9, 8)


@pytest.mark.parametrize(
    ("reason", "expected"),
    [
        ("sensitive", RequestRefused),
        ("network_error", ServerFailed),
        ("model_context_window_exceeded", ContextOverflow),
        ("stop", type(None)),
        ("length", type(None)),
        ("", type(None)),
    ],
)
def test_finish_reasons_that_are_failures_become_errors(reason: str, expected: type[object]) -> None:
    assert type(error_from_finish(reason, TARGET)) is expected


@given(st.sampled_from([400, 401, 403, 404, 429, 500, 503]), st.text(max_size=300), st.text(max_size=300))
def test_the_key_never_gets_into_an_error(status: int, before: str, after: str) -> None:
    error = error_from_answer(status, {"message": before + KEY + after}, TARGET)
    for text in (str(error), repr(error), error.what, error.next_step, repr(error.values)):
        assert KEY not in text
        assert KEY[:12] not in text


@given(st.text(st.sampled_from("\x1b]52;c[2J\x07\u202ea你\n\ud800"), max_size=80))
def test_what_servers_say_is_clean(said: str) -> None:
    error = error_from_answer(500, {"message": said}, TARGET)
    assert is_clean(error.what)
    assert "\n" not in error.what


def test_a_key_hidden_between_escapes_is_masked_too() -> None:
    hidden = f"{KEY[:5]}\x1b[0m{KEY[5:]}"
    assert KEY not in str(error_from_answer(500, {"message": hidden}, TARGET))


def test_the_person_is_told_which_variable_to_check() -> None:
    assert "ACME_API_KEY" in error_from_answer(401, None, TARGET).next_step


def test_an_exception_nobody_foresaw_is_a_bad_reply() -> None:
    error = to_provider_error(ValueError(f"rubbish {KEY}"), TARGET)
    assert type(error) is BadReply
    assert KEY not in str(error)


NOW = datetime(2030, 1, 1, tzinfo=UTC)


@pytest.mark.parametrize(
    ("headers", "expected"),
    [
        ({}, None),
        ({"retry-after": "7"}, 7.0),
        ({"retry-after": "1.5"}, 1.5),
        ({"retry-after": "-3"}, 0.0),
        ({"retry-after-ms": "250", "retry-after": "9"}, 0.25),
        ({"retry-after": format_datetime(NOW.replace(minute=1), usegmt=True)}, 60.0),
        ({"retry-after": format_datetime(NOW.replace(year=2029), usegmt=True)}, 0.0),
        ({"retry-after": "soon"}, None),
        ({"retry-after": "nan"}, None),
        ({"retry-after": "inf"}, None),
    ],
)
def test_retry_after_is_understood_in_all_its_forms(headers: dict[str, str], expected: float | None) -> None:
    assert retry_after(headers, NOW.timestamp()) == expected


def test_rate_limits_carry_how_long_to_wait() -> None:
    error = error_from_answer(429, {"message": "slow down"}, TARGET, {"retry-after": "3"})
    assert isinstance(error, RateLimited)
    assert error.retry_after == 3.0


def test_a_target_keeps_its_key_to_itself() -> None:
    assert KEY not in repr(TARGET)
