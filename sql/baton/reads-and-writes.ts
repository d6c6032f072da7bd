import type { SharedStatement } from '../connection.ts'
import { type Db, openSharedStatement, value } from '../db.ts'
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

export function openBatonUses(db: Db, url: string, name: string): BatonUses {
  const [reads, writes] = ['reads', 'writes'].map(kind =>
    openSharedStatement(url, `${name} ${kind}`, { of: 'baton.use_batch', limit: 32, translate }),
  ) as [SharedStatement, SharedStatement]
  return {
    read: async (by, ask) => parseRead((await use(db, reads, { by, ask })) as ReadFields),
    write: async (by, { content, ...written }) =>
      (await use(db, writes, { by, written, content: content?.toString('hex') })) as WriteResult,
    close: async () => {
      await Promise.all([reads.close(), writes.close()])
    },
  }
}

function use(db: Db, statement: SharedStatement, what: object): Promise<unknown> {
  const json = JSON.stringify(what)
  return statement.call(json, () => value(db, 'select baton.use($1)', [json]))
}

function translate(verdict: string, result: unknown): Error | undefined {
  return verdict === 'UPLOAD_PENDING' ? new UploadPending(result as PendingUpload) : undefined
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
