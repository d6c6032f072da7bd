"""Keccak-256, as Ethereum uses it: with the padding from before SHA-3, which hashlib does not have."""

from __future__ import annotations

_ROUNDS = 24
_RATE_BYTES = 136
_MASK = (1 << 64) - 1


def _register_bit(time: int) -> int:
    register = 1
    for _ in range(time % 255):
        register <<= 1
        if register & 0x100:
            register ^= 0x171
    return register & 1


#: The constants of the rounds, from the shift register that FIPS 202 defines.
_ROUND_CONSTANTS = [
    sum(_register_bit(bit + 7 * number) << ((1 << bit) - 1) for bit in range(7)) for number in range(_ROUNDS)
]
#: How far each lane is turned, in the order in which the lanes take each other's place.
_TURNS = [((step + 1) * (step + 2) // 2) % 64 for step in range(_ROUNDS)]


def _turn(lane: int, by: int) -> int:
    return ((lane << by) | (lane >> (64 - by))) & _MASK


def _permute(state: list[int]) -> None:
    for constant in _ROUND_CONSTANTS:
        columns = [state[x] ^ state[x + 5] ^ state[x + 10] ^ state[x + 15] ^ state[x + 20] for x in range(5)]
        for lane in range(25):
            state[lane] ^= columns[(lane + 4) % 5] ^ _turn(columns[(lane + 1) % 5], 1)
        x, y, moving = 1, 0, state[1]
        for by in _TURNS:
            x, y = y, (2 * x + 3 * y) % 5
            place = x + 5 * y
            state[place], moving = _turn(moving, by), state[place]
        for row in range(0, 25, 5):
            lanes = state[row : row + 5]
            for column in range(5):
                state[row + column] = lanes[column] ^ (~lanes[(column + 1) % 5] & _MASK & lanes[(column + 2) % 5])
        state[0] ^= constant


def keccak256(content: bytes) -> bytes:
    padded = bytearray(content) + bytearray(_RATE_BYTES - len(content) % _RATE_BYTES)
    padded[len(content)] |= 1
    padded[-1] |= 0x80
    state = [0] * 25
    for block in range(0, len(padded), _RATE_BYTES):
        for lane in range(_RATE_BYTES // 8):
            start = block + lane * 8
            state[lane] ^= int.from_bytes(padded[start : start + 8], "little")
        _permute(state)
    return b"".join(lane.to_bytes(8, "little") for lane in state[:4])


def to_checksum_address(address: str) -> str:
    """The address with the capitals that check it (EIP-55)."""
    digits = address.lower().removeprefix("0x")
    digest = keccak256(digits.encode()).hex()
    return "0x" + "".join(
        digit.upper() if int(mark, 16) >= 8 else digit for digit, mark in zip(digits, digest)
    )
