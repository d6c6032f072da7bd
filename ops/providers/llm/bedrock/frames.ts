import { crc32 } from 'node:zlib'
import { ProviderRefusal } from '../../http/client.ts'
import { MAX_BYTES, unavailable } from '../post.ts'

/** Two lengths and their checksum. */
const PRELUDE_BYTES = 12
const CHECKSUM_BYTES = 4
const STRING = 7
/** Bytes of the values of headers by type. Those of types 6 and 7 tell their length. */
const VALUE_BYTES: Readonly<Record<number, number>> = { 0: 0, 1: 0, 2: 1, 3: 2, 4: 4, 5: 8, 8: 8, 9: 16 }

/** The events of a stream in the framing of AWS (`application/vnd.amazon.eventstream`), each under its name. */
export async function* readFrames(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Record<string, unknown>> {
  let waiting: Buffer = Buffer.alloc(0)
  for await (const chunk of chunks) {
    waiting = Buffer.concat([waiting, chunk])
    for (let size = measureFrame(waiting); size <= waiting.length; size = measureFrame(waiting)) {
      yield readFrame(waiting.subarray(0, size))
      waiting = waiting.subarray(size)
    }
  }
}

/** Bytes of the first frame; infinite while its length is not there. */
function measureFrame(bytes: Buffer): number {
  if (bytes.length < PRELUDE_BYTES) return Number.POSITIVE_INFINITY
  const size = bytes.readUInt32BE(0)
  if (size < PRELUDE_BYTES + CHECKSUM_BYTES || size > MAX_BYTES) throw damaged()
  requireChecksum(bytes.subarray(0, PRELUDE_BYTES))
  return size
}

function readFrame(frame: Buffer): Record<string, unknown> {
  requireChecksum(frame)
  const headersEnd = PRELUDE_BYTES + frame.readUInt32BE(4)
  if (headersEnd > frame.length - CHECKSUM_BYTES) throw damaged()
  const headers = readHeaders(frame.subarray(PRELUDE_BYTES, headersEnd))
  const payload = readPayload(frame.subarray(headersEnd, frame.length - CHECKSUM_BYTES))
  if (headers.get(':message-type') === 'event') return { [headers.get(':event-type') ?? '']: payload }
  if (headers.get(':exception-type') === 'validationException') throw new ProviderRefusal(400, payload)
  throw unavailable({ detail: 'the provider reports an error within its answer' })
}

/** Those that are texts; events have no others. */
function readHeaders(bytes: Buffer): Map<string, string> {
  const headers = new Map<string, string>()
  for (let at = 0; at < bytes.length; ) {
    const nameEnd = at + 1 + bytes.readUInt8(at)
    const type = bytes.readUInt8(nameEnd)
    const fixed = VALUE_BYTES[type]
    const begin = nameEnd + (fixed === undefined ? 3 : 1)
    const end = begin + (fixed ?? bytes.readUInt16BE(nameEnd + 1))
    if (type === STRING) headers.set(bytes.toString('utf8', at + 1, nameEnd), bytes.toString('utf8', begin, end))
    at = end
  }
  return headers
}

function readPayload(bytes: Buffer): unknown {
  try {
    return JSON.parse(bytes.toString())
  } catch {
    throw damaged()
  }
}

/** The last four bytes are of what is before them. */
function requireChecksum(bytes: Buffer): void {
  const end = bytes.length - CHECKSUM_BYTES
  if (crc32(bytes.subarray(0, end)) !== bytes.readUInt32BE(end)) throw damaged()
}

function damaged() {
  return unavailable({ detail: 'an event of the answer is damaged' })
}
