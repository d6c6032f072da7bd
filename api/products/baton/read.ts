import { Readable } from 'node:stream'
import { useAfterUpload } from '../../../ops/products/baton/uploads.ts'
import { type ByteRange, type ObjectStore, StoreUnavailable } from '../../../ops/providers/storage/contract.ts'
import { contentDisposition } from '../../../ops/providers/storage/disposition.ts'
import { type Piece, type ReadResult, readPieces, returnRead } from '../../../sql/baton/entries.ts'
import type { Visitor } from '../../../sql/baton/visitor.ts'
import type { ApiContext } from '../../context.ts'
import type { IncomingCall } from '../../incoming-call.ts'
import { listKnownTags } from '../../intake/conditions.ts'
import type { AnswerSink } from '../../intake/reply/sink.ts'

interface Exchange {
  request: IncomingCall
  reply: AnswerSink
}

/** Answers with the bytes of a baton or of one entry. They are drawn from the quotas before the first is sent. */
export async function sendContent(
  context: ApiContext,
  by: Visitor,
  { request, reply }: Exchange,
  seq: number | undefined,
): Promise<AnswerSink> {
  const ask = { seq, ...readConditions(request), isPeek: request.method === 'HEAD' }
  const found = await useAfterUpload(context, by, visitor => context.batons.read(visitor, ask))
  describe(reply, found)
  if (found.kind === 'unmodified') return reply.code(304).send()
  if (found.kind === 'unsatisfiable') return reply.code(416).header('content-range', `bytes */${found.total}`).send()
  if (found.isRange) {
    const last = found.first + found.length - 1n
    reply.code(206).header('content-range', `bytes ${found.first}-${last}/${found.total}`)
  }
  const setLength = () => reply.type(found.contentType).header('content-length', Number(found.length))
  // Without a stream, the answer to HEAD would say that there are no bytes.
  if (found.kind === 'peek') return setLength().send(Readable.from([]))
  const giveBack = takeBackOnce(context, by, found)
  if (found.isCapped) returnIfBroken(reply, found, giveBack)
  const onFailure = async (error: unknown) => {
    context.log.error({ err: error, batonId: found.batonId }, 'stored bytes of a baton could not be read')
    await giveBack(found.length)
  }
  const bytes = await openBytes(context, found, onFailure).catch(async error => {
    await onFailure(error)
    if (error instanceof StoreUnavailable) throw error
    // To the store an object that is missing is a wrong request, but here it is a fault of ours.
    throw new Error('stored bytes of a baton are missing', { cause: error })
  })
  return setLength().send(bytes)
}

type GiveBack = (unsentBytes: bigint) => Promise<void>

/** A read that the object store fails costs nothing. How much of it was sent already does not matter. */
function takeBackOnce({ db, log }: ApiContext, by: Visitor, found: ReadResult): GiveBack {
  let isGivenBack = false
  return async unsentBytes => {
    if (isGivenBack) return
    isGivenBack = true
    const note = (err: unknown) => log.error({ err, batonId: found.batonId }, 'a read was not given back')
    await returnRead(db, by, found, unsentBytes).catch(note)
  }
}

/** A token's read that its reader breaks off is not counted, but what was sent is drawn. */
function returnIfBroken({ raw }: AnswerSink, { length }: ReadResult, giveBack: GiveBack): void {
  const { socket } = raw
  const before = socket?.bytesWritten ?? 0
  let isSent = false
  raw.once('finish', () => {
    isSent = true
  })
  const check = () => {
    if (isSent) return
    const sent = BigInt(Math.max(0, (socket?.bytesWritten ?? 0) - before))
    void giveBack(sent < length ? length - sent : 0n)
  }
  if (raw.destroyed) check()
  else raw.once('close', check)
}

/** The content may be anything, so browsers are told to download it and to run nothing. */
function describe(reply: AnswerSink, { seq, quotas }: ReadResult): void {
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

/** One range, as RFC 9110 has it. For several, an unreadable one, or one of another version, the whole is the right answer. */
function readConditions({ headers }: IncomingCall) {
  const ifRange = headers['if-range']
  const range = /^bytes=(\d{0,15})-(\d{0,15})$/.exec(headers.range ?? '')
  const [, first = '', last = ''] = range ?? []
  const isRange = (first !== '' || last !== '') && (first === '' || last === '' || Number(first) <= Number(last))
  return {
    known: listKnownTags(headers['if-none-match']),
    isRange,
    ...(ifRange !== undefined && { ifRange: /^"(\d{1,15})"$/.exec(String(ifRange))?.[1] ?? 'another' }),
    ...(isRange && first !== '' && { first: Number(first) }),
    ...(isRange && last !== '' && { last: Number(last) }),
  }
}

type OnFailure = (error: unknown) => Promise<void>

async function openBytes(context: ApiContext, found: ReadResult, onFailure: OnFailure): Promise<Buffer | Readable> {
  const { kind, content, key, first, length } = found
  const isStored = key !== null && length > 0n
  if (kind !== 'log' && !isStored) {
    const held = content ?? Buffer.alloc(0)
    if (BigInt(held.length) !== length) throw new Error(`a baton holds ${held.length} of ${length} bytes`)
    return held
  }
  const bytes = isStored
    ? await context.store.read(key, { start: Number(first), end: Number(first + length - 1n) })
    : Readable.from(readLog(context, found), { objectMode: false })
  // A caller who goes away closes it without an error.
  return bytes.once('error', error => void onFailure(error))
}

/** The entries of a log one after the other, without anything between them. */
async function* readLog({ db, store }: ApiContext, { batonId: id, first, length }: ReadResult) {
  const last = first + length - 1n
  let held = 0n
  let pieces = await readPieces(db, id, 0n, first, last)
  while (pieces.length > 0) {
    for (const piece of pieces) {
      const range = cutPiece(piece, first, last)
      held += BigInt(range.end - range.start + 1)
      yield* readPiece(store, piece, range)
    }
    pieces = await readPieces(db, id, pieces.at(-1)!.seq, first, last)
  }
  // The reader was told how much there is, and would wait for the rest.
  if (held !== length) throw new Error(`a log holds ${held} of ${length} bytes`)
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
