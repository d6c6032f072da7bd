"""Makes each call that it is given and prints the answers, or the codes of the errors."""

import json
import sys

import coinop

given = json.load(sys.stdin)
client = coinop.Coinop(key=given["key"])


def answer_of(call: dict) -> dict:
    family, name = call["name"].split(".")
    try:
        return {"answer": getattr(getattr(client, family), name.replace("-", "_"))(call["input"])}
    except coinop.CoinopError as error:
        return {"code": error.code}


print(json.dumps([answer_of(call) for call in given["calls"]]))
