from __future__ import annotations

import asyncio
from typing import Any, Callable

from coinop.client import Call, Coinop, Family
from coinop.tickets import Ticket


class AsyncCoinop:
    """The same client with `await`. Its calls run in the threads of the event loop, so they hold nothing up."""

    def __init__(self, **options: Any) -> None:
        self._client = Coinop(**options)
        self.base_url = self._client.base_url

    def __getattr__(self, name: str) -> Any:
        return _Awaited(getattr(self._client, name))

    async def __aenter__(self) -> AsyncCoinop:
        return self

    async def __aexit__(self, *_error: object) -> None:
        self._client.close()


class _Awaited:
    def __init__(self, target: Any) -> None:
        self._target = target

    def __getattr__(self, name: str) -> Any:
        value = getattr(self._target, name)
        return _Awaited(value) if callable(value) or isinstance(value, (Family, Call)) else value

    async def __call__(self, *given: Any, **fields: Any) -> Any:
        target: Callable[..., Any] = self._target
        result = await asyncio.to_thread(target, *given, **fields)
        return _Awaited(result) if isinstance(result, Ticket) else result
