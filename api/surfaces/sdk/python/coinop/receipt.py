from __future__ import annotations

import hmac
import json
import re
from typing import Any, Mapping

from coinop.jws import canonicalize, find_key, from_base64url, hex_sha256, is_signed_by, is_too_late


class ReceiptError(Exception):
    pass


def verify_receipt(
    receipt: Mapping[str, Any] | str, jwks: Mapping[str, Any], file: bytes | None = None
) -> dict[str, Any]:
    """
    Checks a receipt, or its JWS alone, without the service: that one of the keys signed what it says, and that the file,
    if one is given, went into the call or came out of it. Returns what was signed. `receipt` is what `client.receipt`
    answers, and `jwks` what `client.system.jwks` does.
    """
    jws = receipt if isinstance(receipt, str) else receipt["receipt"]
    head, body, signature = (jws.split(".") + ["", ""])[:3]
    key = find_key(head, jwks["keys"])
    if key is None:
        raise ReceiptError("it was signed by none of these keys")
    if jws.count(".") != 2 or not is_signed_by(key, f"{head}.{body}", signature):
        raise ReceiptError("the receipt is not what was signed")
    text = from_base64url(body)
    if not isinstance(receipt, str) and not hmac.compare_digest(text, canonicalize(receipt["payload"])):
        raise ReceiptError("the payload is not what was signed")
    signed: dict[str, Any] = json.loads(text)
    if not re.fullmatch(r"\w+\.receipt/1", signed["typ"]):
        raise ReceiptError("what was signed is no receipt")
    if is_too_late(signed["issued_at"], key):
        raise ReceiptError("it was signed after the key was retired")
    if file is not None and hex_sha256(file) not in {one["sha256"] for one in [*signed["inputs"], *signed["outputs"]]}:
        raise ReceiptError("the file is none of those that went in or came out")
    return signed
