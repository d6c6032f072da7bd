import { isProblemCode, Problem } from '#kit'
import { Batch } from '../connection.ts'
import { Connection, type Db, value } from '../db.ts'
import type { EntryView, ReadRequest, ReadResult } from './entries.ts'
import type { WrittenEntry } from './lifecycle.ts'
import { type PendingUpload, UploadPending } from './uploads.ts'
import type { Quotas, Visitor } from './visitor.ts'

/** Reads and writes of batons. Those that come while others are under way share one statement and one commit. */
export interface BatonUses {
  /** Draws a read from the quotas, and returns where its bytes are. */
  read(by: Visitor, ask: ReadRequest): Promise<ReadResult>
  write(
    by: Visitor,
    written: WrittenEntry & { idempotency?: { key: string; fingerprint: string } },
  ): Promise<WriteResult>
  close(): Promise<void>
}

interface WriteResult {
  entry: EntryView
  quotas: Quotas
  isReplay: boolean
}

type Answer = [ord: number, verdict: string, result?: unknown]

export function openBatonUses(db: Db, url: string, name: string): BatonUses {
  const [reads, writes] = [openBatch(url, `${name} reads`), openBatch(url, `${name} writes`)]
  return {
    read: async (by, ask) => parseRead((await use(db, reads, { by, ask })) as ReadFields),
    write: async (by, { content, ...written }) =>
      (await use(db, writes, { by, written, content: content?.toString('hex') })) as WriteResult,
    close: async () => {
      await Promise.all([reads.close(), writes.close()])
    },
  }
}

interface OpenBatch {
  add(json: string): Promise<Answer | undefined>
  close(): Promise<void>
}

/** Nothing is sent twice when the connection is lost, because a use that was drawn would be drawn again. */
function openBatch(url: string, name: string): OpenBatch {
  const connection = new Connection(url, name, { isHot: true })
  const text = 'select json_agg(answer) as answers from baton.use_batch($1) answer'
  const batch = new Batch<Answer>(connection, { name: 'baton.use_batch', text }, { limit: 32, retryForMs: 0 })
  return {
    add: json => batch.add(json),
    close: async () => {
      await batch.whenIdle()
      await connection.close()
    },
  }
}

async function use(db: Db, batch: OpenBatch, what: object): Promise<unknown> {
  const json = JSON.stringify(what)
  const [, verdict, result] = (await batch.add(json))!
  if (verdict === 'done') return result
  if (verdict === 'again') return await value(db, 'select baton.use($1)', [json])
  if (verdict === 'UPLOAD_PENDING') throw new UploadPending(result as PendingUpload)
  if (isProblemCode(verdict)) throw new Problem(verdict, (result ?? {}) as Record<string, unknown>)
  throw new Error(`a use of a baton was answered with an unknown verdict: ${verdict}`)
}

interface ReadFields extends Omit<ReadResult, 'total' | 'first' | 'length' | 'content'> {
  total: string
  first?: string
  length?: string
  content?: string | null
}

function parseRead({ total, first = '0', length = '0', content, ...read }: ReadFields): ReadResult {
  const bytes = typeof content === 'string' ? Buffer.from(content, 'hex') : undefined
  return { ...read, total: BigInt(total), first: BigInt(first), length: BigInt(length), content: bytes }
}
