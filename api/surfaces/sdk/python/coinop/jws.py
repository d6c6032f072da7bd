from __future__ import annotations

import base64
import hashlib
import json
import re
from datetime import datetime
from typing import Any, Mapping, Sequence

from coinop.ed25519 import is_signed


def find_key(head: str, keys: Sequence[Mapping[str, Any]]) -> Mapping[str, Any] | None:
    """The key that the head of a compact JWS names, or None if it is none of these."""
    try:
        header = json.loads(from_base64url(head))
    except ValueError:
        return None
    if not isinstance(header, dict) or header.get("alg") != "EdDSA":
        return None
    return next((one for one in keys if one.get("kid") == header.get("kid")), None)


def is_signed_by(key: Mapping[str, Any], signed: str, signature: str) -> bool:
    if re.fullmatch(r"[A-Za-z0-9_-]{86}", signature) is None:
        return False
    return is_signed(from_base64url(key["x"]), signed.encode(), from_base64url(signature))


def is_too_late(signed_at: str, key: Mapping[str, Any]) -> bool:
    """Whether something is said to be signed later than its key was in use."""
    end = key.get("svc_not_after")
    return end is not None and _time_of(signed_at) > _time_of(end)


def canonicalize(fields: Mapping[str, Any]) -> bytes:
    """RFC 8785, for objects without fractions, whose names are words."""
    return json.dumps(fields, sort_keys=True, separators=(",", ":"), ensure_ascii=False).encode()


def hex_sha256(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


def to_base64url(content: bytes) -> str:
    return base64.urlsafe_b64encode(content).rstrip(b"=").decode()


def from_base64url(text: str) -> bytes:
    return base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))


def _time_of(text: str) -> datetime:
    return datetime.fromisoformat(text.replace("Z", "+00:00"))
