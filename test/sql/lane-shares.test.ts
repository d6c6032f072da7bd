import { expect, test } from 'vitest'
import { newId } from '#kit'
import { rows } from '../../sql/db.ts'
import { cancelJob } from '../../sql/job.ts'
import { readLaneRule, setLaneRule } from '../../sql/lane.ts'
import { writeSetting } from '../../sql/setting.ts'
import { joinWorkers } from '../../sql/worker.ts'
import { buildCall, openTestLedger, type TestLedger } from '../support/database/ledger.ts'

const PLACES = 4

/** An account that has calls queued, and those of another that come after them. */
async function openQueue(ledger: TestLedger) {
  const [heavy, light] = [await ledger.openAccount(1_000_000n), await ledger.openAccount(1_000_000n)]
  const names = new Map<string, string>()
  async function queue(account: string, count: number, lane = 'program'): Promise<string[]> {
    // Ids of one millisecond have no order.
    const ids = Array.from({ length: count }, newId).toSorted()
    const calls = ids.map(id => buildCall(account, { id, lane }))
    for (const [index, call] of calls.entries()) {
      call.payload = JSON.stringify({ id: call.id })
      names.set(call.id, `${account === heavy ? 'heavy' : 'light'} ${index + 1}`)
      expect(await ledger.jobs.intake(call)).toBeUndefined()
    }
    return calls.map(({ id }) => id)
  }
  /** The jobs in the order in which a free place takes them. */
  async function listWaiting(): Promise<string[]> {
    const waiting = await rows<{ id: string }>(
      ledger.db,
      `select payload ->> 'id' as id from lane_program._private_jobs where is_available and run_at <= now() order by priority, run_at, id`,
    )
    return waiting.map(({ id }) => names.get(id)!)
  }
  /** Takes jobs as the runners do. */
  async function fetchJobs(count: number): Promise<string[]> {
    const fetched = await rows<{ id: string }>(
      ledger.db,
      `update lane_program._private_jobs set locked_at = now(), locked_by = 'test' where id in (
        select id from lane_program._private_jobs where is_available and run_at <= now() order by priority, run_at, id limit ${count})
        returning payload ->> 'id' as id`,
    )
    return fetched.map(({ id }) => names.get(id)!)
  }
  async function end(account: string, id: string): Promise<void> {
    const outcome = { status: 'succeeded' as const, chargeMicros: 1_000n, result: '{}', objects: [] }
    await ledger.jobs.finish({ id, accountId: account, attempt: 1, startedAt: new Date(), outcome })
    await rows(ledger.db, `delete from lane_program._private_jobs where payload ->> 'id' = $1`, [id])
  }
  return { heavy, light, queue, listWaiting, fetchJobs, end }
}

async function join(ledger: TestLedger, places: number): Promise<void> {
  const worker = { id: newId(), host: 'test', pid: process.pid, pools: [], lanes: { program: places }, tools: [] }
  await joinWorkers(ledger.db, worker)
}

test('a job goes before the backlog of another account, except for its share of the places', async () => {
  await using ledger = await openTestLedger()
  await join(ledger, PLACES)
  const { heavy, light, queue, listWaiting } = await openQueue(ledger)
  await queue(heavy, 6)
  await queue(light, 1)
  expect(await listWaiting()).toEqual(['heavy 1', 'heavy 2', 'light 1', 'heavy 3', 'heavy 4', 'heavy 5', 'heavy 6'])
})

test('the places of all workers count', async () => {
  await using ledger = await openTestLedger()
  await join(ledger, PLACES)
  await join(ledger, PLACES)
  const { heavy, light, queue, listWaiting } = await openQueue(ledger)
  await queue(heavy, 5)
  await queue(light, 1)
  expect((await listWaiting()).indexOf('light 1')).toBe(4)
})

test('an account that has all places to itself gives them back one by one until it has half', async () => {
  await using ledger = await openTestLedger()
  await join(ledger, PLACES)
  const { heavy, light, queue, fetchJobs, end } = await openQueue(ledger)
  const own = await queue(heavy, 8)
  expect((await fetchJobs(PLACES)).toSorted()).toEqual(['heavy 1', 'heavy 2', 'heavy 3', 'heavy 4'])
  await queue(light, 3)
  await end(heavy, own[0]!)
  expect(await fetchJobs(1)).toEqual(['light 1'])
  await end(heavy, own[1]!)
  expect(await fetchJobs(1)).toEqual(['light 2'])
  await end(heavy, own[2]!)
  expect((await fetchJobs(1))[0]).toBe('heavy 5')
})

test('with one place, two accounts take turns', async () => {
  await using ledger = await openTestLedger()
  await join(ledger, 1)
  const { heavy, light, queue, fetchJobs, end } = await openQueue(ledger)
  const own = await queue(heavy, 4)
  const other = await queue(light, 3)
  const order: string[] = []
  for (const [account, id] of [
    [heavy, own[0]],
    [light, other[0]],
    [heavy, own[1]],
    [light, other[1]],
  ] as const) {
    order.push(...(await fetchJobs(1)))
    await end(account, id!)
  }
  expect(order).toEqual(['heavy 1', 'light 1', 'heavy 2', 'light 2'])
})

test('a cancelled job gives its rank to the next, and other lanes are counted apart', async () => {
  await using ledger = await openTestLedger()
  await join(ledger, PLACES)
  const { heavy, light, queue, listWaiting } = await openQueue(ledger)
  await queue(heavy, 3, 'native')
  const own = await queue(heavy, 4)
  await queue(light, 1)
  expect(await cancelJob(ledger.db, heavy, own[0]!)).toBe('cancelled')
  expect(await listWaiting()).toEqual(['heavy 1', 'heavy 2', 'light 1', 'heavy 3', 'heavy 4'])
})

test('the calls of one batch are ranked among each other', async () => {
  await using ledger = await openTestLedger()
  await join(ledger, PLACES)
  const account = await ledger.openAccount(1_000_000n)
  await Promise.all(Array.from({ length: 50 }, () => ledger.jobs.intake(buildCall(account, { lane: 'program' }))))
  const counts = await rows<{ priority: number; count: bigint }>(
    ledger.db,
    'select priority, count(*) from lane_program.jobs group by priority order by priority',
  )
  expect(counts).toEqual([
    { priority: 0, count: 2n },
    { priority: 1, count: 48n },
  ])
})

const STANDARD = { sharePercent: null, maxRunning: null, urgency: 0 }

test('an account has no more jobs at once than its rule says, also while no other waits', async () => {
  await using ledger = await openTestLedger()
  await join(ledger, PLACES)
  const { heavy, queue, fetchJobs, listWaiting, end } = await openQueue(ledger)
  await setLaneRule(ledger.db, heavy, { ...STANDARD, maxRunning: 3 })
  const own = await queue(heavy, 6)
  expect(await fetchJobs(PLACES)).toHaveLength(3)
  expect(await listWaiting()).toEqual([])
  await end(heavy, own[0]!)
  expect(await listWaiting()).toEqual(['heavy 4'])
  await setLaneRule(ledger.db, heavy, { ...STANDARD, maxRunning: 4 })
  expect(await listWaiting()).toEqual(['heavy 4', 'heavy 5'])
  await setLaneRule(ledger.db, heavy, STANDARD)
  expect(await listWaiting()).toEqual(['heavy 4', 'heavy 5', 'heavy 6'])
  expect(await readLaneRule(ledger.db, heavy)).toEqual(STANDARD)
})

test('the same limit for all accounts is a setting', async () => {
  await using ledger = await openTestLedger()
  await join(ledger, PLACES)
  await writeSetting(ledger.db, 'queue.max_running', 1)
  const { heavy, light, queue, listWaiting, end } = await openQueue(ledger)
  const own = await queue(heavy, 3)
  await queue(light, 2)
  expect(await listWaiting()).toEqual(['heavy 1', 'light 1'])
  await end(heavy, own[0]!)
  expect(await listWaiting()).toEqual(['light 1', 'heavy 2'])
})

test('the share and the urgency of an account are those of its rule', async () => {
  await using ledger = await openTestLedger()
  await join(ledger, PLACES)
  const { heavy, light, queue, listWaiting } = await openQueue(ledger)
  await setLaneRule(ledger.db, heavy, { ...STANDARD, sharePercent: 25 })
  await queue(heavy, 3)
  await setLaneRule(ledger.db, light, { ...STANDARD, urgency: -1 })
  await queue(light, 3)
  expect(await listWaiting()).toEqual(['light 1', 'light 2', 'heavy 1', 'heavy 2', 'heavy 3', 'light 3'])
  const late = await ledger.openAccount(1_000_000n)
  await setLaneRule(ledger.db, late, { ...STANDARD, urgency: 1 })
  await ledger.jobs.intake(buildCall(late, { lane: 'program' }))
  expect((await listWaiting()).at(-1)).toBeUndefined()
  for (const wrong of [{ sharePercent: 0 }, { maxRunning: 0 }, { urgency: 2 }])
    await expect(setLaneRule(ledger.db, late, { ...STANDARD, ...wrong })).rejects.toMatchObject({
      code: 'INVALID_PARAM',
    })
})
