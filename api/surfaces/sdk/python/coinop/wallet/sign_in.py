from __future__ import annotations

import urllib.parse
from typing import Any, Callable


def sign_in(ask: Callable[..., Any], wallet: Any, base_url: str) -> dict[str, Any]:
    """The token of a wallet, for calls that cost nothing but need an account: the one that its payments go to."""
    message = ask("GET", f"/v1/auth/challenge?wallet={wallet.address}")["message"]
    _check_message(message, wallet.address, base_url)
    return ask("POST", "/v1/auth/verify", {"message": message, "signature": wallet.sign_message(message)})


def _check_message(message: str, address: str, base_url: str) -> None:
    """No other text is signed than one that signs in at this service."""
    parts = urllib.parse.urlsplit(base_url)
    first, second, *_others = message.split("\n")
    is_own = (
        first == f"{parts.netloc} wants you to sign in with your Ethereum account:"
        and second == address
        and f"\nURI: {parts.scheme}://{parts.netloc}/" in message
    )
    if not is_own:
        raise ValueError(f"the service at {base_url} asks to sign in at another address: use its public one")
