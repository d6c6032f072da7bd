"""Sends requests until they are answered, and raises what the service refuses."""

from __future__ import annotations

import random
import time
from dataclasses import replace
from typing import Callable, Mapping, TypeVar

from coinop.errors import CoinopError, ConnectionFailed, error_of
from coinop.transport import Reply, Request, Transport

Result = TypeVar("Result")

#: Longer waits are left to the caller.
MAX_WAIT_SECONDS = 30
FIRST_WAIT_SECONDS = 0.25

#: Further headers, once the service has asked for a payment or a signed-in wallet; None if there is no answer to that.
Respond = Callable[[CoinopError, Mapping[str, str]], "dict[str, str] | None"]


def send(
    request: Request,
    transport: Transport,
    timeout: float,
    max_retries: int = 0,
    is_repeatable: bool = False,
    respond: Respond = lambda _error, _headers: None,
) -> Reply:
    responded: set[int] = set()
    errors: list[CoinopError] = []
    while True:
        try:
            reply = transport.send(request, timeout)
            if reply.status < 400:
                return reply
            error: CoinopError = error_of(reply.status, reply.headers, reply.content)
        except ConnectionFailed as failure:
            if key := request.headers.get("idempotency-key"):
                failure.hints["idempotencyKey"] = key
            error, reply = failure, Reply(0, {}, b"")
        answer = None if error.status in responded else respond(error, reply.headers)
        if answer is not None:
            responded.add(error.status)
            request = replace(request, headers={**request.headers, **answer})
            continue
        wait = _wait_before(error, is_repeatable, len(errors)) if len(errors) < max_retries else None
        errors.append(error)
        if wait is None:
            raise _choose_error(errors)
        time.sleep(wait)


def transfer(run: Callable[[], Result], max_retries: int) -> Result:
    """Sends or loads a file, and begins again if that breaks off: nothing is done or charged by it."""
    failed = 0
    while True:
        try:
            return run()
        except CoinopError as error:
            may_pass = error.code == "CONNECTION_FAILED" or error.status == 429 or error.status >= 500
            wait = _back_off(error, failed) if may_pass and failed < max_retries else None
            if wait is None:
                raise
        failed += 1
        time.sleep(wait)


def _choose_error(errors: list[CoinopError]) -> CoinopError:
    """The last one; but that the first try still runs is no news to who has given it too little time."""
    late = next((error for error in errors if isinstance(error, ConnectionFailed) and error.is_late), None)
    return late if late is not None and errors[-1].code == "IDEMPOTENCY_IN_FLIGHT" else errors[-1]


def _wait_before(error: CoinopError, is_repeatable: bool, failed: int) -> float | None:
    """How long to wait before another try; None if none would help or be safe."""
    # It was refused before anything was done.
    is_refused = error.status == 429 or (error.status == 503 and error.retry_after_seconds is not None)
    is_in_flight = error.code == "IDEMPOTENCY_IN_FLIGHT"
    # Without a code of the service it is what stands before it that finds it unavailable.
    is_unavailable = error.status == 503 and error.code == "HTTP_503"
    is_broken = error.status in (0, 500, 502, 504)
    if not is_refused and not is_in_flight and not ((is_broken or is_unavailable) and is_repeatable):
        return None
    return _back_off(error, failed)


def _back_off(error: CoinopError, failed: int) -> float | None:
    # Of many callers that fail together, few return together.
    back_off = FIRST_WAIT_SECONDS * 2**failed * (0.5 + random.random())
    wait = max(back_off, error.retry_after_seconds or 0)
    return None if wait > MAX_WAIT_SECONDS else wait
