import { products } from '../../tasks/products/index.ts'
import { type Db, rows, value } from '../db.ts'

/** Something that is not as the database says. */
export interface BookFault {
  rule: string
  subject: string
  detail: string
}

interface BookCheck {
  startedAt: string
  endedAt: string
  counts: Record<string, number>
  faultCount: number
  /** The first of them. */
  faults: BookFault[]
}

const KEPT_FAULTS = 100

/** Every violated rule of the platform and of the products. Some rules include those of others, so each fault is listed once. */
export async function listViolations(db: Db): Promise<BookFault[]> {
  const found = new Map<string, BookFault>()
  for (const { name } of await rows<{ name: string }>(db, 'select * from installation.list_rules()')) {
    const violated = await rows<{ fault: Partial<BookFault> }>(db, `select to_json(c) as fault from ${name}() c`)
    for (const { fault } of violated) {
      const { rule = name, subject = '', detail = '' } = fault
      found.set(JSON.stringify([rule, subject, detail]), { rule, subject, detail })
    }
  }
  return [...found.values()]
}

/** Of every log with hashes, the first entry that is not as it was written. */
export async function listLogFaults(db: Db): Promise<BookFault[]> {
  const found = await rows<{ kind: string; subject: string; seq: number }>(db, 'select * from audit.list_faults()')
  return found.map(({ kind, subject, seq }) => ({
    rule: 'every entry of a log is as it was written',
    subject: `${kind} ${subject}`,
    detail: `entry ${seq}`,
  }))
}

export function countBooks(db: Db): Promise<Record<'accounts' | 'transfers' | 'logs' | 'logEntries', number>> {
  return value(db, 'select installation.count_books()')
}

export function listRequiredObjects(
  db: Db,
  after: string,
  limit: number,
): Promise<{ key: string; size_bytes: bigint | null }[]> {
  return rows(db, 'select * from installation.list_required_objects($1, $2)', [after, limit])
}

export function isObjectRequired(db: Db, key: string): Promise<boolean> {
  return value(db, 'select installation.is_object_required($1)', [key])
}

/** The hashes of stored objects that products have recorded, by key. */
export async function readRecordedHashes(db: Db): Promise<Map<string, string>> {
  const hashes = new Map<string, string>()
  for (const { contents } of products) {
    if (!contents) continue
    const found = await rows<{ key: string; sha256: string }>(db, `select key, sha256 from ${contents}()`)
    for (const { key, sha256 } of found) hashes.set(key, sha256)
  }
  return hashes
}

export async function recordBookCheck(
  db: Db,
  startedAt: Date,
  { counts, faults }: { counts: Record<string, number>; faults: readonly BookFault[] },
): Promise<void> {
  const kept = JSON.stringify(faults.slice(0, KEPT_FAULTS))
  await value(db, 'select installation.record_book_check($1, $2, $3, $4)', [
    startedAt,
    JSON.stringify(counts),
    faults.length,
    kept,
  ])
}

/** Null if there was none. */
export function readLastBookCheck(db: Db): Promise<BookCheck | null> {
  return value(db, 'select installation.read_last_book_check()')
}
