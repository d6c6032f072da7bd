from __future__ import annotations

import time
from typing import Any, Callable, Mapping, Sequence

from coinop.errors import CoinopError
from coinop.wallet.account import Wallet
from coinop.wallet.payment import pay_offer
from coinop.wallet.sign_in import sign_in

#: A token is renewed so much before it ends.
RENEW_SECONDS = 60


def _read_key(key: str) -> str:
    """A key that was read from a file ends with a line break, which no header can carry."""
    trimmed = key.strip()
    if not trimmed or any(not "!" <= character <= "~" for character in trimmed):
        raise TypeError("key is no API key: it is empty, or has characters that keys do not have")
    return trimmed


class Credentials:
    """How a client is known to the service: by its key, or by its wallet, which pays each call or signs in for free ones."""

    def __init__(
        self, key: str | None, wallet: Any, base_url: str, max_payment_usd: float, assets: Sequence[str]
    ) -> None:
        self._key = None if key is None else _read_key(key)
        self._wallet = Wallet(wallet) if isinstance(wallet, str) else wallet
        self._base_url = base_url
        self._max_micros = round(max_payment_usd * 1_000_000)
        self._assets = frozenset(address.lower() for address in assets)
        self._token: tuple[str, float] | None = None

    def authorize(self, auth: Sequence[str], is_paid: bool, ask: Callable[..., Any]) -> dict[str, str]:
        """The headers that say who calls, before the service asks for more."""
        if self._key is not None:
            return {"authorization": f"Bearer {self._key}"}
        must_sign_in = "wallet" in auth and not (is_paid and "x402" in auth) and "none" not in auth
        return self._sign_in(ask) if self._wallet is not None and must_sign_in else {}

    def respond(
        self, error: CoinopError, headers: Mapping[str, str], ask: Callable[..., Any]
    ) -> dict[str, str] | None:
        """What answers a request for payment, or for an account."""
        if self._wallet is None or self._key is not None:
            return None
        offer = headers.get("payment-required")
        if error.status == 402 and offer is not None:
            return {"payment-signature": pay_offer(offer, self._wallet, self._max_micros, self._assets)}
        if error.status != 401 or error.code == "INVALID_PAYMENT_SIGNATURE":
            return None
        self._token = None
        return self._sign_in(ask)

    def _sign_in(self, ask: Callable[..., Any]) -> dict[str, str]:
        if self._token is None or self._token[1] < time.monotonic():
            answer = sign_in(ask, self._wallet, self._base_url)
            self._token = (answer["token"], time.monotonic() + answer["expiresIn"] - RENEW_SECONDS)
        return {"authorization": f"Bearer {self._token[0]}"}
