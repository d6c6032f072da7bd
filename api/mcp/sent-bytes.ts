import { isUtf8 } from 'node:buffer'
import { Readable } from 'node:stream'
import { describeFile, describeValues, type ToolResult } from './content.ts'
import type { Fields } from './message.ts'
import type { ToolReply } from './tool-reply.ts'

/** More bytes are not put into an answer; the whole of it is in memory several times. */
export const MAX_SENT_BYTES = 8 * 2 ** 20

/** What the headers of such an answer say that no other part of it does. */
const FACTS: readonly [header: string, name: string][] = [
  ['etag', 'etag'],
  ['content-range', 'content_range'],
  ['last-modified', 'last_modified'],
  ['x-checkpoint-version', 'version'],
  ['x-checkpoint-updated-at', 'updated_at'],
  ['x-lease-expires-at', 'expires_at'],
  ['x-claim-receipt', 'claim_receipt'],
  ['x-service-reads-left', 'readsLeft'],
  ['x-service-egress-left', 'egressBytesLeft'],
  ['x-service-warnings', 'warnings'],
]

interface SentFrom {
  /** The address of the same call over REST. */
  uri: string
  /** It declares that it answers with JSON, which is given as a value. */
  isJson: boolean
}

/** What a route sent itself: its bytes as a resource, or its JSON as a value, with what the headers say of it. */
export async function describeSent(reply: ToolReply, { uri, isJson }: SentFrom): Promise<ToolResult> {
  const facts = readFacts(reply)
  if (reply.payload === undefined) {
    const isError = reply.statusCode >= 400
    return describeValues(isError ? { status: reply.statusCode, ...facts } : { status: 'done', ...facts }, [], isError)
  }
  const size = Number(reply.getHeader('content-length') ?? 0)
  if (size > MAX_SENT_BYTES) return describeTooLarge(reply, uri, size)
  const bytes = await readPayload(reply.payload)
  if (bytes === undefined) return describeTooLarge(reply, uri, undefined)
  const contentType = String(reply.getHeader('content-type') ?? 'application/octet-stream')
  if (isJson && contentType.startsWith('application/json')) return describeJson(bytes, facts)
  const filename = nameOf(reply)
  const values = { contentType, sizeBytes: bytes.length, ...(filename !== undefined && { filename }), ...facts }
  return describeValues(values, [describeFile(bytes, { contentType, uri, isText: isUtf8(bytes) })])
}

/** A document that is too large, or was not drawn because its size was known first, can be fetched over REST. */
export function describeTooLarge(reply: ToolReply, uri: string, size: number | undefined): ToolResult {
  const { payload } = reply
  if (payload instanceof Readable) payload.destroy()
  const mimeType = String(reply.getHeader('content-type') ?? 'application/octet-stream')
  const note = `It is larger than the ${MAX_SENT_BYTES} bytes that a result holds. Fetch uri with your key${
    reply.hasHeader('x-claim-receipt') ? ', by POST with claim_receipt as X-Claim-Receipt, within five minutes' : ''
  }.`
  const values = {
    uri,
    contentType: mimeType,
    ...(size !== undefined && { sizeBytes: size }),
    ...readFacts(reply),
    note,
  }
  const link = { type: 'resource_link', uri, name: nameOf(reply) ?? 'content', mimeType, ...(size && { size }) }
  return describeValues(values, [link])
}

/** Of a stored document, its version is what a later write needs. */
function describeJson(bytes: Buffer, facts: Fields): ToolResult {
  const value = JSON.parse(bytes.toString('utf8')) as unknown
  return describeValues(facts.version === undefined ? value : { body: value, ...facts })
}

function readFacts(reply: ToolReply): Fields {
  const found = FACTS.flatMap(([header, name]) => {
    const value = reply.getHeader(header)
    return value === undefined ? [] : [[name, name === 'version' || name === 'readsLeft' ? Number(value) : value]]
  })
  return Object.fromEntries(found) as Fields
}

function nameOf(reply: ToolReply): string | undefined {
  const header = String(reply.getHeader('content-disposition') ?? '')
  const [, encoded] = /filename\*=UTF-8''([^;]+)/i.exec(header) ?? []
  const [, plain] = /filename="((?:[^"\\]|\\.)*)"/i.exec(header) ?? []
  return encoded === undefined ? plain : decodeURIComponent(encoded)
}

/** Undefined if there are too many bytes. */
async function readPayload(payload: unknown): Promise<Buffer | undefined> {
  if (!(payload instanceof Readable)) return Buffer.isBuffer(payload) ? payload : Buffer.from(String(payload))
  const chunks: Buffer[] = []
  let sizeBytes = 0
  for await (const chunk of payload as AsyncIterable<Buffer | string>) {
    const bytes = Buffer.from(chunk as Buffer)
    sizeBytes += bytes.length
    if (sizeBytes > MAX_SENT_BYTES) return undefined
    chunks.push(bytes)
  }
  return Buffer.concat(chunks)
}
