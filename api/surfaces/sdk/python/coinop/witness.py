from __future__ import annotations

import base64
import hashlib
import hmac
import json
from datetime import datetime
from typing import Any, Mapping, Sequence

from coinop.ed25519 import is_signed


class WitnessError(Exception):
    pass


def verify_witness(proof: Mapping[str, Any], jwks: Mapping[str, Any], content: bytes | None = None) -> dict[str, Any]:
    """
    Checks a witness without the service: that its statement was signed by one of the keys, that the content is the one
    that was signed, and, if the proof lists the entries, that they are the chain that was signed. `proof` is what
    `client.baton.proof` answers, and `jwks` what `client.system.jwks` does.
    """
    statement, entries = proof["statement"], proof.get("entries")
    _check_signature(statement, proof["jws"], jwks["keys"])
    if content is not None and _sha256(content) != statement["sha256"]:
        raise WitnessError("the content is not what was signed")
    if entries is None:
        return {"entries": statement["entries"], "is_chain_checked": False}
    _check_chain(statement, proof.get("created_at"), entries, content)
    return {"entries": len(entries), "is_chain_checked": True}


def _check_signature(statement: Mapping[str, Any], jws: str, keys: Sequence[Mapping[str, Any]]) -> None:
    head, _, signature = (jws.split(".") + ["", ""])[:3]
    header = json.loads(_from_base64url(head))
    key = next((one for one in keys if one.get("kid") == header.get("kid")), None)
    if key is None or header.get("alg") != "EdDSA":
        raise WitnessError("it was signed by none of these keys")
    signed = f"{head}.{_to_base64url(_canonicalize(statement))}"
    is_own = hmac.compare_digest(jws, f"{signed}.{signature}")
    if not is_own or not is_signed(_from_base64url(key["x"]), signed.encode(), _from_base64url(signature)):
        raise WitnessError("the statement is not what was signed")
    end = key.get("svc_not_after")
    if end is not None and _time_of(statement["witnessed_at"]) > _time_of(end):
        raise WitnessError("it was signed after the key was retired")


def _check_chain(
    statement: Mapping[str, Any], created_at: str | None, entries: Sequence[Mapping[str, Any]], content: bytes | None
) -> None:
    prev = _sha256(_canonicalize({"v": 1, "baton_id": statement["baton_id"], "created_at": created_at}))
    start = 0
    for number, entry in enumerate(entries, 1):
        header = {name: value for name, value in entry.items() if name != "hash"}
        is_next = header["seq"] == number and header["prev"] == prev
        if not is_next or entry["hash"] != _sha256(_canonicalize(header)):
            raise WitnessError(f"entry {number} is not what was chained")
        end = start + header["size"]
        if content is not None and _sha256(content[start:end]) != header["content_sha256"]:
            raise WitnessError(f"entry {number} has other content")
        prev, start = entry["hash"], end
    if prev != statement["chain_head"] or start != statement["size"] or len(entries) != statement["entries"]:
        raise WitnessError("the chain is not the one that was signed")


def _canonicalize(fields: Mapping[str, Any]) -> bytes:
    """RFC 8785, for objects that hold no objects and no fractions."""
    return json.dumps(fields, sort_keys=True, separators=(",", ":"), ensure_ascii=False).encode()


def _sha256(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


def _to_base64url(content: bytes) -> str:
    return base64.urlsafe_b64encode(content).rstrip(b"=").decode()


def _from_base64url(text: str) -> bytes:
    return base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))


def _time_of(text: str) -> datetime:
    return datetime.fromisoformat(text.replace("Z", "+00:00"))
