from __future__ import annotations

import base64
import json
import keyword
import os
import urllib.parse
import uuid
from dataclasses import replace
from importlib import resources
from typing import TYPE_CHECKING, Any, Mapping, Sequence

from coinop.credentials import Credentials
from coinop.errors import CoinopError
from coinop.files import FileInput, Filler, OpenedFile, open_body, open_file
from coinop.options import CallOptions, Charge
from coinop.paths import write_path
from coinop.request import Binary, split_arguments
from coinop.sending import send, transfer
from coinop.tickets import Ticket
from coinop.transport import HttpxTransport, Reply, Request, StandardTransport, Transport
from coinop.uploads import upload_file

if TYPE_CHECKING:
    # Generated from the catalogue, for editors and type checkers alone.
    from coinop.calls import Calls
else:
    Calls = object

MAX_RETRIES = 2
TICKET_RETRIES = 7  # With the waits between them, about half a minute.

INSTALLATION: dict[str, Any] = json.loads(resources.files("coinop").joinpath("catalog.json").read_text("utf-8"))


class Coinop(Calls):
    """A client of the installation that made this package."""

    def __init__(
        self,
        *,
        key: str | None = None,
        wallet: Any = None,
        base_url: str | None = None,
        max_payment_usd: float = 1,
        assets: Sequence[str] = (),
        http: Any = None,
        timeout: float = 100,
        max_retries: int | None = None,
        headers: Mapping[str, str] | None = None,
    ) -> None:
        """
        `key` is an API key, or the token of a signed-in wallet. `wallet` pays each call by x402: a private key, or an
        account with `address`, `sign_typed_data` and `sign_message`; no payment is signed for more than
        `max_payment_usd`, nor in a token that is neither one of the installation nor among `assets`. `http` is a client
        of httpx; without one, the standard library sends. `max_retries` is how often a failed try is repeated where that
        is safe: 2 if left out, and 7 while a ticket is waited for, as its job goes on while the service starts again.
        """
        self.base_url = (base_url or INSTALLATION["url"]).rstrip("/")
        self._transport: Transport = StandardTransport() if http is None else HttpxTransport(http)
        self._timeout = timeout
        self._max_retries = MAX_RETRIES if max_retries is None else max_retries
        self._patience = TICKET_RETRIES if max_retries is None else max_retries
        self._headers = dict(headers or {})
        known = [*INSTALLATION["assets"], *assets]
        self._credentials = Credentials(key, wallet, self.base_url, max_payment_usd, known)
        for family, calls in _group_by_family(INSTALLATION["calls"]).items():
            setattr(self, family, Family(self, family, calls))

    def ticket(self, id: str) -> Ticket[Any]:
        """A ticket of an earlier call."""
        return Ticket(id, lambda method, path, options: self._ask(method, path, None, options), self._timeout, self._patience)

    def receipt(self, job_id: str, options: CallOptions = CallOptions()) -> Any:
        """The signed receipt of a call that has ended. `coinop.verify_receipt` checks it without the service."""
        return self._ask("GET", f"/v1/jobs/{urllib.parse.quote(job_id, safe='')}/receipt", None, options)

    def upload(self, file: FileInput, options: CallOptions = CallOptions()) -> str:
        """Stores a file for up to a day and returns its key, which is a source in any call: `{"inputKey": key}`."""
        return self._upload(open_file(file), options)

    def download(self, file: Mapping[str, Any], options: CallOptions = CallOptions()) -> bytes:
        """The bytes of a file of an answer."""
        if "inline" in file:
            return base64.b64decode(file["inline"])
        return transfer(lambda: self._try_download(file, replace(options, max_retries=0)), self._retries_of(options))

    def _try_download(self, file: Mapping[str, Any], options: CallOptions) -> bytes:
        timeout = options.timeout or self._timeout
        first = self._transport.send(Request("GET", file["outputUrl"], {}), timeout)
        if first.status < 400:
            return first.body
        # Its address is valid for an hour, and a new one is given out for a day.
        fresh = self._ask("GET", f"/v1/outputs/{urllib.parse.quote(file['outputKey'])}", None, options)
        second = self._transport.send(Request("GET", fresh["url"], {}), timeout)
        if second.status >= 400:
            raise CoinopError(f"The file cannot be downloaded: {second.status}.", "DOWNLOAD_FAILED", second.status)
        return second.body

    def save(
        self, file: Mapping[str, Any], path: str | os.PathLike[str], options: CallOptions = CallOptions()
    ) -> None:
        """Writes a file of an answer to the disk."""
        write_path(path, self.download(file, options))

    def close(self) -> None:
        self._transport.close()

    def __enter__(self) -> Coinop:
        return self

    def __exit__(self, *_error: object) -> None:
        self.close()

    def _call(self, call: Mapping[str, Any], given: Mapping[str, Any], options: CallOptions) -> Any:
        reply = self._send(call, given, options)
        content = reply.content
        if call["isOperation"] and reply.status == 202 and "ticket" in content:
            return self._follow(self.ticket(content["ticket"]), reply, options)
        _report(reply, options)
        if not isinstance(content, bytes):
            return content
        return Binary(content, reply.headers.get("content-type", "application/octet-stream"), reply.headers)

    def _follow(self, ticket: Ticket[Any], reply: Reply, options: CallOptions) -> Any:
        if options.on_ticket:
            options.on_ticket(ticket)
        state = ticket._wait_for_end(options)
        _report(reply, options, state.get("actualMicros"))
        return state.get("result")

    def _quote(self, call: Mapping[str, Any], given: Mapping[str, Any], options: CallOptions) -> Any:
        if call["quote"] == "body":
            return self._send(call, {**given, "dryRun": True}, options).content
        return self._send(call, given, options, {"x-dry-run": "true"}).content

    def _start(self, call: Mapping[str, Any], given: Mapping[str, Any], options: CallOptions) -> Ticket[Any]:
        reply = self._send(call, given, options, {"prefer": "respond-async"})
        _report(reply, options)
        content = reply.content
        ticket = content.get("ticket") if reply.status == 202 else reply.headers.get("x-service-job-id")
        return self.ticket(ticket)

    def _send(
        self,
        call: Mapping[str, Any],
        given: Mapping[str, Any],
        options: CallOptions,
        extra: Mapping[str, str] | None = None,
    ) -> Reply:
        split = split_arguments(call, given)
        body, kind = self._make_body(call, split.fields, options)
        headers = {"accept": call.get("contentType", "application/json"), **self._headers}
        if kind is not None:
            headers["content-type"] = kind
        if call["isKeyed"]:
            headers["idempotency-key"] = options.idempotency_key or str(uuid.uuid4())
        if options.max_price_micros is not None:
            headers["x-max-price-micros"] = str(options.max_price_micros)
        if call["isOperation"] and options.wait_seconds is not None:
            headers["prefer"] = f"wait={options.wait_seconds}"
        headers.update(split.headers)
        headers.update(extra or {})
        request = Request(call["method"], self.base_url + split.path, headers, body)
        is_repeatable = call["method"] == "GET" or call["isKeyed"]
        return self._perform(request, call["auth"], call["isPaid"], is_repeatable, options)

    def _make_body(
        self, call: Mapping[str, Any], fields: dict[str, Any], options: CallOptions
    ) -> tuple[bytes | None, str | None]:
        kind = call["body"]
        if kind == "none":
            return None, None
        if kind == "bytes":
            content, found = open_body(fields.get("file"))
            return content, fields.get("contentType") or found
        if kind == "document":
            return json.dumps(fields.get("body")).encode(), "application/json"
        if call["files"]:
            filler = Filler(
                call["files"],
                call["named"],
                INSTALLATION["maxInlineBytes"],
                lambda file: self._upload(file, options),
            )
            fields = filler.fill(fields)
        return json.dumps(fields).encode(), "application/json"

    def _upload(self, file: OpenedFile, options: CallOptions) -> str:
        return upload_file(
            file,
            lambda path, body: self._ask("POST", path, body, replace(options, max_retries=0)),
            lambda request: self._transport.send(request, options.timeout or self._timeout),
            options,
            self._retries_of(options),
        )

    def _retries_of(self, options: CallOptions) -> int:
        return self._max_retries if options.max_retries is None else options.max_retries

    def _ask(self, method: str, path: str, body: Any, options: CallOptions) -> Any:
        """A call of the service that is free and needs an account."""
        headers = dict(self._headers)
        if body is not None:
            headers["content-type"] = "application/json"
        content = None if body is None else json.dumps(body).encode()
        request = Request(method, self.base_url + path, headers, content)
        return self._perform(request, ["key", "wallet"], False, method == "GET", options).content

    def _perform(
        self, request: Request, auth: Sequence[str], is_paid: bool, is_repeatable: bool, options: CallOptions
    ) -> Reply:
        timeout, retries = options.timeout or self._timeout, self._retries_of(options)

        def ask(method: str, path: str, body: Any = None) -> Any:
            headers = {} if body is None else {"content-type": "application/json"}
            content = None if body is None else json.dumps(body).encode()
            asked = Request(method, self.base_url + path, headers, content)
            return send(asked, self._transport, timeout, retries, method == "GET").content

        headers = {**self._credentials.authorize(auth, is_paid, ask), **request.headers}
        sent = Request(request.method, request.url, headers, request.body)
        return send(
            sent,
            self._transport,
            timeout,
            retries,
            is_repeatable,
            lambda error, received: self._credentials.respond(error, received, ask),
        )


class Family:
    """The calls of one family: `client.pdf.merge(...)`."""

    def __init__(self, client: Coinop, name: str, calls: Mapping[str, Mapping[str, Any]]) -> None:
        self._client = client
        self._name = name
        self._calls = calls

    def __getattr__(self, name: str) -> Call:
        call = self._calls.get(name)
        if call is None:
            raise AttributeError(f"{self._name} has no call {name}; it has {', '.join(self._calls)}")
        made = Call(self._client, call)
        setattr(self, name, made)
        return made

    def __dir__(self) -> list[str]:
        return sorted(self._calls)


class Call:
    def __init__(self, client: Coinop, call: Mapping[str, Any]) -> None:
        self._client = client
        self._call = call
        self.__doc__ = call["summary"]

    def __call__(self, input: Mapping[str, Any] | None = None, options: CallOptions | None = None, /, **fields: Any) -> Any:
        return self._client._call(self._call, _arguments(input, fields), options or CallOptions())

    def quote(self, input: Mapping[str, Any] | None = None, options: CallOptions | None = None, /, **fields: Any) -> Any:
        """Its price. Nothing runs and nothing is charged."""
        if self._call["quote"] == "none":
            raise TypeError(f"{self._call['name']} has no price that can be asked for")
        return self._client._quote(self._call, _arguments(input, fields), options or CallOptions())

    def start(
        self, input: Mapping[str, Any] | None = None, options: CallOptions | None = None, /, **fields: Any
    ) -> Ticket[Any]:
        """Starts it in the background."""
        if not self._call["isOperation"]:
            raise TypeError(f"{self._call['name']} cannot run in the background")
        return self._client._start(self._call, _arguments(input, fields), options or CallOptions())


def _arguments(input: Mapping[str, Any] | None, fields: Mapping[str, Any]) -> dict[str, Any]:
    """A field whose name is a keyword of Python is written with an underscore at its end: `from_`."""
    named = {
        name[:-1] if name.endswith("_") and keyword.iskeyword(name[:-1]) else name: value
        for name, value in fields.items()
        if value is not None
    }
    return {**(input or {}), **named}


def _group_by_family(calls: Sequence[Mapping[str, Any]]) -> dict[str, dict[str, Mapping[str, Any]]]:
    families: dict[str, dict[str, Mapping[str, Any]]] = {}
    for call in calls:
        name = call["name"][len(call["family"]) + 1 :].replace("-", "_")
        families.setdefault(call["family"], {})[f"{name}_" if keyword.iskeyword(name) else name] = call
    return families


def _report(reply: Reply, options: CallOptions, charged_micros: str | None = None) -> None:
    if options.on_charge is None:
        return
    micros = charged_micros or reply.headers.get("x-service-charged-micros")
    options.on_charge(
        Charge(
            reply.status,
            None if micros is None else int(micros),
            reply.headers.get("x-service-job-id"),
            reply.headers.get("x-request-id"),
            reply.headers.get("idempotency-replayed") == "true",
            reply.headers,
        )
    )
