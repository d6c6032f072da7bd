import { randomBytes } from 'node:crypto'
import { Problem } from '#kit'
import type { TimestampAuthority } from './contract.ts'

const TIMEOUT_MS = 15_000
const MAX_BYTES = 64 * 1024
/** AlgorithmIdentifier of SHA-256, and the length of its digests. */
const SHA_256 = Buffer.from('300d06096086480165030402010500', 'hex')
const DIGEST_BYTES = 32

/** Asks an authority by HTTP. */
export function openTimestampAuthority(url: string | undefined): TimestampAuthority | undefined {
  return url === undefined ? undefined : { stamp: (digest, signal) => request(url, digest, signal) }
}

async function request(url: string, digest: Uint8Array, signal: AbortSignal): Promise<Uint8Array> {
  let reply: Buffer
  try {
    const response = await fetch(url, {
      method: 'POST',
      headers: { 'Content-Type': 'application/timestamp-query' },
      body: new Uint8Array(buildQuery(digest)),
      redirect: 'error',
      signal: AbortSignal.any([signal, AbortSignal.timeout(TIMEOUT_MS)]),
    })
    if (!response.ok) throw new Error(`status ${response.status}`)
    reply = Buffer.from(await response.arrayBuffer())
  } catch (error) {
    signal.throwIfAborted()
    throw new Problem('PROVIDER_UNAVAILABLE', {
      capability: 'timestamp',
      detail: (error as Error).message.slice(0, 200),
    })
  }
  return readToken(reply)
}

/** TimeStampReq: version 1, the digest, a nonce, and that the certificate is wanted. */
function buildQuery(digest: Uint8Array): Buffer {
  if (digest.length !== DIGEST_BYTES) throw new Error('the digest is not SHA-256')
  const imprint = encode(0x30, SHA_256, encode(0x04, digest))
  const nonce = Buffer.concat([Buffer.from([1]), randomBytes(8)])
  return encode(0x30, encode(0x02, Buffer.from([1])), imprint, encode(0x02, nonce), encode(0x01, Buffer.from([0xff])))
}

/** The query is shorter than 128 bytes, so that every length takes one byte. */
function encode(tag: number, ...parts: Uint8Array[]): Buffer {
  const content = Buffer.concat(parts)
  return Buffer.concat([Buffer.from([tag, content.length]), content])
}

/** TimeStampResp: a status, which is 0 or 1 if the token follows. */
function readToken(reply: Buffer): Uint8Array {
  const outer = reply.length <= MAX_BYTES ? readElement(reply, 0) : undefined
  const status = outer && readElement(reply, outer.start)
  const code = status && readElement(reply, status.start)
  const token = status && readElement(reply, status.end)
  const isGranted = code !== undefined && code.end - code.start === 1 && reply[code.start]! <= 1
  if (!isGranted || !token || token.end > reply.length)
    throw new Problem('PROVIDER_UNAVAILABLE', { capability: 'timestamp', detail: 'the authority gave no timestamp' })
  return new Uint8Array(reply.subarray(status.end, token.end))
}

function readElement(bytes: Buffer, at: number): { start: number; end: number } | undefined {
  const first = bytes[at + 1]
  if (first === undefined) return undefined
  if (first < 0x80) return { start: at + 2, end: at + 2 + first }
  const count = first & 0x7f
  if (count === 0 || count > 3 || at + 2 + count > bytes.length) return undefined
  const start = at + 2 + count
  return { start, end: start + bytes.readUIntBE(at + 2, count) }
}
