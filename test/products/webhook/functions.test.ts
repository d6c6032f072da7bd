import { expect, test } from 'vitest'
import { newId } from '#kit'
import { openListener, value } from '../../../sql/db.ts'
import { openWallet } from '../../../sql/payment.ts'
import { linkWallet } from '../../../sql/wallet.ts'
import { deleteWebhook, listDeliveries, readWebhook, updateWebhook } from '../../../sql/webhook/endpoints.ts'
import type { TakenDelivery } from '../../../sql/webhook/queue.ts'
import { buildCall } from '../../support/database/ledger.ts'
import { OTHER, openQueue, type WebhookQueue, WORKER } from '../../support/database/webhook-queue.ts'
import { eventually } from '../../support/machine/eventually.ts'

const readClock = ({ db }: WebhookQueue) => value<Date>(db, 'select clock_timestamp()')

/** Expects that the one delivery is due so many seconds after its attempt has ended, however slow this machine is. */
async function expectDelay({ db }: WebhookQueue, before: Date, least: number, most: number): Promise<void> {
  const due = await value<Date>(db, 'select due_at from svc.webhook_delivery')
  const after = await value<Date>(db, 'select clock_timestamp()')
  expect(due.getTime()).toBeGreaterThanOrEqual(before.getTime() + least * 1_000 - 1)
  expect(due.getTime()).toBeLessThanOrEqual(after.getTime() + most * 1_000 + 1)
}

const FAILURE = { ok: false, code: 500, error: 'The receiver answered 500.' }

test('jobs are emitted in the transaction that ends them, for the accounts that asked and for no others', async () => {
  await using queue = await openQueue()
  const [asks, asksNot] = [await queue.openAccount(10_000n), await queue.openAccount(10_000n)]
  const id = await queue.register(asks)
  const notifications: string[] = []
  const listener = openListener(
    queue.url,
    'test',
    { webhook_due: payload => notifications.push(payload) },
    () => undefined,
  )
  await listener.connect()
  await Promise.all([asks, asksNot, asks].map(account => queue.jobs.instant(buildCall(account))))
  const queued = buildCall(asks)
  await queue.jobs.intake(queued)
  const problem = { code: 'PDF_PARSE_FAILED' as const, hints: {} }
  await queue.jobs.finish({
    id: queued.id,
    accountId: asks,
    attempt: 1,
    startedAt: new Date(),
    outcome: { status: 'failed', problem },
  })
  const taken: TakenDelivery[] = []
  for (let round = 0; round < 2; round++) {
    const some = await queue.take()
    for (const delivery of some) await queue.finish(delivery)
    taken.push(...some)
  }
  expect(taken.map(({ sequence }) => sequence)).toEqual([1, 2, 3])
  expect(taken[0]).toMatchObject({ payload: { status: 'succeeded', actualMicros: '1000' }, result: { answer: 42 } })
  expect(taken[2]!.payload).toEqual({
    jobId: queued.id,
    serviceKey: 'utils.hash',
    status: 'failed',
    actualMicros: '0',
    errorReason: 'PDF_PARSE_FAILED',
  })
  expect(await queue.take()).toEqual([])
  const all = await listDeliveries(queue.db, { accountId: asks, id, limit: 10, offset: 0 })
  expect(all!.map(({ status }) => status)).toEqual(['SUCCESS', 'SUCCESS', 'SUCCESS'])
  await eventually('a notification', () => notifications.length > 0)
  await listener.close()
})

test('an event of an object goes to the triggers of that object alone', async () => {
  await using queue = await openQueue()
  const account = await queue.openAccount(0n)
  const [one, two] = [newId(), newId()]
  const events = ['baton.written']
  const trigger = await queue.register(account, { targetId: one, events })
  await queue.register(account, { targetId: two, events })
  await queue.register(account, { events })
  expect(await queue.emit(account, 'baton.written', { targetId: one })).toBe(1)
  expect((await queue.take()).map(({ endpointId }) => endpointId)).toEqual([trigger])
  expect(await readWebhook(queue.db, account, trigger)).toBeUndefined()
  await expect(deleteWebhook(queue.db, account, trigger)).rejects.toMatchObject({ code: 'NOT_FOUND' })
  await queue.set('delivery', `status = 'FAILED', due_at = null, worker_id = null`)
})

test('a new endpoint is sent one delivery at a time, a prompt one ever more, and one that failed one again', async () => {
  await using queue = await openQueue()
  const account = await queue.openAccount(0n)
  await queue.register(account, { events: ['x'] })
  await queue.emit(account, 'x', { count: 200 })
  const sizes = []
  for (let round = 0; round < 6; round++) {
    const taken = await queue.take()
    sizes.push(taken.length)
    for (const delivery of taken) await queue.finish(delivery)
  }
  expect(sizes).toEqual([1, 2, 8, 16, 16, 16])
  const [first, ...others] = await queue.take()
  await queue.finish(first!, FAILURE)
  expect(await queue.take()).toEqual([])
  for (const delivery of others) await queue.finish(delivery, { ms: 3_000 })
  expect(await queue.take()).toHaveLength(4)
  await queue.set('delivery', `status = 'FAILED', due_at = null, worker_id = null`)
})

test('endpoints that may hang share the trial slots and delay none that answers', async () => {
  await using queue = await openQueue()
  const account = await queue.openAccount(0n)
  const healthy = await queue.register(account, { events: ['x'] })
  await queue.emit(account, 'x')
  for (const delivery of await queue.take()) await queue.finish(delivery)
  for (let count = 0; count < 30; count++) await queue.register(account, { events: ['x'] })
  await queue.emit(account, 'x')
  const taken = await queue.take({ slots: 10, trialSlots: 4 })
  expect(taken.map(({ isTrial }) => isTrial)).toEqual([false, true, true, true, true])
  expect(taken[0]!.endpointId).toBe(healthy)
  const next = await queue.take({ slots: 6, trialSlots: 2 })
  expect(new Set([...taken, ...next].map(({ endpointId }) => endpointId)).size).toBe(7)
  await queue.set('delivery', `status = 'FAILED', due_at = null, worker_id = null`)
})

test('the delays between attempts follow the schedule, give or take a fifth, and the eighth is the last', async () => {
  await using queue = await openQueue()
  const account = await queue.openAccount(0n)
  const id = await queue.register(account, { events: ['x'] })
  await queue.emit(account, 'x')
  for (const seconds of [5, 300, 1_800, 7_200, 18_000, 36_000, 36_000, undefined]) {
    await queue.set('delivery', 'due_at = now()')
    await queue.set('endpoint', 'next_at = now(), paused_until = null')
    const [taken] = await queue.take()
    const before = await readClock(queue)
    await queue.finish(taken!, FAILURE)
    const [delivery] = (await listDeliveries(queue.db, { accountId: account, id, limit: 1, offset: 0 }))!
    if (seconds === undefined) {
      expect(delivery).toMatchObject({ status: 'FAILED', attempts: 8, nextAttemptAt: null })
      continue
    }
    await expectDelay(queue, before, seconds * 0.8, seconds * 1.2)
  }
  expect((await queue.read(id)).consecutive_failures).toBe(8)
})

test.each([
  [1, 5],
  [7, 7],
  [900, 10],
])('a receiver that asks for %s seconds is given %s', async (retryAfter, seconds) => {
  await using queue = await openQueue()
  const account = await queue.openAccount(0n)
  await queue.register(account, { events: ['x'] })
  await queue.emit(account, 'x')
  const [taken] = await queue.take()
  const before = await readClock(queue)
  await queue.finish(taken!, { ...FAILURE, code: 429, retryAfter })
  await expectDelay(queue, before, seconds, seconds)
})

test('after three failures nothing is sent for a while, each time for longer, and a success ends that', async () => {
  await using queue = await openQueue()
  const account = await queue.openAccount(0n)
  const id = await queue.register(account, { events: ['x'] })
  await queue.emit(account, 'x', { count: 20 })
  const pauses = []
  for (let failures = 1; failures <= 9; failures++) {
    await queue.set('endpoint', 'next_at = now(), paused_until = null')
    const [taken] = await queue.take()
    await queue.finish(taken!, FAILURE)
    pauses.push((await queue.read(id)).pause_seconds)
    if (failures >= 3) expect(await queue.take()).toEqual([])
  }
  expect(pauses).toEqual([0, 0, 5, 10, 20, 40, 80, 160, 300])
  await queue.set('endpoint', 'next_at = now(), paused_until = null')
  await queue.finish((await queue.take())[0]!)
  expect(await queue.read(id)).toMatchObject({
    consecutive_failures: 0,
    pause_seconds: 0,
    failing_since: null,
    paused_until: null,
  })
  expect(await queue.take()).toHaveLength(2)
  await queue.set('delivery', `status = 'FAILED', due_at = null, worker_id = null`)
})

test('an endpoint is disabled when it has failed for days, not before, and keeps the events of the next week', async () => {
  await using queue = await openQueue()
  const account = await queue.openAccount(0n)
  const id = await queue.register(account, { events: ['x'] })
  const failOnce = async () => {
    await queue.emit(account, 'x')
    await queue.set('endpoint', 'next_at = now(), paused_until = null')
    await queue.finish((await queue.take())[0]!, FAILURE)
    return queue.read(id)
  }
  const first = await failOnce()
  expect([first.failing_since, first.doubted_since]).toEqual([expect.any(Date), null])
  await queue.set('endpoint', `failing_since = now() - interval '13 hours'`)
  expect((await failOnce()).doubted_since).toEqual(expect.any(Date))
  await queue.set('endpoint', `failing_since = now() - interval '6 days', doubted_since = now() - interval '119 hours'`)
  expect((await failOnce()).is_active).toBe(true)
  await queue.set('endpoint', `doubted_since = now() - interval '121 hours'`)
  expect(await failOnce()).toMatchObject({
    is_active: false,
    disabled_reason: 'Every attempt of the last days has failed.',
    next_at: null,
  })
  expect(await queue.emit(account, 'x')).toBe(1)
  const failed = (await listDeliveries(queue.db, { accountId: account, id, limit: 10, offset: 0 }))!
  expect(failed.map(({ status }) => status)).toEqual(['FAILED', 'FAILED', 'FAILED', 'FAILED', 'FAILED'])
  await queue.set('endpoint', `disabled_at = now() - interval '8 days'`)
  expect(await queue.emit(account, 'x')).toBe(0)
  expect(await updateWebhook(queue.db, account, id, { active: true })).toMatchObject({
    active: true,
    consecutiveFailures: 0,
  })
  expect(await queue.emit(account, 'x')).toBe(1)
})

test('what a lost worker was sending is sent by another, and the first one can only report a success', async () => {
  await using queue = await openQueue()
  const account = await queue.openAccount(0n)
  const id = await queue.register(account, { events: ['x'] })
  await queue.emit(account, 'x')
  const [lost] = await queue.take()
  expect(await queue.take({ workerId: OTHER })).toEqual([])
  await value(queue.db, 'select webhook.release(array[$1::uuid])', [WORKER])
  await queue.finish(lost!, FAILURE)
  const [again] = await queue.take({ workerId: OTHER })
  expect(again).toMatchObject({ id: lost!.id, attempt: 2 })
  await queue.finish(lost!, {})
  const read = async () => (await listDeliveries(queue.db, { accountId: account, id, limit: 1, offset: 0 }))![0]
  expect(await read()).toMatchObject({ status: 'PENDING', attempts: 2 })
  await queue.finish(again!, {}, OTHER)
  expect(await read()).toMatchObject({ status: 'SUCCESS', attempts: 2 })
  await queue.finish(again!, FAILURE, OTHER)
  expect(await read()).toMatchObject({ status: 'SUCCESS', responseCode: 200 })
})

test('an answer to what was sent before a webhook was enabled disables nothing, but one that arrived has arrived', async () => {
  await using queue = await openQueue()
  const account = await queue.openAccount(0n)
  const id = await queue.register(account, { events: ['x'] })
  await queue.emit(account, 'x')
  const [before] = await queue.take()
  await updateWebhook(queue.db, account, id, { active: true })
  await queue.finish(before!, { ok: false, code: 410, error: 'The receiver answered 410.' })
  expect(await readWebhook(queue.db, account, id)).toMatchObject({ active: true, consecutiveFailures: 0 })
  const [after] = await queue.take()
  expect(after).toMatchObject({ id: before!.id, attempt: 2 })
  await updateWebhook(queue.db, account, id, { active: true })
  await queue.finish(after!, {})
  const [delivery] = (await listDeliveries(queue.db, { accountId: account, id, limit: 1, offset: 0 }))!
  expect(delivery).toMatchObject({ status: 'SUCCESS', attempts: 2 })
  expect(await queue.take()).toEqual([])
})

test('a worker that is silent for longer than its lease loses what it was sending', async () => {
  await using queue = await openQueue()
  const account = await queue.openAccount(0n)
  await queue.register(account, { events: ['x'] })
  await queue.emit(account, 'x')
  const [lost] = await queue.take({ leaseSeconds: 0 })
  const [again] = await queue.take({ workerId: OTHER })
  expect(again).toMatchObject({ id: lost!.id, attempt: 2 })
  await queue.finish(again!, {}, OTHER)
})

test('jobs that end, deliveries that end and workers that take them do not wait for each other forever', async () => {
  await using queue = await openQueue()
  const accounts = await Promise.all(Array.from({ length: 4 }, () => queue.openAccount(1_000_000n)))
  const ids = []
  for (const account of accounts) for (let count = 0; count < 3; count++) ids.push(await queue.register(account))
  let calls = 0
  const call = async () => {
    for (let count = 0; count < 25; count++) await queue.jobs.instant(buildCall(accounts[calls++ % 4]!))
  }
  let sent = 0
  const send = async (workerId: string) => {
    await eventually('all to be sent', async () => {
      const taken = await queue.take({ workerId })
      await Promise.all(taken.map(delivery => queue.finish(delivery, {}, workerId)))
      sent += taken.length
      return sent === 300
    })
  }
  await Promise.all([call(), call(), call(), call(), send(WORKER), send(OTHER)])
  for (const id of ids) expect((await queue.read(id)).sequence).toBe(25n)
})

test('the webhooks of a wallet come along when it is linked to an account', async () => {
  await using queue = await openQueue()
  const account = await queue.openAccount(0n)
  const address = '0x00000000000000000000000000000000000000aa'
  const former = await openWallet(queue.db, address, newId(), false)
  const id = await queue.register(former)
  await linkWallet(queue.db, address, account)
  expect(await readWebhook(queue.db, account, id)).toMatchObject({ id })
  expect(await readWebhook(queue.db, former, id)).toBeUndefined()
})
