"""From whatever the SDK and the servers say to our own tree of errors.

Everything a server wrote is cleaned and shortened, and the key is masked wherever it turns up, before it becomes
part of an error: errors are shown, logged and put into crash reports.
"""

from __future__ import annotations

import json
import math
import re
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from email.utils import parsedate_to_datetime

from lingque_tui.domain.clean import clean, clean_line
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
    Unreachable,
)
from lingque_tui.i18n import t
from lingque_tui.providers.overflow import find_overflow

_NO_MONEY_CODES = frozenset({"insufficient_quota", "exceeded_current_quota_error", "Arrearage", "1113"})
_NO_MONEY = re.compile(r"insufficient|balance|billing|credit|recharge|arrear|余额|欠费|充值", re.IGNORECASE)
_NO_SUCH_MODEL = re.compile(
    r"model.{0,80}(?:not exist|not found|does not exist)|not a valid model|模型不存在", re.IGNORECASE
)
_STATUS_BY_TYPE = {
    "authentication_error": 401,
    "invalid_api_key": 401,
    "insufficient_quota": 402,
    "rate_limit_error": 429,
    "rate_limit_exceeded": 429,
    "invalid_request_error": 400,
    "exceed_context_size_error": 400,
}


@dataclass(frozen=True, slots=True)
class Target:
    """Whom we asked, and for what."""

    provider: str
    url: str = ""
    variable: str = ""
    """Name of the environment variable that holds the key."""
    model: str = ""
    key: str = field(default="", repr=False)


def to_provider_error(problem: BaseException, target: Target, *, started: bool = False) -> ProviderError:
    """Our error for any exception of the SDK's. `started`: the reply had begun, so the server was reached."""
    import openai

    match problem:
        case openai.APIStatusError():
            return error_from_answer(problem.status_code, problem.body, target, problem.response.headers)
        case openai.APIConnectionError():
            detail = _tidy(str(problem.__cause__ or problem) or type(problem.__cause__).__name__, target)
            if started:
                return ServerFailed(provider=target.provider, detail=detail)
            return Unreachable(provider=target.provider, url=target.url, detail=detail)
        case openai.APIError(body=body) if body is not None:
            return error_from_event(body, target)
        case _:
            return BadReply(provider=target.provider, detail=_tidy(f"{type(problem).__name__}: {problem}", target))


def error_from_event(body: object, target: Target) -> ProviderError:
    """An error that came inside an answer with status 200. Its own code or type stands in for the status."""
    fields = body if isinstance(body, Mapping) else {}
    for name in ("code", "status", "type"):
        value = str(fields.get(name))
        if value.isascii() and value.isdigit() and 400 <= int(value) < 600:
            return error_from_answer(int(value), body, target)
        if value in _STATUS_BY_TYPE:
            return error_from_answer(_STATUS_BY_TYPE[value], body, target)
    return error_from_answer(500, body, target)


def error_from_answer(
    status: int, body: object, target: Target, headers: Mapping[str, str] | None = None
) -> ProviderError:
    detail = _tidy(_message(body) or f"HTTP {status}", target)
    said: dict[str, object] = {"provider": target.provider, "detail": detail}
    if overflow := find_overflow(status, body):
        return ContextOverflow(**said, requested=overflow.requested, window=overflow.window)
    if _is_out_of_money(status, body):
        return QuotaExceeded(**said)
    wait = retry_after(headers or {}, time.time())
    match status:
        case 401 | 403:
            return Unauthorized(**said, variable=target.variable or t("provider.detail.the_key"))
        case 404 if not target.model or not _message(body):
            return BadReply(**said)
        case 404:
            return ModelNotFound(**said, model=target.model)
        case 429:
            return RateLimited(**said, retry_after=wait)
        case _ if status >= 500 or status == 408:
            return ServerFailed(**said) if wait is None else ServerFailed(**said, retry_after=wait)
        case _ if target.model and _NO_SUCH_MODEL.search(_message(body)):
            return ModelNotFound(**said, model=target.model)
        case _:
            return RequestRefused(**said)


def error_from_finish(reason: str, target: Target) -> ProviderError | None:
    """GLM tells of failures in `finish_reason`. None: an ordinary end."""
    said: dict[str, object] = {"provider": target.provider}
    match reason:
        case "sensitive":
            return RequestRefused(**said, detail=t("provider.detail.sensitive"))
        case "network_error":
            return ServerFailed(**said, detail=t("provider.detail.network_error"))
        case "model_context_window_exceeded":
            return ContextOverflow(**said, detail=t("provider.detail.window_full"), requested=None, window=None)
        case _:
            return None


def retry_after(headers: Mapping[str, str], now: float) -> float | None:
    """Seconds the server asks us to wait: milliseconds, seconds, or a date (against `now`, in epoch seconds)."""
    milliseconds = _finite(headers.get("retry-after-ms"))
    if milliseconds is not None:
        return max(0.0, milliseconds / 1000)
    value = headers.get("retry-after")
    seconds = _finite(value)
    if seconds is None and value:
        try:
            seconds = parsedate_to_datetime(value).timestamp() - now
        except (ValueError, OverflowError):
            return None
    return None if seconds is None else max(0.0, seconds)


def _is_out_of_money(status: int, body: object) -> bool:
    if status == 402:
        return True
    if isinstance(body, Mapping) and {str(body.get("code")), str(body.get("type"))} & _NO_MONEY_CODES:
        return True
    return status == 429 and bool(_NO_MONEY.search(_message(body)))


def _message(body: object) -> str:
    """The sentence inside an error body; nothing for a page of HTML, which says nothing to a person."""
    match body:
        case str():
            return "" if body.lstrip().startswith("<") else body
        case {"message": str(message)} | {"msg": str(message)}:
            return message
        case {"error": inner}:
            return _message(inner)
        case {"detail": [*rows]}:
            return json.dumps(rows, ensure_ascii=False, default=str)
        case _:
            return ""


def _tidy(text: str, target: Target) -> str:
    """Masked before it is shortened: half a key is still too much of it."""
    whole = clean(text)
    return clean_line(whole.replace(target.key, "•••") if target.key else whole).rstrip(".。")


def _finite(value: str | None) -> float | None:
    try:
        number = float(value or "")
    except ValueError:
        return None
    return number if math.isfinite(number) else None
