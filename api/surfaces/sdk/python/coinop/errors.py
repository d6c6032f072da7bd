from __future__ import annotations

from typing import Any, Mapping


class CoinopError(Exception):
    """What the service refused or failed to do. A failed call costs nothing."""

    def __init__(
        self,
        sentence: str,
        code: str,
        status: int = 0,
        hints: Mapping[str, Any] | None = None,
        request_id: str | None = None,
        retry_after_seconds: float | None = None,
    ) -> None:
        super().__init__(sentence)
        self.code = code
        #: 0 if there was no answer.
        self.status = status
        #: What the service says besides the sentence, such as `field`, `allowed` or `didYouMean`.
        self.hints = dict(hints or {})
        self.request_id = request_id
        self.retry_after_seconds = retry_after_seconds


class ConnectionFailed(CoinopError):
    """
    There was no answer: no connection, or none in time. A paid call with the `idempotencyKey` of its hints is charged once.
    """

    def __init__(self, sentence: str, is_late: bool = False) -> None:
        super().__init__(sentence, "CONNECTION_FAILED")
        #: It was sent, and there was no answer in time: the call may go on.
        self.is_late = is_late


class PaymentRefused(CoinopError):
    """The wallet refuses to sign: the price is above the limit, or the token is not one that it pays with."""

    def __init__(self, sentence: str, hints: Mapping[str, Any]) -> None:
        super().__init__(sentence, "PAYMENT_REFUSED", 402, hints)


#: The class of each code of this installation; `coinop.problems` fills it.
CLASSES: dict[str, type[CoinopError]] = {}


def error_of(status: int, headers: Mapping[str, str], body: Any) -> CoinopError:
    """The error of an answer. A code that came into being after this package was made is a plain `CoinopError`."""
    fields = dict(body) if isinstance(body, dict) else {}
    texts = [fields.pop("message", None), fields.pop("error", None), f"The service answered {status}."]
    code = fields.pop("code", None)
    known = code if isinstance(code, str) else f"HTTP_{status}"
    sentence = next(text for text in texts if isinstance(text, str))
    made = CLASSES.get(known, CoinopError)
    return made(sentence, known, status, fields, headers.get("x-request-id"), read_retry_after(headers))


def read_retry_after(headers: Mapping[str, str]) -> float | None:
    seconds = headers.get("retry-after", "")
    return float(seconds) if seconds.isdigit() else None
