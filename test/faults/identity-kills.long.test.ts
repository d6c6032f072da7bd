import { readFile } from 'node:fs/promises'
import sharp from 'sharp'
import { expect, test } from 'vitest'
import { REVIEW } from '../../ops/products/idverify/review-link.ts'
import { rows } from '../../sql/db.ts'
import { addReviewLink } from '../../sql/idverify/index.ts'
import { drawPassport } from '../products/idverify/passport.ts'
import { eventually } from '../support/machine/eventually.ts'
import { allowReviewsOf } from '../support/people/reviews.ts'
import type { Answer } from '../support/stack/client.ts'
import { hasStatus, insist, killRoles } from '../support/stack/kills.ts'
import { type Customer, type Stack, startStack } from '../support/stack/start.ts'

const SECRET = 'a secret of the tests alone'
const CREDIT = 10_000_000n
const [PRICE, REFUND] = [50_000n, 40_000n]
const KILL_MS = Number(process.env.KILL_SECONDS ?? 12) * 1_000
const WITHIN_MS = 300_000
const PATH = '/v1/idverify/verifications'

/** Each way through the states, and its events. */
const WAYS = {
  declined: ['started', 'document_processed', 'completed'],
  reviewed: ['started', 'document_processed', 'manual_review', 'completed'],
  failed: ['started', 'failed'],
  cancelled: ['started'],
  expired: ['expired'],
} as const
type Way = keyof typeof WAYS

test('whatever is killed, each verification goes its way once, with its events once, and leaves no image', async () => {
  await using stack = await startStack()
  const customer = await stack.customer(CREDIT)
  await allowReviewsOf(stack)
  const names = ['started', 'document_processed', 'manual_review', 'completed', 'failed', 'expired']
  await rows(
    stack.db,
    `insert into svc.webhook_endpoint (id, account_id, url, events, secret, is_active) values (gen_random_uuid(), $1,
      'https://agent.example/', $2, 'none', true)`,
    [customer.accountId, names.map(name => `verification.${name}`)],
  )
  const kinds = Object.keys(WAYS) as Way[]
  const images = await drawImages()
  const working = Promise.all(kinds.map(way => walk(stack, customer, way, images)))
  const order = ['api', 'connections', 'worker']
  console.log(await killRoles(stack, { until: Date.now() + KILL_MS, pauseMs: 600, order }))
  const ids = await working
  const isDone = async () => {
    const query = 'select count(*) as open from svc.idverify where purged_at is null'
    return (await rows<{ open: bigint }>(stack.db, query))[0]!.open === 0n
  }
  await eventually('every verification to have ended and be erased', isDone, WITHIN_MS)
  await eventually('no money to be held', async () => (await customer.money()).held === 0n, WITHIN_MS)
  expect(await customer.money()).toEqual({ balance: CREDIT - PRICE * BigInt(ids.length) + REFUND, held: 0n })
  for (const [index, way] of kinds.entries()) expect(await listEvents(stack, ids[index]!), way).toEqual(WAYS[way])
  const faulty = "select from svc.audit_entry where audit.verify('idverify', subject_id) is not null"
  expect(await rows(stack.db, faulty)).toEqual([])
  // What is not due was reserved by a call that was killed; it is due in two hours.
  const kept = "select from svc.object where kind = 'identity' and expires_at > now() + interval '3 hours'"
  expect(await rows(stack.db, kept)).toEqual([])
}, 900_000)

async function drawImages(): Promise<Partial<Record<Way, string>>> {
  const blank = sharp({ create: { width: 800, height: 600, channels: 3, background: '#777' } })
  const [declined, reviewed, failed] = await Promise.all([
    readFile('tasks/samples/passport.png'),
    drawPassport(),
    blank.png().toBuffer(),
  ])
  const text = (bytes: Buffer) => bytes.toString('base64')
  return { declined: text(declined), reviewed: text(reviewed), failed: text(failed) }
}

const uuidOf = (id: string) => id.replace(/^idv_(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-')

/** Begins one and does what its person, its owner or a reviewer does. Returns its id. */
async function walk(stack: Stack, customer: Customer, way: Way, images: Partial<Record<Way, string>>): Promise<string> {
  const inline = images[way]
  const body = {
    ...{ type: 'document', retentionDays: 0, maxAttempts: 1, referenceId: way },
    ...(inline && { documents: { front: { inline } } }),
  }
  const make = () => customer.post(PATH, body, { 'idempotency-key': way })
  const { id, hostedUrl } = (await insist(way, make, hasStatus(201))).body
  if (way === 'reviewed') await review(stack, customer, id)
  if (way === 'cancelled') await beginAndCancel(stack, customer, { id, hostedUrl })
  if (way === 'expired') await letExpire(stack, uuidOf(id))
  return id
}

async function review(stack: Stack, customer: Customer, id: string): Promise<void> {
  const isWaiting = ({ body }: Answer) => body.status === 'manual_review'
  await insist('a review', () => customer.get(`${PATH}/${id}`), isWaiting)
  const token = REVIEW.mint()
  const add = () => addReviewLink(stack.db, REVIEW.hash(SECRET, token), 'Ida', 1).then(Boolean)
  await eventually('a link', () => add().catch(() => false), WITHIN_MS)
  const headers = { authorization: `Bearer ${token}` }
  const decide = () => stack.anonymous.post(`/admin/idverify/${id}/decision`, { decision: 'approved' }, headers)
  await insist('a decision', decide, ({ status, body }) => status === 200 || body.code === 'VERIFICATION_TERMINAL')
}

/** Whoever loses the answer of the first call is another browser then, so the state is what counts. */
async function beginAndCancel(stack: Stack, customer: Customer, one: { id: string; hostedUrl: string }): Promise<void> {
  const path = `/v1/idverify/session/${new URL(one.hostedUrl).pathname.split('/').at(-1)}/begin`
  const isStarted = ({ status, body }: Answer) => status === 200 || body.code === 'SESSION_USED'
  await insist('a beginning', () => stack.anonymous.post(path, {}), isStarted)
  const isOver = ({ status, body }: Answer) => status === 200 || body.code === 'VERIFICATION_TERMINAL'
  await insist('an end', () => customer.post(`${PATH}/${one.id}/cancel`, {}), isOver)
}

async function letExpire({ db }: Stack, id: string): Promise<void> {
  const change = async () => {
    await rows(db, 'update svc.idverify set expires_at = now() where id = $1', [id])
    await rows(db, "select step.queue('idverify.expire', json_build_object('id', $1::text), now(), $1::text)", [id])
    return true
  }
  await eventually('the time to end', () => change().catch(() => false), WITHIN_MS)
}

async function listEvents({ db }: Stack, id: string): Promise<string[]> {
  const query = 'select event from svc.webhook_delivery where subject_id = $1 order by sequence'
  const sent = await rows<{ event: string }>(db, query, [uuidOf(id)])
  return sent.map(({ event }) => event.replace('verification.', ''))
}
