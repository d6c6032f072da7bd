import type { Retention } from '#kit'
import { products } from '../../tasks/products/index.ts'
import { type Db, value } from '../db.ts'

const PLATFORM: readonly Retention[] = [
  {
    of: 'uploads and outputs',
    after: 'cputools.scratch_hours',
    removedBy: 'chore purge-objects',
    countedBy: 'object.count_due',
  },
  { of: 'results of jobs', after: 'job.result_days', removedBy: 'chore forget-results' },
  { of: 'dead steps', after: 'step.dead_days', removedBy: 'chore forget-steps' },
]

interface DueRetention extends Retention {
  product: string
  /** How much is to be removed now; null where only the chore itself knows. */
  due: number | null
}

/** What the platform and each product keep for how long, and how much of it is due. */
export function listRetention(db: Db): Promise<DueRetention[]> {
  const declared = products.flatMap(({ name, retention = [] }) => retention.map(kept => ({ ...kept, product: name })))
  const all = [...PLATFORM.map(kept => ({ ...kept, product: 'platform' })), ...declared]
  return Promise.all(all.map(async ({ countedBy, ...kept }) => ({ ...kept, due: await countDue(db, kept, countedBy) })))
}

async function countDue(db: Db, { removedBy }: Retention, countedBy: string | undefined): Promise<number | null> {
  const [kind, name] = removedBy.split(' ')
  if (kind === 'step') return Number(await value(db, 'select step.count_due($1)', [name]))
  return countedBy === undefined ? null : Number(await value(db, `select ${countedBy}()`))
}
