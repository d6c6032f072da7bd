from __future__ import annotations

import base64
import json
import secrets
import time
from typing import Any, Mapping, Sequence

from coinop.errors import PaymentRefused

_TRANSFER = {
    "TransferWithAuthorization": [
        {"name": "from", "type": "address"},
        {"name": "to", "type": "address"},
        {"name": "value", "type": "uint256"},
        {"name": "validAfter", "type": "uint256"},
        {"name": "validBefore", "type": "uint256"},
        {"name": "nonce", "type": "bytes32"},
    ]
}


def pay_offer(header: str, wallet: Any, max_micros: int, assets: frozenset[str]) -> str:
    """Signs one of the offers of a 402 answer (x402 version 2) and returns the header that pays for the call."""
    required = json.loads(base64.b64decode(header))
    accepted = _choose_offer(required.get("accepts", []), max_micros, assets)
    authorization = {
        "from": wallet.address,
        "to": accepted["payTo"],
        "value": accepted["amount"],
        "validAfter": "0",
        "validBefore": str(int(time.time()) + accepted["maxTimeoutSeconds"]),
        "nonce": f"0x{secrets.token_hex(32)}",
    }
    signature = wallet.sign_typed_data(
        {
            "domain": {
                "name": accepted["extra"]["name"],
                "version": accepted["extra"]["version"],
                "chainId": int(accepted["network"].removeprefix("eip155:")),
                "verifyingContract": accepted["asset"],
            },
            "types": _TRANSFER,
            "primaryType": "TransferWithAuthorization",
            "message": authorization,
        }
    )
    payment = {
        "x402Version": 2,
        "payload": {"authorization": authorization, "signature": signature},
        "resource": required.get("resource"),
        "accepted": accepted,
    }
    if isinstance(required.get("extensions"), dict):
        payment["extensions"] = required["extensions"]
    return base64.b64encode(json.dumps(payment).encode()).decode()


def _choose_offer(
    offers: Sequence[Mapping[str, Any]], max_micros: int, assets: frozenset[str]
) -> Mapping[str, Any]:
    """The first offer that the wallet can sign, which is the one that the service likes best."""
    known = [offer for offer in offers if _is_signable(offer) and offer["asset"].lower() in assets]
    for offer in known:
        if int(offer["amount"]) <= max_micros:
            return offer
    if known:
        amount = known[0]["amount"]
        sentence = f"The call costs more than max_payment_usd allows: {amount} micros."
        raise PaymentRefused(sentence, {"amountMicros": amount, "maxMicros": str(max_micros)})
    offered = [f"{offer.get('network')} {offer.get('asset')}" for offer in offers]
    sentence = "None of the offers is in a token that this client pays with: add it to assets."
    raise PaymentRefused(sentence, {"offered": offered})


def _is_signable(offer: Mapping[str, Any]) -> bool:
    extra = offer.get("extra") or {}
    is_transfer = extra.get("assetTransferMethod", "eip3009") == "eip3009"
    is_exact = offer.get("scheme") == "exact" and str(offer.get("network")).startswith("eip155:")
    return is_exact and is_transfer and bool(extra.get("name") and extra.get("version"))
