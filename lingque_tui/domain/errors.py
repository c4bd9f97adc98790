"""Everything that can go wrong, as one tree.

    LingqueError
    ├── ConfigError            a value in the config file or environment that cannot be used
    │   ├── SettingUnknown     a key or variable that no setting has
    │   └── ConfigUnreadable   a file that is not TOML, or cannot be opened
    ├── CommandError           a slash command or an option that makes no sense
    ├── StoreError             the file that holds the conversations
    │   ├── StoreDamaged       the integrity check failed
    │   ├── StoreUnwritable    full disk, read-only folder
    │   ├── StoreTooNew        written by a newer Lingque
    │   └── SessionReadOnly    another window writes to this session
    └── ProviderError          whoever answers
        ├── NoModel            nobody to talk to: no key, no server, no weights
        ├── UnknownProvider    a model's name begins with a provider that isn't connected
        ├── Unreachable        no connection
        ├── Unauthorized       401, 403
        ├── QuotaExceeded      402, or 429 because the money ran out: never retried
        ├── RateLimited        429: retried, Retry-After honoured
        ├── ModelNotFound      404
        ├── ContextOverflow    the request is longer than the window
        ├── RequestRefused     any other 4xx
        ├── ServerFailed       5xx, error events in the stream
        ├── BadReply           an answer that is not the protocol (a login page, JSON rubbish)
        ├── Stalled            no token for too long
        ├── ReplyCut           the connection closed before the model said that it was done
        ├── LengthReached      the model stopped at its limit, not at its end
        └── LocalModelFailed   the embedded model did not start or died

Each says what happened and what to do next, in the person's language: the sentences live in the catalogue
under `error.<code>.what` and `error.<code>.next`. Details that come from outside are cleaned before they get here.
"""

from __future__ import annotations

from typing import ClassVar

from lingque_tui.i18n import t, translate


class LingqueError(Exception):
    code: ClassVar[str] = "unexpected"

    def __init__(self, **values: object) -> None:
        self.values = values
        super().__init__(code_sentence("en", self.code, values))

    @property
    def what(self) -> str:
        return t(f"error.{self.code}.what", **self.values)

    @property
    def next_step(self) -> str:
        return t(f"error.{self.code}.next", **self.values)


def code_sentence(language: str, code: str, values: dict[str, object]) -> str:
    what = translate(language, f"error.{code}.what", **values)
    return f"{what} {translate(language, f'error.{code}.next', **values)}".strip()


class ConfigError(LingqueError):
    """values: file, key, found, expected."""

    code = "config"


class SettingUnknown(ConfigError):
    code = "config_unknown"


class ConfigUnreadable(ConfigError):
    code = "config_unreadable"


class CommandError(LingqueError):
    """values: detail."""

    code = "command"


class StoreError(LingqueError):
    """values: path, detail."""

    code = "store"


class StoreDamaged(StoreError):
    code = "store_damaged"


class StoreUnwritable(StoreError):
    code = "store_unwritable"


class StoreTooNew(StoreError):
    code = "store_too_new"


class SessionReadOnly(StoreError):
    """values: owner (who holds it, for instance a process id)."""

    code = "session_read_only"


class ProviderError(LingqueError):
    """values: provider, detail."""

    code = "provider"
    retriable: ClassVar[bool] = False


class NoModel(ProviderError):
    code = "no_model"


class UnknownProvider(ProviderError):
    """values: provider, known (names of those that are connected)."""

    code = "unknown_provider"


class Unreachable(ProviderError):
    """values: provider, url, detail."""

    code = "unreachable"
    retriable = True


class Unauthorized(ProviderError):
    """values: provider, variable (the environment variable that holds the key)."""

    code = "unauthorized"


class QuotaExceeded(ProviderError):
    code = "quota"


class RateLimited(ProviderError):
    """values: provider, detail, retry_after (seconds)."""

    code = "rate_limited"
    retriable = True

    @property
    def retry_after(self) -> float | None:
        value = self.values.get("retry_after")
        return float(value) if isinstance(value, int | float) else None


class ModelNotFound(ProviderError):
    """values: provider, model."""

    code = "model_not_found"


class ContextOverflow(ProviderError):
    """values: provider, detail, requested, window; the last two may be None."""

    code = "overflow"


class RequestRefused(ProviderError):
    code = "refused"


class ServerFailed(ProviderError):
    code = "server_failed"
    retriable = True


class BadReply(ProviderError):
    code = "bad_reply"


class Stalled(ProviderError):
    """values: provider, seconds."""

    code = "stalled"


class ReplyCut(ProviderError):
    """values: provider."""

    code = "cut"


class LengthReached(ProviderError):
    """values: provider."""

    code = "length"


class LocalModelFailed(ProviderError):
    code = "local_failed"
