"""What a call is as a request: where each argument goes."""

from __future__ import annotations

import json
import re
import urllib.parse
from dataclasses import dataclass
from typing import Any, Mapping


@dataclass(frozen=True)
class Binary:
    """An answer that is bytes instead of JSON."""

    content: bytes
    content_type: str
    headers: Mapping[str, str]


@dataclass(frozen=True)
class SplitArguments:
    path: str
    headers: dict[str, str]
    #: Those of the body, or the one argument that is the whole of it.
    fields: dict[str, Any]


def split_arguments(call: Mapping[str, Any], given: Mapping[str, Any]) -> SplitArguments:
    query: list[tuple[str, str]] = []
    headers: dict[str, str] = {}
    fields: dict[str, Any] = {}
    for name, value in given.items():
        if name in call["inPath"]:
            continue
        if name in call["inQuery"]:
            query.append((name, _text_of(value)))
        elif name in call["inHeaders"]:
            headers[call["inHeaders"][name].lower()] = _text_of(value)
        else:
            fields[name] = value
    _refuse_unknown(call, fields)
    path = re.sub(r"\{([^}]+)\}", lambda match: _encode_parameter(call, match.group(1), given), call["path"])
    return SplitArguments(f"{path}?{urllib.parse.urlencode(query)}" if query else path, headers, fields)


def _text_of(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    return json.dumps(value) if isinstance(value, (dict, list)) else str(value)


#: The arguments of a call whose body has no fields. The service could not name others, which would be sent nowhere.
OWN_ARGUMENTS = {"bytes": ("file", "contentType"), "document": ("body",), "none": ()}


def _refuse_unknown(call: Mapping[str, Any], fields: Mapping[str, Any]) -> None:
    own = OWN_ARGUMENTS.get(call["body"])
    unknown = next((name for name in fields if own is not None and name not in own), None)
    if unknown is not None:
        known = [*call["inPath"], *call["inQuery"], *call["inHeaders"], *(own or ())]
        raise TypeError(f"{call['name']} has no argument {unknown}; it has {', '.join(known) or 'none'}")


def _encode_parameter(call: Mapping[str, Any], name: str, given: Mapping[str, Any]) -> str:
    value = given.get(name)
    if value is None or value == "":
        raise TypeError(f"{call['name']} needs {name}")
    # Keys are several segments of a path.
    is_rest = name == "key" and call["path"].endswith("{key}")
    return urllib.parse.quote(str(value), safe="/" if is_rest else "")
