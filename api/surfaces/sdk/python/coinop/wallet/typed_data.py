from __future__ import annotations

from typing import Any, Mapping, Sequence

from coinop.wallet.keccak import keccak256

_DOMAIN_FIELDS = (
    {"name": "name", "type": "string"},
    {"name": "version", "type": "string"},
    {"name": "chainId", "type": "uint256"},
    {"name": "verifyingContract", "type": "address"},
)


def hash_typed_data(data: Mapping[str, Any]) -> bytes:
    """The digest that is signed of typed data (EIP-712), for structures without others inside."""
    domain, kind = data["domain"], data["primaryType"]
    domain_fields = [field for field in _DOMAIN_FIELDS if domain.get(field["name"]) is not None]
    return keccak256(
        b"\x19\x01"
        + _hash_structure("EIP712Domain", domain_fields, domain)
        + _hash_structure(kind, data["types"][kind], data["message"])
    )


def _hash_structure(name: str, fields: Sequence[Mapping[str, str]], values: Mapping[str, Any]) -> bytes:
    kind = f"{name}({','.join(field['type'] + ' ' + field['name'] for field in fields)})"
    encoded = (_encode_value(field["type"], values[field["name"]]) for field in fields)
    return keccak256(keccak256(kind.encode()) + b"".join(encoded))


def _encode_value(kind: str, value: Any) -> bytes:
    if kind == "string":
        return keccak256(str(value).encode())
    if kind == "bytes32":
        return bytes.fromhex(str(value).removeprefix("0x"))
    if kind == "address":
        return int(str(value), 16).to_bytes(32, "big")
    if kind.startswith("uint"):
        return int(value).to_bytes(32, "big")
    raise TypeError(f"typed data with {kind} cannot be signed here")


def hash_message(message: str) -> bytes:
    """The digest that is signed of a text (EIP-191)."""
    content = message.encode()
    return keccak256(b"\x19Ethereum Signed Message:\n" + str(len(content)).encode() + content)
