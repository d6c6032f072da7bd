"""Uses the installed client against the service and prints what came of it."""

import asyncio
import io
import json
import struct
import sys

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
for file in (path, image, io.BytesIO(image)):
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
try:
    client.utils.hash(tex="a")
except coinop.UnknownFieldError as error:
    found["refused"] = [type(error).__name__, error.code, error.status, error.hints["didYouMean"]]
lease = client.leases.create_storage(file=b"abc", filename="a b.txt", contentType="text/plain")
content = client.leases.read_storage(lease_id=lease["lease_id"])
found["lease"] = [lease["filename"], lease["size_bytes"], content]
try:
    client.jobs.list(nothing=1)
except TypeError as error:
    found["unknown"] = str(error)

with httpx.Client() as http:
    other = coinop.Coinop(key=given["key"], http=http)
    slug = other.text.slugify(text="hello")["slug"]
    found["by_httpx"] = [slug, other.utils.hash(file=b"b" * (5 * 2**20))["sizeBytes"]]


async def run() -> list:
    async with coinop.AsyncCoinop(key=given["key"]) as awaited:
        answers = await asyncio.gather(*(awaited.utils.hash(text="a" * size) for size in (1, 2, 3)))
        return [answer["sizeBytes"] for answer in answers]


found["awaited"] = asyncio.run(run())
print(json.dumps(found))
