"""Requests by the standard library, over connections that are kept open, or by a client of httpx."""

from __future__ import annotations

import http.client
import json
import ssl
import threading
import urllib.parse
from dataclasses import dataclass
from typing import Any, BinaryIO, Mapping, Protocol

from coinop.errors import ConnectionFailed


@dataclass(frozen=True)
class Request:
    method: str
    url: str
    headers: Mapping[str, str]
    body: bytes | BinaryIO | None = None


@dataclass(frozen=True)
class Reply:
    status: int
    #: With names in lower case.
    headers: Mapping[str, str]
    body: bytes

    @property
    def content(self) -> Any:
        """Parsed if it is JSON, a text if it is one, else bytes."""
        kind = self.headers.get("content-type", "").split(";")[0].strip()
        if kind == "application/json" or kind.endswith("+json"):
            return json.loads(self.body) if self.body else None
        if kind.startswith("text/") or "ndjson" in kind:
            return self.body.decode()
        return self.body


class Transport(Protocol):
    def send(self, request: Request, timeout: float) -> Reply: ...

    def close(self) -> None: ...


class StandardTransport:
    """One connection for each server and thread, which is opened again when the server has closed it."""

    def __init__(self) -> None:
        self._local = threading.local()
        self._opened: list[http.client.HTTPConnection] = []

    def send(self, request: Request, timeout: float) -> Reply:
        parts = urllib.parse.urlsplit(request.url)
        connections = self._local.__dict__.setdefault("connections", {})
        server = (parts.scheme, parts.netloc)
        connection = connections.get(server)
        if connection is not None and connection.sock is not None and not _is_open(connection):
            connection.close()
        if connection is None:
            connection = connections[server] = _connect(parts)
            self._opened.append(connection)
        connection.timeout = timeout
        is_sent = False
        target = parts.path + (f"?{parts.query}" if parts.query else "")
        try:
            if connection.sock is None:
                connection.connect()
            connection.sock.settimeout(timeout)
            is_sent = True
            connection.request(request.method, target, body=request.body, headers=_encode(request.headers))
            response = connection.getresponse()
            headers = {name.lower(): value for name, value in response.getheaders()}
            return Reply(response.status, headers, response.read())
        except (OSError, http.client.HTTPException) as error:
            connection.close()
            if is_sent and isinstance(error, TimeoutError):
                raise _late(timeout) from error
            raise ConnectionFailed(f"{request.url} cannot be reached: {error or type(error).__name__}.") from error
        except BaseException:
            # It keeps what was written of the request, also when it is closed, and would send that before the next one.
            del connections[server]
            self._opened.remove(connection)
            connection.close()
            raise

    def close(self) -> None:
        for connection in self._opened:
            connection.close()


def _encode(headers: Mapping[str, str]) -> dict[str, bytes]:
    """The service reads headers as UTF-8; both transports would take them for Latin-1 or ASCII."""
    return {name: value.encode() for name, value in headers.items()}


def _late(timeout: float) -> ConnectionFailed:
    return ConnectionFailed(f"There was no answer within {timeout:g} s; the call may go on.", is_late=True)


def _connect(parts: urllib.parse.SplitResult) -> http.client.HTTPConnection:
    host = parts.hostname or ""
    if parts.scheme == "https":
        return http.client.HTTPSConnection(host, parts.port, context=ssl.create_default_context())
    return http.client.HTTPConnection(host, parts.port)


def _is_open(connection: http.client.HTTPConnection) -> bool:
    """A server that has closed an idle connection has sent its end, which can be read without waiting."""
    sock = connection.sock
    sock.setblocking(False)
    try:
        return sock.recv(1, 2) != b""  # MSG_PEEK
    except (BlockingIOError, ssl.SSLWantReadError):
        return True
    except (OSError, ValueError):
        # A socket of TLS cannot be peeked at; a failed request over it is tried again where that is safe.
        return isinstance(sock, ssl.SSLSocket)
    finally:
        sock.setblocking(True)


class HttpxTransport:
    """Sends by a client of httpx, with its proxies, its certificates and its pool."""

    def __init__(self, client: Any) -> None:
        self._client = client

    def send(self, request: Request, timeout: float) -> Reply:
        import httpx

        body = request.body if isinstance(request.body, (bytes, type(None))) else request.body.read()
        try:
            response = self._client.request(
                request.method, request.url, content=body, headers=_encode(request.headers), timeout=timeout
            )
        except (httpx.ReadTimeout, httpx.WriteTimeout) as error:
            raise _late(timeout) from error
        except httpx.HTTPError as error:
            raise ConnectionFailed(f"{request.url} cannot be reached: {error or type(error).__name__}.") from error
        headers = {name.lower(): value for name, value in response.headers.items()}
        return Reply(response.status_code, headers, response.content)

    def close(self) -> None:
        """The client belongs to the caller."""
