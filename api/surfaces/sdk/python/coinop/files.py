from __future__ import annotations

import base64
import io
import os
from dataclasses import dataclass
from typing import Any, BinaryIO, Callable, Iterator, Mapping, Sequence, Union

#: A file: its path, its bytes, pieces of them in order, an open file, a source such as `{"text": ...}`, or a file of an
#: earlier answer. What is too large to be sent within the call is uploaded first.
FileInput = Union[str, "os.PathLike[str]", bytes, bytearray, memoryview, BinaryIO, Iterator[bytes], Mapping[str, Any]]

SOURCE_FIELDS = ("inline", "text", "inputKey", "batonId", "url", "rows", "step")


@dataclass
class OpenedFile:
    """A file of the caller before it is decided how it is sent."""

    stream: BinaryIO
    size: int
    name: str | None

    def read(self) -> bytes:
        with self.stream:
            return self.stream.read()


class Filler:
    """Turns the files of a call into sources, within the call up to a size in all, and uploaded before it beyond that."""

    def __init__(
        self, files: Sequence[str], named: Sequence[str], max_inline_bytes: int, upload: Callable[[OpenedFile], str]
    ) -> None:
        self._files = [pattern.split(".") for pattern in files]
        self._named = [pattern.split(".") for pattern in named]
        self._left = max_inline_bytes
        self._upload = upload

    def fill(self, value: Any, path: tuple[str, ...] = ()) -> Any:
        if _matches(path, self._files) or is_bytes(value):
            return self._to_source(value, _matches(path, self._named))
        if isinstance(value, Mapping):
            return {name: self.fill(inner, (*path, name)) for name, inner in value.items()}
        if isinstance(value, (list, tuple)):
            return [self.fill(item, (*path, str(index))) for index, item in enumerate(value)]
        return value

    def _to_source(self, value: Any, is_named: bool) -> Any:
        if isinstance(value, (str, os.PathLike)) or is_bytes(value):
            file = open_file(value)
            source = self._send(file)
            return {**source, "name": file.name} if is_named and file.name is not None else source
        if not isinstance(value, Mapping):
            return value
        if "content" in value and not any(field in value for field in SOURCE_FIELDS):
            others = {name: inner for name, inner in value.items() if name != "content"}
            return {**self._to_source(value["content"], is_named), **others}
        # A file of an earlier answer.
        if "outputKey" in value:
            return {"inputKey": value["outputKey"]}
        return value

    def _send(self, file: OpenedFile) -> dict[str, str]:
        if file.size > self._left:
            return {"inputKey": self._upload(file)}
        self._left -= file.size
        return {"inline": base64.b64encode(file.read()).decode()}


def _matches(path: Sequence[str], patterns: Sequence[Sequence[str]]) -> bool:
    return any(
        len(steps) == len(path) and all(step in ("*", given) for step, given in zip(steps, path)) for steps in patterns
    )


def is_bytes(value: Any) -> bool:
    return isinstance(value, (bytes, bytearray, memoryview, os.PathLike, Iterator)) or hasattr(value, "read")


def open_file(value: Any) -> OpenedFile:
    """Opens what a caller gives as a file. A stream that cannot be wound back is read to its end."""
    if isinstance(value, (str, os.PathLike)):
        path = os.fspath(value)
        return OpenedFile(open(path, "rb"), os.path.getsize(path), os.path.basename(path))
    if isinstance(value, (bytes, bytearray, memoryview)):
        return OpenedFile(io.BytesIO(bytes(value)), len(value), None)
    name = getattr(value, "name", None)
    content = value.read() if hasattr(value, "read") else b"".join(value)
    if isinstance(content, str):
        content = content.encode()
    return OpenedFile(io.BytesIO(content), len(content), os.path.basename(name) if isinstance(name, str) else None)


def open_body(value: Any) -> tuple[bytes, str]:
    """The bytes that are the whole body of a call, and their type."""
    if isinstance(value, Mapping):
        if isinstance(value.get("text"), str):
            return value["text"].encode(), "text/plain; charset=utf-8"
        if isinstance(value.get("inline"), str):
            return base64.b64decode(value["inline"]), "application/octet-stream"
        if "content" in value:
            return open_body(value["content"])
        raise TypeError('file is a path, bytes, an open file, {"text": ...} or {"inline": ...}')
    return open_file(value).read(), "application/octet-stream"
