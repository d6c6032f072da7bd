import { randomBytes } from 'node:crypto'
import pg from 'pg'
import { expect, test } from 'vitest'
import { newId, type Problem } from '#kit'
import { readAccount } from '../../../sql/account.ts'
import { type PayingJob, serializeJob } from '../../../sql/call.ts'
import { buyCheckpoint, readCheckpoint, writeCheckpoint } from '../../../sql/checkpoint/versions.ts'
import { rows } from '../../../sql/db.ts'
import { expireLease } from '../../../sql/lease/steps.ts'
import { buyMailbox, deleteMailbox, deleteMessage, dropMessage, listMessages } from '../../../sql/mailbox/messages.ts'
import { listSteps } from '../../../sql/step/queue.ts'
import { buildCall, openTestLedger, type TestLedger } from '../../support/database/ledger.ts'

const CAPACITY = 4_096

/** Holds the price of a lease, as the intake does. */
async function payFor({ jobs }: TestLedger, accountId: string): Promise<PayingJob> {
  const call = buildCall(accountId, { serviceKey: 'leases.create-mailbox', lane: 'api', payload: 'null' })
  expect(await jobs.intake(call)).toBeUndefined()
  return { id: call.id, accountId, startedAt: new Date(), chargeMicros: call.amountMicros }
}

async function openMailbox(ledger: TestLedger, accountId: string) {
  const [id, tokenHash] = [newId(), randomBytes(32)]
  const limits = { capacityBytes: CAPACITY, maxMessageBytes: 1_024, maxMessages: 12, dropRate: 60 }
  const none = { contentTypes: null, label: null, webhook: undefined }
  await buyMailbox(ledger.db, await payFor(ledger, accountId), { id, tokenHash, seconds: 60, ...limits, ...none })
  return { id, accountId, tokenHash }
}

const findBroken = ({ db }: TestLedger) => rows(db, 'select * from lease.check_invariants()')

test('many senders and a reader who deletes never exceed a mailbox, and nothing that was accepted is lost', async () => {
  await using ledger = await openTestLedger()
  const { db } = ledger
  const mailbox = await openMailbox(ledger, await ledger.openAccount(1_000n))
  const accepted: string[] = []
  const deleted: string[] = []
  const send = async (n: number): Promise<void> => {
    const body = randomBytes(1 + ((n * 337) % 1_100))
    try {
      const receipt = await dropMessage(db, mailbox.tokenHash, {
        ...{ body, contentType: 'a/b', filename: undefined, idempotencyKey: undefined },
      })
      accepted.push(receipt.message_id)
    } catch (error) {
      expect(['BODY_TOO_LARGE', 'MAILBOX_FULL', 'MESSAGE_COUNT_EXCEEDED']).toContain((error as Problem).code)
    }
  }
  const clear = async (): Promise<void> => {
    const {
      items,
      used_bytes: usedBytes,
      count,
    } = await listMessages(db, mailbox, {
      ...{ after: undefined, isUnread: false, limit: 3 },
    })
    expect(usedBytes).toBeLessThanOrEqual(CAPACITY)
    expect(count).toBeLessThanOrEqual(12)
    for (const { id } of items) {
      const isMine = await deleteMessage(db, mailbox, id.slice(4)).then(
        () => true,
        () => false,
      )
      if (isMine) deleted.push(id)
    }
  }
  await Promise.all(Array.from({ length: 60 }, (_, n) => (n % 6 === 5 ? clear() : send(n))))
  const all = await listMessages(db, mailbox, { after: undefined, isUnread: false, limit: 100 })
  expect([...deleted, ...all.items.map(({ id }) => id)].sort()).toEqual(accepted.sort())
  expect(new Set(accepted).size).toBe(accepted.length)
  expect(await findBroken(ledger)).toEqual([])
})

/** Runs a statement in a transaction whose connection is killed before it is committed. */
async function runKilled(ledger: TestLedger, text: string, values: unknown[]): Promise<void> {
  const client = new pg.Client({ connectionString: ledger.url })
  client.on('error', () => undefined)
  await client.connect()
  await client.query('begin')
  const { rows: found } = await client.query<{ pid: number }>('select pg_backend_pid() as pid')
  await client.query(text, values)
  const ended = new Promise(resolve => client.once('end', resolve))
  await rows(ledger.db, 'select pg_terminate_backend($1)', [found[0]!.pid])
  await ended
}

test('whatever is killed before its commit leaves neither a charge, a message, a version nor a hole', async () => {
  await using ledger = await openTestLedger()
  const { db } = ledger
  const accountId = await ledger.openAccount(10_000n)
  const mailbox = await openMailbox(ledger, accountId)
  const message = { body: Buffer.from('kept'), contentType: 'a/b', filename: undefined, idempotencyKey: undefined }
  await dropMessage(db, mailbox.tokenHash, message)
  const lease = { id: newId(), workflowId: 'w', maxBodyBytes: 100, seconds: 60, body: Buffer.from('1') }
  const fields = { ...lease, contentType: 'application/json' }
  await buyCheckpoint(db, await payFor(ledger, accountId), fields)

  const unfinished = await payFor(ledger, accountId)
  const other = JSON.stringify({
    ...{ id: newId(), account_id: accountId, kind: 'checkpoint', job_id: unfinished.id },
    ...{ workflow_id: 'other', max_body_bytes: 9 },
  })
  const purchase = [serializeJob(unfinished), other, Buffer.from('2')]
  await runKilled(ledger, 'select checkpoint.buy($1, $2, 60, $3)', purchase)
  await runKilled(ledger, "select mailbox.drop_message($1, $2, 'a/b', null, null)", [mailbox.tokenHash, message.body])
  await runKilled(ledger, "select checkpoint.write($1, 'w', $2, '{}'::json, null, 1, 'application/json')", [
    accountId,
    Buffer.from('2'),
  ])
  await runKilled(ledger, 'select mailbox.remove($1, $2)', [accountId, mailbox.id])
  await rows(db, "update svc.lease set expires_at = now() - interval '1 s' where workflow_id = 'w'")
  await runKilled(ledger, "select lease.expire(id) from svc.lease where workflow_id = 'w'", [])
  await rows(db, "update svc.lease set expires_at = now() + interval '60 s' where workflow_id = 'w'")

  await rows(db, "update svc.job set deadline_at = now() - interval '1 s' where id = $1", [unfinished.id])
  await rows(db, 'select job.expire()')
  expect((await readAccount(db, accountId))!.balanceMicros.toString()).toBe('8000')
  await expect(buyCheckpoint(db, unfinished, { ...fields, workflowId: 'late' })).rejects.toMatchObject({
    code: 'TIME_LIMIT_EXCEEDED',
  })
  await expect(readCheckpoint(db, accountId, 'other', undefined)).rejects.toMatchObject({ code: 'NOT_FOUND' })
  expect((await readCheckpoint(db, accountId, 'w', undefined)).body.toString()).toBe('1')
  expect(await listMessages(db, mailbox, { after: undefined, isUnread: false, limit: 9 })).toMatchObject({ count: 1 })
  const write = {
    accountId,
    workflowId: 'w',
    body: Buffer.from('3'),
    condition: { match: ['v1'] },
    idempotencyKey: undefined,
    contentType: 'application/json',
  }
  expect((await writeCheckpoint(db, { ...write, keep: 10 })).version).toBe(2)
  expect(await findBroken(ledger)).toEqual([])
})

test('a message that arrives while its mailbox is deleted is either deleted too or refused', async () => {
  await using ledger = await openTestLedger()
  const accountId = await ledger.openAccount(20_000n)
  for (let round = 0; round < 10; round++) {
    const mailbox = await openMailbox(ledger, accountId)
    const message = { body: Buffer.from('x'), contentType: 'a/b', filename: undefined, idempotencyKey: undefined }
    const drops = Array.from({ length: 6 }, () => dropMessage(ledger.db, mailbox.tokenHash, message))
    const [, ...outcomes] = await Promise.allSettled([deleteMailbox(ledger.db, mailbox), ...drops])
    for (const outcome of outcomes) {
      if (outcome.status === 'rejected') expect(outcome.reason).toMatchObject({ code: 'GONE' })
    }
  }
  expect(await findBroken(ledger)).toEqual([])
})

test('workers that end the same leases at once end each of them once, and queue its forgetting once', async () => {
  await using ledger = await openTestLedger()
  const accountId = await ledger.openAccount(40_000n)
  const opened: string[] = []
  for (let n = 0; n < 30; n++) opened.push((await openMailbox(ledger, accountId)).id)
  await rows(ledger.db, "update svc.lease set expires_at = now() - interval '1 s'")
  await Promise.all([...opened, ...opened, ...opened].map(id => expireLease(ledger.db, id)))
  expect(await rows(ledger.db, 'select from svc.lease where ended_at is null')).toEqual([])
  const queued = await listSteps(ledger.db, 100)
  expect(
    queued
      .filter(({ name }) => name === 'lease.forget')
      .map(({ key }) => key)
      .sort(),
  ).toEqual(opened.sort())
  expect(await findBroken(ledger)).toEqual([])
})

test('the end of a lease is queued in the transaction that sells it', async () => {
  await using ledger = await openTestLedger()
  const accountId = await ledger.openAccount(1_000n)
  const { id } = await openMailbox(ledger, accountId)
  const [{ expires_at: expiresAt }] = (await rows(ledger.db, 'select expires_at from svc.lease')) as [
    { expires_at: Date },
  ]
  const due = {
    name: 'lease.expire',
    key: id,
    state: 'waiting',
    attempts: 0,
    run_at: expiresAt,
    payload: { leaseId: id },
  }
  expect(await listSteps(ledger.db, 10)).toMatchObject([due])
  await expireLease(ledger.db, id)
  expect(await listSteps(ledger.db, 10)).toMatchObject([due])
  const lease = {
    id: newId(),
    workflowId: 'w',
    maxBodyBytes: 9,
    seconds: 60,
    body: Buffer.from('1'),
    contentType: 'a/b',
  }
  const unpaid = { id: newId(), accountId, startedAt: new Date(), chargeMicros: 1_000n }
  await expect(buyCheckpoint(ledger.db, unpaid, lease)).rejects.toMatchObject({ code: 'TIME_LIMIT_EXCEEDED' })
  expect(await listSteps(ledger.db, 10)).toHaveLength(1)
})
