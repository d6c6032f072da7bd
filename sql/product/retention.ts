import type { Retention } from '#kit'
import { products } from '../../tasks/products/index.ts'
import { type Db, value } from '../db.ts'

const PLATFORM: readonly Retention[] = [
  { of: 'uploads and outputs', after: 'cputools.scratch_hours', removedBy: 'chore purge-objects' },
  { of: 'results of jobs', after: 'job.result_days', removedBy: 'chore forget-results' },
]

/** What is due to a chore; what is due to a step is in its queue. */
const DUE_BY_CHORE: Readonly<Record<string, string>> = {
  'purge-objects': 'select count(*) from svc.object where expires_at <= now()',
  'purge-batons': 'select count(*) from svc.baton where purge_at <= now()',
  'forget-connections': 'select count(*) from svc.oauth_token where expires_at < now()',
}

interface DueRetention extends Retention {
  product: string
  /** How much is to be removed now; null where only the chore itself knows. */
  due: number | null
}

/** What the platform and each product keep for how long, and how much of it is due. */
export function listRetention(db: Db): Promise<DueRetention[]> {
  const declared = products.flatMap(({ name, retention = [] }) => retention.map(kept => ({ ...kept, product: name })))
  const all = [...PLATFORM.map(kept => ({ ...kept, product: 'platform' })), ...declared]
  return Promise.all(all.map(async kept => ({ ...kept, due: await countDue(db, kept.removedBy) })))
}

async function countDue(db: Db, removedBy: string): Promise<number | null> {
  const [kind, name = ''] = removedBy.split(' ')
  if (kind === 'step') return Number(await value(db, 'select step.count_due($1)', [name]))
  const text = DUE_BY_CHORE[name]
  return text === undefined ? null : Number(await value(db, text))
}
