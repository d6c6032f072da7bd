import { createHash } from 'node:crypto'
import { expect } from 'vitest'
import { mapInBatches } from '../../../../ops/map-in-batches.ts'
import { readAccount } from '../../../../sql/account.ts'
import { type DbPool, rows } from '../../../../sql/db.ts'
import { checkInvariants } from '../../../../sql/ledger.ts'
import { insist } from './call.ts'
import type { Ended } from './open.ts'

export interface Customer {
  accountId: string
  apiKey: string
  creditMicros: bigint
}

/** Every acknowledged call was done once and is charged once, nothing else is, and all that was stored can be read. */
export async function expectAllThere(
  db: DbPool,
  url: string,
  customer: Customer,
  ended: readonly Ended[],
): Promise<void> {
  expect(await checkInvariants(db)).toEqual([])
  await expectOneChargeEach(db, customer, new Set(ended.flatMap(({ job }) => job ?? [])))
  const read = async (path: string) => (await insist(url, customer.apiKey, { method: 'GET', path })).bytes
  for (const [log, lines] of groupLines(ended)) expect((await read(`/v1/baton/${log}`)).toString()).toBe(lines.join(''))
  const files = ended.flatMap(({ file }) => file ?? [])
  for await (const { path, isSame } of mapInBatches(files, 4, async file => {
    const sha256 = createHash('sha256').update(await read(file.path))
    return { ...file, isSame: sha256.digest('hex') === file.sha256 }
  }))
    expect([path, isSame]).toEqual([path, true])
}

async function expectOneChargeEach(db: DbPool, customer: Customer, jobs: ReadonlySet<string>): Promise<void> {
  const query = `select job.id, job.status, job.charged_micros, count(transfer.id) filter (where kind in ('capture', 'charge')) as charges
    from svc.job left join svc.transfer on transfer.job_id = job.id where job.account_id = $1 group by job.id`
  const found = await rows<{ id: string; status: string; charged_micros: bigint | null; charges: bigint }>(db, query, [
    customer.accountId,
  ])
  // A call whose api was killed may have a job that expired: it was done again, as another one.
  expect(found.filter(({ status, charges }) => charges !== (status === 'succeeded' ? 1n : 0n))).toEqual([])
  const ids = new Set(found.filter(({ status }) => status === 'succeeded').map(({ id }) => id))
  expect([...jobs.difference(ids)], 'acknowledged and gone').toEqual([])
  expect([...ids.difference(jobs)], 'charged and never acknowledged').toEqual([])
  const charged = found.reduce((sum, { charged_micros: micros }) => sum + (micros ?? 0n), 0n)
  const { balanceMicros, heldMicros } = (await readAccount(db, customer.accountId))!
  expect([BigInt(balanceMicros), BigInt(heldMicros)]).toEqual([customer.creditMicros - charged, 0n])
}

/** The lines of each log in the order in which they were acknowledged, which is that of one caller. */
function groupLines(ended: readonly Ended[]): Map<string, string[]> {
  const logs = new Map<string, string[]>()
  for (const { line } of ended) if (line) logs.set(line.log, [...(logs.get(line.log) ?? []), line.text])
  return logs
}
