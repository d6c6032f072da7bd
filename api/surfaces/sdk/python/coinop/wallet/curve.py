"""Signatures over secp256k1. They run on the caller's machine and are not constant in time."""

from __future__ import annotations

import hashlib
import hmac
import re
from typing import Iterator

from coinop.wallet.keccak import keccak256, to_checksum_address

_PRIME = 2**256 - 2**32 - 977
_ORDER = 0xFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFEBAAEDCE6AF48A03BBFD25E8CD0364141

#: A point in Jacobian coordinates; the last is 0 at infinity.
_Point = tuple[int, int, int]
_INFINITY: _Point = (0, 1, 0)
_GENERATOR: _Point = (
    0x79BE667EF9DCBBAC55A06295CE870B07029BFCDB2DCE28D959F2815B16F81798,
    0x483ADA7726A3C4655DA4FBFC0E1108A8FD17B448A68554199C47D08FFB10D4B8,
    1,
)


def _double(point: _Point) -> _Point:
    x, y, z = point
    square = y * y % _PRIME
    between = 4 * x * square % _PRIME
    slope = 3 * x * x % _PRIME
    new_x = (slope * slope - 2 * between) % _PRIME
    return new_x, (slope * (between - new_x) - 8 * square * square) % _PRIME, 2 * y * z % _PRIME


def _add(one: _Point, other: _Point) -> _Point:
    if one[2] == 0:
        return other
    if other[2] == 0:
        return one
    one_square, other_square = one[2] * one[2] % _PRIME, other[2] * other[2] % _PRIME
    x1, x2 = one[0] * other_square % _PRIME, other[0] * one_square % _PRIME
    y1, y2 = one[1] * other_square * other[2] % _PRIME, other[1] * one_square * one[2] % _PRIME
    if x1 == x2:
        return _double(one) if y1 == y2 else _INFINITY
    width, height = (x2 - x1) % _PRIME, (y2 - y1) % _PRIME
    square = width * width % _PRIME
    cube = square * width % _PRIME
    x = (height * height - cube - 2 * x1 * square) % _PRIME
    return x, (height * (x1 * square - x) - y1 * cube) % _PRIME, one[2] * other[2] * width % _PRIME


def _multiply(times: int) -> tuple[int, int]:
    total, power = _INFINITY, _GENERATOR
    while times > 0:
        if times & 1:
            total = _add(total, power)
        power = _double(power)
        times >>= 1
    inverse = pow(total[2], -1, _PRIME)
    square = inverse * inverse % _PRIME
    return total[0] * square % _PRIME, total[1] * square * inverse % _PRIME


def read_private_key(text: str) -> int:
    key = int(text, 16) if re.fullmatch("(0x)?[0-9a-fA-F]{64}", text) else 0
    if not 0 < key < _ORDER:
        raise ValueError("a private key is 0x and 64 hexadecimal digits")
    return key


def address_of(private_key: int) -> str:
    x, y = _multiply(private_key)
    return to_checksum_address(keccak256(x.to_bytes(32, "big") + y.to_bytes(32, "big"))[12:].hex())


def sign_digest(digest: bytes, private_key: int) -> str:
    """r, s and v in 65 bytes, with the lower s and the nonce of RFC 6979."""
    message = int.from_bytes(digest, "big")
    for nonce in _list_nonces(digest, private_key):
        x, y = _multiply(nonce)
        r = x % _ORDER
        s = pow(nonce, -1, _ORDER) * (message + r * private_key) % _ORDER
        if r == 0 or s == 0:
            continue
        is_high = s > _ORDER // 2
        # The point of a lower s lies on the other side of the curve.
        v = 27 + int((y & 1 == 1) != is_high) + (2 if x >= _ORDER else 0)
        low = _ORDER - s if is_high else s
        return "0x" + (r.to_bytes(32, "big") + low.to_bytes(32, "big") + bytes([v])).hex()
    raise AssertionError("no nonce was found")


def _list_nonces(digest: bytes, private_key: int) -> Iterator[int]:
    message = int.from_bytes(digest, "big") % _ORDER
    seed = private_key.to_bytes(32, "big") + message.to_bytes(32, "big")
    value, key = b"\x01" * 32, b"\x00" * 32
    for mark in (b"\x00", b"\x01"):
        key = _mac(key, value + mark + seed)
        value = _mac(key, value)
    while True:
        value = _mac(key, value)
        nonce = int.from_bytes(value, "big")
        if 0 < nonce < _ORDER:
            yield nonce
        key = _mac(key, value + b"\x00")
        value = _mac(key, value)


def _mac(key: bytes, content: bytes) -> bytes:
    return hmac.new(key, content, hashlib.sha256).digest()
