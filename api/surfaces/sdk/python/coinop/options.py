from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Callable, Mapping

if TYPE_CHECKING:
    from coinop.tickets import Ticket


@dataclass(frozen=True)
class Progress:
    #: `upload` or `run`.
    phase: str
    done: float
    total: float
    unit: str


@dataclass(frozen=True)
class Charge:
    """What an answer was charged and where it can be found again."""

    status: int
    charged_micros: int | None
    job_id: str | None
    request_id: str | None
    #: The answer to an earlier call with the same key; nothing was charged.
    is_replay: bool
    headers: Mapping[str, str]


@dataclass(frozen=True)
class CallOptions:
    #: For each try, in seconds.
    timeout: float | None = None
    #: Left out: a new one for each call. A repeat with the same key is charged once.
    idempotency_key: str | None = None
    #: The most that the call may cost, in millionths of a dollar; above it, it is refused with its price.
    max_price_micros: int | None = None
    #: How often a failed try is repeated where that is safe.
    max_retries: int | None = None
    #: How long the service keeps a call of an operation open before it goes on in the background; 25 seconds if left out.
    wait_seconds: int | None = None
    on_progress: Callable[[Progress], None] | None = None
    #: What the call is charged; of one that goes on in the background, once it has ended.
    on_charge: Callable[[Charge], None] | None = None
    #: The call goes on in the background, and is waited for. Its ticket can cancel it.
    on_ticket: Callable[[Ticket[Any]], None] | None = None
