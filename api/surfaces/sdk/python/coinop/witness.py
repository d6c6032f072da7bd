from __future__ import annotations

import hmac
from typing import Any, Mapping, Sequence

from coinop.jws import canonicalize, find_key, hex_sha256, is_signed_by, is_too_late, to_base64url


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
    if content is not None and hex_sha256(content) != statement["sha256"]:
        raise WitnessError("the content is not what was signed")
    if entries is None:
        return {"entries": statement["entries"], "is_chain_checked": False}
    _check_chain(statement, proof.get("created_at"), entries, content)
    return {"entries": len(entries), "is_chain_checked": True}


def _check_signature(statement: Mapping[str, Any], jws: str, keys: Sequence[Mapping[str, Any]]) -> None:
    head, _, signature = (jws.split(".") + ["", ""])[:3]
    key = find_key(head, keys)
    if key is None:
        raise WitnessError("it was signed by none of these keys")
    signed = f"{head}.{to_base64url(canonicalize(statement))}"
    is_own = hmac.compare_digest(jws, f"{signed}.{signature}")
    if not is_own or not is_signed_by(key, signed, signature):
        raise WitnessError("the statement is not what was signed")
    if is_too_late(statement["witnessed_at"], key):
        raise WitnessError("it was signed after the key was retired")


def _check_chain(
    statement: Mapping[str, Any], created_at: str | None, entries: Sequence[Mapping[str, Any]], content: bytes | None
) -> None:
    prev = hex_sha256(canonicalize({"v": 1, "baton_id": statement["baton_id"], "created_at": created_at}))
    start = 0
    for number, entry in enumerate(entries, 1):
        header = {name: value for name, value in entry.items() if name != "hash"}
        is_next = header["seq"] == number and header["prev"] == prev
        if not is_next or entry["hash"] != hex_sha256(canonicalize(header)):
            raise WitnessError(f"entry {number} is not what was chained")
        end = start + header["size"]
        if content is not None and hex_sha256(content[start:end]) != header["content_sha256"]:
            raise WitnessError(f"entry {number} has other content")
        prev, start = entry["hash"], end
    if prev != statement["chain_head"] or start != statement["size"] or len(entries) != statement["entries"]:
        raise WitnessError("the chain is not the one that was signed")

