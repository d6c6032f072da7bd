import { Readable } from 'node:stream'
import type { ObjectStore } from '../../../ops/providers/storage/contract.ts'
import type { IncomingRequest } from '../../incoming-call.ts'
import type { AnswerSink } from './sink.ts'

/** Answers with a stored object, or with the range of it that was asked for. */
export async function sendObject(
  store: ObjectStore,
  { key, sizeBytes }: { key: string; sizeBytes: number },
  request: IncomingRequest,
  reply: AnswerSink,
): Promise<AnswerSink> {
  reply.header('accept-ranges', 'bytes')
  const range = isOfThisVersion(request, reply) ? parseRange(request.headers.range, sizeBytes) : undefined
  if (range === 'unsatisfiable') return reply.code(416).header('content-range', `bytes */${sizeBytes}`).send()
  if (range) reply.code(206).header('content-range', `bytes ${range.start}-${range.end}/${sizeBytes}`)
  reply.header('content-length', range ? range.end - range.start + 1 : sizeBytes)
  // Without a stream, the answer to HEAD would say that there are no bytes.
  if (request.method === 'HEAD') return reply.send(Readable.from([]))
  return reply.send(await store.read(key, range))
}

/** A download that is resumed must not go on with another version (RFC 9110, 13.1.5). */
function isOfThisVersion({ headers }: IncomingRequest, reply: AnswerSink): boolean {
  const condition = headers['if-range']
  return condition === undefined || condition === reply.getHeader('etag')
}

/** A single range. For several ranges or an unreadable header the whole file is the right answer (RFC 9110, 14.2). */
function parseRange(
  header: string | undefined,
  sizeBytes: number,
): { start: number; end: number } | 'unsatisfiable' | undefined {
  const match = /^bytes=(\d{0,15})-(\d{0,15})$/.exec(header ?? '')
  if (!match || match[0] === 'bytes=-') return undefined
  const [, first, last] = match as unknown as [string, string, string]
  const start = first === '' ? Math.max(0, sizeBytes - Number(last)) : Number(first)
  const end = first === '' || last === '' ? sizeBytes - 1 : Math.min(Number(last), sizeBytes - 1)
  if (first !== '' && last !== '' && Number(last) < start) return undefined
  return start >= sizeBytes || end < start ? 'unsatisfiable' : { start, end }
}
