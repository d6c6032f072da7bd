import { Readable } from 'node:stream'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { ByteRange, ObjectStore } from '../../ops/providers/storage/contract.ts'
import { contentDisposition } from '../../ops/providers/storage/disposition.ts'
import { listPieces, type Piece, type ReadResult, readBaton, type Visitor } from '../../sql/baton/use.ts'
import type { ApiContext } from '../context.ts'
import { takeUpload } from './upload.ts'

interface Exchange {
  request: FastifyRequest
  reply: FastifyReply
}

/** Answers with the bytes of a baton or of one entry. They are drawn from the quotas before the first is sent. */
export async function sendContent(
  context: ApiContext,
  by: Visitor,
  { request, reply }: Exchange,
  seq: number | undefined,
): Promise<FastifyReply> {
  const ask = { seq, ...readConditions(request), isPeek: request.method === 'HEAD' }
  let found = await readBaton(context.db, by, { ...ask, uploadTried: false })
  if (found.kind === 'upload') {
    await takeUpload(context, found)
    found = await readBaton(context.db, by, { ...ask, uploadTried: true })
  }
  describe(reply, found)
  if (found.kind === 'unmodified') return reply.code(304).send()
  if (found.kind === 'unsatisfiable') return reply.code(416).header('content-range', `bytes */${found.total}`).send()
  if (ask.isRange) {
    const last = found.first_byte + found.length - 1n
    reply.code(206).header('content-range', `bytes ${found.first_byte}-${last}/${found.total}`)
  }
  reply.type(found.content_type).header('content-length', Number(found.length))
  return found.kind === 'peek' ? reply.send() : reply.send(await openBytes(context, found))
}

/** The content may be anything, so browsers are told to download it and to run nothing. */
function describe(reply: FastifyReply, { seq, quotas }: ReadResult): void {
  const { egressBytesLeft, readsLeft, warnings } = quotas
  reply.headers({
    etag: `"${seq}"`,
    'accept-ranges': 'bytes',
    'cache-control': 'private, no-cache',
    'content-disposition': contentDisposition(undefined),
    'content-security-policy': "sandbox; default-src 'none'",
    'x-content-type-options': 'nosniff',
    'x-service-egress-left': egressBytesLeft,
    'x-service-reads-left': String(readsLeft),
    ...(warnings.length > 0 && { 'x-service-warnings': warnings.join(', ') }),
  })
}

/** One range, as RFC 9110 has it. For several, an unreadable one, or one with a condition, the whole is a right answer. */
function readConditions({ headers }: FastifyRequest) {
  const etag = /^(?:W\/)?"(\d{1,15})"$/.exec(headers['if-none-match'] ?? '')?.[1]
  const range = headers['if-range'] === undefined ? /^bytes=(\d{0,15})-(\d{0,15})$/.exec(headers.range ?? '') : null
  const [, first = '', last = ''] = range ?? []
  const isRange = (first !== '' || last !== '') && (first === '' || last === '' || Number(first) <= Number(last))
  return {
    etag,
    isRange,
    ...(isRange && first !== '' && { first: Number(first) }),
    ...(isRange && last !== '' && { last: Number(last) }),
  }
}

async function openBytes(context: ApiContext, found: ReadResult): Promise<Buffer | Readable> {
  const { kind, content, object_key: key, first_byte: first, length } = found
  if (kind === 'log') return Readable.from(readLog(context, found), { objectMode: false })
  if (key !== null && length > 0n)
    return context.store.read(key, { start: Number(first), end: Number(first + length - 1n) })
  return content ?? Buffer.alloc(0)
}

/** The entries of a log one after the other, without anything between them. */
async function* readLog({ db, store }: ApiContext, { baton_id: id, first_byte: first, length }: ReadResult) {
  const last = first + length - 1n
  let pieces = await listPieces(db, id, 0n, first, last)
  while (pieces.length > 0) {
    for (const piece of pieces) yield* readPiece(store, piece, cutPiece(piece, first, last))
    pieces = await listPieces(db, id, pieces.at(-1)!.seq, first, last)
  }
}

/** The part of an entry that lies in a range of the log. */
function cutPiece({ start_byte: begin, size_bytes: size }: Piece, first: bigint, last: bigint): ByteRange {
  const end = begin + size - 1n
  return { start: Number(first > begin ? first - begin : 0n), end: Number((last < end ? last : end) - begin) }
}

async function* readPiece(store: ObjectStore, { content, object_key: key }: Piece, range: ByteRange) {
  if (content) yield content.subarray(range.start, range.end + 1)
  else yield* (await store.read(key!, range)) as AsyncIterable<Buffer>
}
