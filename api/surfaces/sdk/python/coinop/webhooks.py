from __future__ import annotations

import base64
import hashlib
import hmac
import json
import time
from dataclasses import dataclass
from typing import Any, Mapping

TOLERANCE_SECONDS = 300


class WebhookError(Exception):
    pass


@dataclass(frozen=True)
class WebhookEvent:
    """A delivery that was signed with the secret."""

    #: Such as `job.completed`.
    type: str
    #: The same for every try of a delivery: a receiver that knows it already has nothing to do.
    id: str
    body: dict[str, Any]


def verify_webhook(
    body: bytes | str, headers: Mapping[str, str], secret: str, tolerance_seconds: float = TOLERANCE_SECONDS
) -> WebhookEvent:
    """
    Checks a delivery and returns its event. `body` is the body as it came, before anything has parsed it. A delivery
    that was signed more than five minutes ago is refused, because anyone who has seen it could send it again.
    """
    content = body.encode() if isinstance(body, str) else body
    given = {name.lower(): value for name, value in headers.items()}
    id, timestamp, signatures = (given.get(f"webhook-{name}", "") for name in ("id", "timestamp", "signature"))
    if not (id and timestamp and signatures):
        raise WebhookError("the headers of a delivery are missing")
    if not timestamp.isdigit() or abs(time.time() - int(timestamp)) > tolerance_seconds:
        raise WebhookError("the delivery was signed too long ago")
    digest = hmac.new(_key_of(secret), f"{id}.{timestamp}.".encode() + content, hashlib.sha256).digest()
    expected = f"v1,{base64.b64encode(digest).decode()}"
    if not any([hmac.compare_digest(signature, expected) for signature in signatures.split(" ")]):
        raise WebhookError("the delivery was signed with another secret")
    parsed = json.loads(content)
    return WebhookEvent(given.get("x-service-event") or str(parsed.get("type")), id, parsed)


def verify_mailbox_message(body: bytes | str, signature: str, secret: str) -> bool:
    """Checks a message that a mailbox passed on, whose signature is the `X-Mailbox-Signature`."""
    content = body.encode() if isinstance(body, str) else body
    return hmac.compare_digest(hmac.new(secret.encode(), content, hashlib.sha256).hexdigest(), signature)


def _key_of(secret: str) -> bytes:
    prefix = "whsec_"
    return base64.b64decode(secret[len(prefix) :]) if secret.startswith(prefix) else secret.encode()
