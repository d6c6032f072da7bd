from __future__ import annotations

from typing import Any, Mapping

from coinop.wallet.curve import address_of, read_private_key, sign_digest
from coinop.wallet.typed_data import hash_message, hash_typed_data


class Wallet:
    """A wallet of a private key, which signs in this process."""

    def __init__(self, private_key: str) -> None:
        self._key = read_private_key(private_key)
        self.address = address_of(self._key)

    def sign_typed_data(self, data: Mapping[str, Any]) -> str:
        return sign_digest(hash_typed_data(data), self._key)

    def sign_message(self, message: str) -> str:
        return sign_digest(hash_message(message), self._key)
