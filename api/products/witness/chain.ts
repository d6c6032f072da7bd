import { createHash } from 'node:crypto'
import { Problem } from '#kit'
import { useAfterUpload } from '../../../ops/products/baton/index.ts'
import type { Visitor } from '../../../sql/baton/index.ts'
import {
  type Chain,
  type ChainPosition,
  type CheckRange,
  checkEntries,
  readChain,
  type StoredContent,
} from '../../../sql/witness/chain.ts'
import { listKeys, type StoredKey } from '../../../sql/witness/keys.ts'
import { isSignedBy, readKeyId, type Statement } from '../../../tasks/products/witness/statement.ts'
import type { ApiContext } from '../../context.ts'

type VerifyMode = 'links' | 'full'

interface Fault {
  reason: string
  seq?: number
}

/** Entries checked by one statement, so that a long chain keeps no connection for long. */
const BATCH: Record<VerifyMode, number> = { links: 50_000, full: 2_000 }

/** Checks every entry of a chain, its end, and the record that was signed of it. */
export async function verifyChain(context: ApiContext, by: Visitor, mode: VerifyMode) {
  const chain = await useAfterUpload(context, by, visitor => readChain<Statement>(context.db, visitor))
  requireCheckable(context, chain, mode)
  const fault = (await findFault(context, chain, mode)) ?? (await findWitnessFault(context, chain))
  return {
    ...{ valid: fault === undefined, mode, entries: chain.entries, chainHead: chain.head },
    witnessed: chain.witnessedAt !== null,
    ...(fault && { fault }),
  }
}

function requireCheckable({ settings }: ApiContext, { entries, size }: Chain<Statement>, mode: VerifyMode): void {
  const maxEntries = settings.get('baton.trust.verify_chain_max_entries')
  if (entries > maxEntries) throw new Problem('INPUT_TOO_LARGE', { entries, ceiling: maxEntries })
  const maxBytes = settings.get('baton.trust.verify_chain_full_max_bytes')
  if (mode === 'full' && size > maxBytes) throw new Problem('INPUT_TOO_LARGE', { sizeBytes: size, ceiling: maxBytes })
}

async function findFault(context: ApiContext, chain: Chain<Statement>, mode: VerifyMode): Promise<Fault | undefined> {
  if (!chain.isExact) return { reason: 'order' }
  const range: CheckRange = { batonId: chain.batonId, last: chain.entries, limit: BATCH[mode], isFull: mode === 'full' }
  let position: ChainPosition = { seq: 0, hash: chain.origin, endByte: 0 }
  while (position.seq < chain.entries) {
    const { next, fault, stored } = await checkEntries(context.db, position, range)
    if (fault) return fault
    if (!next) return { reason: 'order', seq: position.seq + 1 }
    const changed = await findChanged(context, stored)
    if (changed) return { reason: 'content', seq: changed.seq }
    position = next
  }
  return position.hash === chain.head && position.endByte === chain.size ? undefined : { reason: 'head' }
}

async function findChanged(context: ApiContext, stored: StoredContent[]): Promise<StoredContent | undefined> {
  for (const content of stored) if (!(await isIntact(context, content))) return content
  return undefined
}

/** Whether the object store still has the bytes of an entry. */
async function isIntact({ store }: ApiContext, { key, size, sha256 }: StoredContent): Promise<boolean> {
  const facts = await store.stat(key)
  if (facts?.sizeBytes !== size) return false
  const hash = createHash('sha256')
  for await (const chunk of await store.read(key)) hash.update(chunk as Buffer)
  return hash.digest('hex') === sha256
}

/** A key that was retired may have got into other hands since. */
function isTimely({ witnessed_at: at }: Statement, { retiredAt }: Pick<StoredKey, 'retiredAt'>): boolean {
  return retiredAt === null || Date.parse(at) <= Date.parse(retiredAt)
}

/** Whether a frozen chain is the one that was signed. Who can write to the database cannot make such a record. */
async function findWitnessFault({ db }: ApiContext, chain: Chain<Statement>): Promise<Fault | undefined> {
  const { record, witnessedAt, head, entries, size, batonId } = chain
  if (witnessedAt === null && record === null) return undefined
  const keys = await listKeys(db)
  const key = record ? keys.find(({ kid }) => kid === readKeyId(record)) : undefined
  const isSigned = record && key && isSignedBy(record, key) && isTimely(record.statement, key)
  const { statement } = record ?? {}
  const isSame =
    statement?.baton_id === batonId &&
    statement.chain_head === head &&
    statement.entries === entries &&
    statement.size === size
  return isSigned && isSame ? undefined : { reason: 'witness' }
}
