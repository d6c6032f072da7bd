import { readFile } from 'node:fs/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { rows } from '../../sql/db.ts'
import { eventually } from '../support/machine/eventually.ts'
import { allowReviewsOf } from '../support/people/reviews.ts'
import { startStack } from '../support/stack/start.ts'

const CREDIT = 10_000_000n
const PRICE = 50_000n
const VERIFICATIONS = 4
const KILLS = 4
const PAUSE_MS = 900
const WITHIN_MS = 120_000

test('whatever is killed while images arrive and are read, each verification is decided once, with its events once', async () => {
  await using stack = await startStack()
  const customer = await stack.customer(CREDIT)
  await allowReviewsOf(stack)
  await rows(
    stack.db,
    `insert into svc.webhook_endpoint (id, account_id, url, events, secret, is_active) values (gen_random_uuid(), $1,
      'https://agent.example/', '{verification.started,verification.document_processed,verification.completed}', 'none', true)`,
    [customer.accountId],
  )
  const inline = (await readFile('tasks/samples/passport.png')).toString('base64')
  const body = { type: 'document', retentionDays: 0, documents: { front: { inline } } }
  const create = (index: number) =>
    eventually(
      'a verification',
      async () => {
        const key = { 'idempotency-key': `verification-${index}` }
        const answer = await customer.post('/v1/idverify/verifications', body, key).catch(() => undefined)
        return answer?.status === 201 && (answer.body.id as string)
      },
      WITHIN_MS,
    )
  const creating = (async () => {
    const ids: string[] = []
    for (let index = 0; index < VERIFICATIONS; index++) ids.push(await create(index))
    return ids
  })()
  let { api } = stack
  let worker = await stack.startWorker({})
  for (let kill = 0; kill < KILLS; kill++) {
    await sleep(PAUSE_MS)
    if (kill % 2 === 0) {
      await worker.kill()
      worker = await stack.startWorker({})
    } else {
      await api.kill()
      api = await stack.startApi()
    }
  }
  const ids = await creating
  const isDone = async () => {
    const query = 'select count(*) as open from svc.idverify where purged_at is null'
    return (await rows<{ open: bigint }>(stack.db, query))[0]!.open === 0n
  }
  await eventually('every verification to be decided and erased', isDone, WITHIN_MS)
  expect(await customer.money()).toEqual({ balance: CREDIT - PRICE * BigInt(ids.length), held: 0n })
  const counted = await rows<{ event: string; count: bigint; subjects: bigint }>(
    stack.db,
    'select event, count(*), count(distinct subject_id) as subjects from svc.webhook_delivery group by 1 order by 1',
  )
  const once = BigInt(VERIFICATIONS)
  expect(counted).toEqual([
    { event: 'verification.completed', count: once, subjects: once },
    { event: 'verification.document_processed', count: once, subjects: once },
    { event: 'verification.started', count: once, subjects: once },
  ])
  expect(
    await rows(stack.db, "select from svc.audit_entry where audit.verify('idverify', subject_id) is not null"),
  ).toEqual([])
  const isErased = async () =>
    (await rows(stack.db, "select from svc.object where kind = 'identity' and expires_at > now() + interval '3 hours'"))
      .length === 0
  await eventually('every image to be due', isErased, WITHIN_MS)
}, 300_000)
