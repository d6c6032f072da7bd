"""Checks signatures of Ed25519 (RFC 8032), which the standard library does not."""

from __future__ import annotations

import hashlib

_PRIME = 2**255 - 19
_ORDER = 2**252 + 27742317777372353535851937790883648493
_D = -121665 * pow(121666, -1, _PRIME) % _PRIME
_ROOT_OF_MINUS_ONE = pow(2, (_PRIME - 1) // 4, _PRIME)

#: A point in extended coordinates: x, y, z and t = x * y / z.
_Point = tuple[int, int, int, int]
_NEUTRAL: _Point = (0, 1, 1, 0)


def _add(one: _Point, other: _Point) -> _Point:
    a = (one[1] - one[0]) * (other[1] - other[0]) % _PRIME
    b = (one[1] + one[0]) * (other[1] + other[0]) % _PRIME
    c = 2 * one[3] * other[3] * _D % _PRIME
    d = 2 * one[2] * other[2] % _PRIME
    e, f, g, h = b - a, d - c, d + c, b + a
    return e * f % _PRIME, g * h % _PRIME, f * g % _PRIME, e * h % _PRIME


def _multiply(times: int, point: _Point) -> _Point:
    total = _NEUTRAL
    while times > 0:
        if times & 1:
            total = _add(total, point)
        point = _add(point, point)
        times >>= 1
    return total


def _is_same(one: _Point, other: _Point) -> bool:
    return (one[0] * other[2] - other[0] * one[2]) % _PRIME == 0 and (
        one[1] * other[2] - other[1] * one[2]
    ) % _PRIME == 0


def _recover_x(y: int, sign: int) -> int | None:
    square = (y * y - 1) * pow(_D * y * y + 1, -1, _PRIME) % _PRIME
    x = pow(square, (_PRIME + 3) // 8, _PRIME)
    if (x * x - square) % _PRIME != 0:
        x = x * _ROOT_OF_MINUS_ONE % _PRIME
    if (x * x - square) % _PRIME != 0 or (x == 0 and sign == 1):
        return None
    return _PRIME - x if x & 1 != sign else x


def _decode(encoded: bytes) -> _Point | None:
    number = int.from_bytes(encoded, "little")
    y, sign = number & ((1 << 255) - 1), number >> 255
    x = _recover_x(y, sign) if len(encoded) == 32 and y < _PRIME else None
    return None if x is None else (x, y, 1, x * y % _PRIME)


_BASE_Y = 4 * pow(5, -1, _PRIME) % _PRIME
_BASE_X = _recover_x(_BASE_Y, 0) or 0
_BASE: _Point = (_BASE_X, _BASE_Y, 1, _BASE_X * _BASE_Y % _PRIME)


def is_signed(public_key: bytes, message: bytes, signature: bytes) -> bool:
    key, commitment = _decode(public_key), _decode(signature[:32])
    response = int.from_bytes(signature[32:], "little")
    if key is None or commitment is None or len(signature) != 64 or response >= _ORDER:
        return False
    digest = hashlib.sha512(signature[:32] + public_key + message).digest()
    challenge = int.from_bytes(digest, "little") % _ORDER
    return _is_same(_multiply(response, _BASE), _add(commitment, _multiply(challenge, key)))
