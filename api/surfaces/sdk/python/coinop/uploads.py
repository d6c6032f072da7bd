from __future__ import annotations

import os
import secrets
from typing import Any, BinaryIO, Callable, Iterator, Mapping

from coinop.errors import CoinopError, read_retry_after
from coinop.files import OpenedFile
from coinop.options import CallOptions, Progress
from coinop.sending import transfer
from coinop.transport import Reply, Request

CHUNK_BYTES = 64 * 1024


class FormBody:
    """A form with one file, which is read piece by piece while it is sent."""

    def __init__(self, head: bytes, file: OpenedFile, tail: bytes, options: CallOptions) -> None:
        self._pieces = self._read(head, file, tail, options)
        self._rest = b""

    def _read(self, head: bytes, file: OpenedFile, tail: bytes, options: CallOptions) -> Iterator[bytes]:
        yield head
        done = 0
        file.stream.seek(0)
        while chunk := file.stream.read(CHUNK_BYTES):
            done += len(chunk)
            yield chunk
            if options.on_progress:
                options.on_progress(Progress("upload", done, file.size, "byte"))
        yield tail

    def read(self, size: int = -1) -> bytes:
        while size < 0 or len(self._rest) < size:
            piece = next(self._pieces, None)
            if piece is None:
                break
            self._rest += piece
        cut = len(self._rest) if size < 0 else size
        taken, self._rest = self._rest[:cut], self._rest[cut:]
        return taken


def upload_file(
    file: OpenedFile,
    ask: Callable[[str, Mapping[str, Any]], Any],
    send: Callable[[Request], Reply],
    options: CallOptions,
    max_retries: int,
) -> str:
    """Asks for a form and sends the file with it. A form is of use once, so another try asks for another one."""
    with file.stream:
        return transfer(lambda: _try_upload(file, ask, send, options), max_retries)


def _try_upload(
    file: OpenedFile,
    ask: Callable[[str, Mapping[str, Any]], Any],
    send: Callable[[Request], Reply],
    options: CallOptions,
) -> str:
    extension = os.path.splitext(file.name or "")[1][1:13]
    form = ask("/v1/cputools/upload-url", {"ext": extension} if extension.isalnum() else {})
    if file.size > form["maxBytes"]:
        hints = {"sizeBytes": file.size, "maxBytes": form["maxBytes"]}
        raise CoinopError(f"The file has more than {form['maxBytes']} bytes.", "INPUT_TOO_LARGE", 0, hints)
    boundary = secrets.token_hex(16)
    fields = "".join(
        f'--{boundary}\r\nContent-Disposition: form-data; name="{name}"\r\n\r\n{value}\r\n'
        for name, value in form["fields"].items()
    )
    part = f'--{boundary}\r\nContent-Disposition: form-data; name="file"; filename="file"\r\n'
    head = f"{fields}{part}Content-Type: application/octet-stream\r\n\r\n".encode()
    tail = f"\r\n--{boundary}--\r\n".encode()
    headers = {
        "content-type": f"multipart/form-data; boundary={boundary}",
        "content-length": str(len(head) + file.size + len(tail)),
    }
    body: BinaryIO = FormBody(head, file, tail, options)  # type: ignore[assignment]
    reply = send(Request("POST", form["url"], headers, body))
    if reply.status >= 400:
        text = reply.body[:300].decode(errors="replace")
        raise CoinopError(
            f"The file cannot be uploaded: {reply.status} {text}",
            "UPLOAD_FAILED",
            reply.status,
            retry_after_seconds=read_retry_after(reply.headers),
        )
    return form["inputKey"]
