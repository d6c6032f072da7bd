"""Uses the installed client against the service and prints what came of it."""

import asyncio
import io
import json
import socket
import struct
import sys
import threading

import coinop
import httpx

given = json.load(sys.stdin)
samples = given["samples"]
client = coinop.Coinop(key=given["key"])
found = {}


def width_of(png: bytes) -> int:
    return struct.unpack(">I", png[16:20])[0]


charges = []
options = coinop.CallOptions(on_charge=lambda charge: charges.append(charge.charged_micros))
path = f"{samples}/gradient.png"
image = open(path, "rb").read()
widths = []
for file in (path, image, io.BytesIO(image), (image[at : at + 100] for at in range(0, len(image), 100))):
    answer = client.image.resize({"file": file, "width": 40}, options)
    widths.append(width_of(client.download(answer["output"])))
    assert client.image.metadata(file=answer["output"])["width"] == 40
found["widths"], found["charges"] = widths, charges

parts = []
large = coinop.CallOptions(on_progress=lambda progress: parts.append(progress.done / progress.total))
hashed = client.utils.hash({"file": b"a" * (5 * 2**20)}, large)
found["uploaded"] = [hashed["sizeBytes"], parts[-1]]
quote = client.pdf.merge.quote(files=[f"{samples}/two-pages.pdf", f"{samples}/bookmarked.pdf"])
found["at_most"] = quote["quote"]["atMost"]
ticket = client.image.resize.start(file=image, width=30)
receipt = client.receipt(ticket.wait() and ticket.id)
found["receipt"] = coinop.verify_receipt(receipt, client.system.jwks(), image)["price"]["charged_micros"]
found["ticket"] = [ticket.wait()["output"]["contentType"], client.ticket(ticket.id).read()["status"]]
tickets, settled = [], []
followed = coinop.CallOptions(
    wait_seconds=0,
    on_ticket=tickets.append,
    on_charge=lambda charge: settled.append(charge.charged_micros),
)
client.image.resize({"file": image, "width": 31}, followed)
found["followed"] = [tickets[0].read()["status"], *settled]
try:
    client.utils.hash(tex="a")
except coinop.UnknownFieldError as error:
    found["refused"] = [type(error).__name__, error.code, error.status, error.hints["didYouMean"]]
lease = client.leases.create_storage(file=b"abc", filename="a b.txt", contentType="text/plain")
content = client.leases.read_storage(lease_id=lease["lease_id"])
found["lease"] = [lease["filename"], lease["size_bytes"], content]
found["name"] = client.leases.create_storage(file=b"abc", filename="ü 花.txt")["filename"]
try:
    client.leases.create_storage(file=b"abc", filename="a\nb.txt")
except ValueError:
    found["after_half_a_request"] = client.text.slugify(text="hello")["slug"]
try:
    client.jobs.list(nothing=1)
except TypeError as error:
    found["unknown"] = str(error)

with httpx.Client() as http:
    other = coinop.Coinop(key=given["key"], http=http)
    slug = other.text.slugify(text="hello")["slug"]
    found["name_by_httpx"] = other.leases.create_storage(file=b"abc", filename="ü 花.txt")["filename"]
    found["by_httpx"] = [slug, other.utils.hash(file=b"b" * (5 * 2**20))["sizeBytes"]]


# A service that takes a call and then says nothing, but that it still runs.
silent = socket.create_server(("127.0.0.1", 0))


def serve() -> None:
    held = [silent.accept()[0]]
    while True:
        connection, _address = silent.accept()
        held.append(connection)
        connection.recv(65536)
        body = b'{"error": "It still runs.", "code": "IDEMPOTENCY_IN_FLIGHT"}'
        head = b"HTTP/1.1 409 Conflict\r\ncontent-type: application/json\r\nretry-after: 0\r\ncontent-length: %d\r\n\r\n"
        connection.sendall(head % len(body) + body)


threading.Thread(target=serve, daemon=True).start()
late = coinop.Coinop(key=given["key"], base_url=f"http://127.0.0.1:{silent.getsockname()[1]}", timeout=0.3)
try:
    late.text.slugify(text="hello")
except coinop.CoinopError as error:
    found["late"] = [error.code, error.is_late, str(error)]
found["key_of_a_file"] = coinop.Coinop(key=given["key"] + "\n").text.slugify(text="hello")["slug"]
try:
    coinop.Coinop(key="a key")
except TypeError as error:
    found["no_key"] = str(error)


async def run() -> list:
    async with coinop.AsyncCoinop(key=given["key"]) as awaited:
        answers = await asyncio.gather(*(awaited.utils.hash(text="a" * size) for size in (1, 2, 3)))
        return [answer["sizeBytes"] for answer in answers]


found["awaited"] = asyncio.run(run())
print(json.dumps(found))
