import { createHash } from 'node:crypto'
import { promisify } from 'node:util'
import { gzip } from 'node:zlib'
import type { Entry } from '#kit'
import type { ApiContext } from '../../context.ts'
import type { IncomingRequest } from '../../incoming-call.ts'
import type { AnswerSink } from '../../intake/reply/sink.ts'
import type { SurfaceOptions } from '../../surfaces/entries.ts'
import { readWholeState } from '../../surfaces/state.ts'

/** A document that is the same for every caller, compressed and with its entity tag. */
export interface PreparedDocument {
  contentType: string
  plain: Buffer
  /** Left out of what is compressed already. */
  gzipped?: Buffer
  etag: string
}

type DocumentBuilder = (entries: readonly Entry[], options: SurfaceOptions) => { contentType: string; text: string }

const compress = promisify(gzip)
const cache = new WeakMap<ApiContext, Map<string, { state: string; document: Promise<PreparedDocument> }>>()
/** Callers choose the parts of the OpenAPI document, so the number of documents that are kept is limited. */
const MAX_DOCUMENTS_KEPT = 500

/** A document about the catalogue by its address, rebuilt only after a price, or what can be called here, has changed. */
export async function getSurface(
  context: ApiContext,
  address: string,
  build: DocumentBuilder,
): Promise<PreparedDocument> {
  const { state, options } = await readWholeState(context)
  const documents = cache.get(context) ?? new Map()
  cache.set(context, documents)
  const found = documents.get(address)
  if (found?.state === state) return found.document
  const { contentType, text } = build(context.catalog.entries, options)
  const document = prepareDocument(contentType, text)
  if (documents.size >= MAX_DOCUMENTS_KEPT) documents.clear()
  documents.set(address, { state, document })
  return document
}

export async function prepareDocument(contentType: string, content: string | Buffer): Promise<PreparedDocument> {
  const plain = Buffer.from(content)
  const etag = `W/"${createHash('sha256').update(plain).digest('base64url').slice(0, 22)}"`
  return { contentType, plain, gzipped: await compress(plain), etag }
}

/** Sends the document, compressed if the client accepts that, or 304 if the client has it already. */
export function sendDocument(
  { request, reply }: Exchange,
  document: PreparedDocument,
  maxAgeSeconds: number,
): AnswerSink {
  // Also where the request names no origin: a cache may hand the answer on to a page of another one.
  reply
    .header('access-control-allow-origin', '*')
    .header('cache-control', `public, max-age=${maxAgeSeconds}`)
    .header('etag', document.etag)
    .header('vary', 'Accept-Encoding')
    .header('x-content-type-options', 'nosniff')
  if (headerIncludes(request, 'if-none-match', document.etag)) return reply.code(304).send()
  reply.type(document.contentType)
  const { plain, gzipped } = document
  if (!gzipped || !headerIncludes(request, 'accept-encoding', 'gzip')) return reply.send(plain)
  return reply.header('content-encoding', 'gzip').send(gzipped)
}

interface Exchange {
  request: IncomingRequest
  reply: AnswerSink
}

function headerIncludes({ headers }: IncomingRequest, header: string, value: string): boolean {
  const values = String(headers[header] ?? '').split(',')
  return values.some(item => item.trim().split(';')[0] === value)
}
