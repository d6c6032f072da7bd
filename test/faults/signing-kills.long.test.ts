import { expect, test } from 'vitest'
import { rows } from '../../sql/db.ts'
import { checkInvariants } from '../../sql/ledger.ts'
import { inspectPdf, LETTER } from '../products/esigndoc/parts.ts'
import { eventually } from '../support/machine/eventually.ts'
import { openMailServer } from '../support/mail/server.ts'
import { openWebhookReceiver } from '../support/servers/webhook-receiver.ts'
import { type Act, DONE, type Home, planOwnersCalls, planSignersCalls } from '../support/signing/lost-calls.ts'
import {
  complete,
  countEntries,
  listEvents,
  makeBatch,
  openWalks,
  sendAll,
  uuidOf,
  type Walked,
} from '../support/signing/walks.ts'
import type { Answer } from '../support/stack/client.ts'
import { killWhileWaiting, type Outcome } from '../support/stack/held-locks.ts'
import { hasStatus, insist } from '../support/stack/kills.ts'
import { startStack } from '../support/stack/start.ts'

const PATH = '/v1/esigndoc/envelopes'
const [CREDIT, PRICE] = [100_000_000n, 300_000n]
const WITHIN_MS = 180_000
const OUTCOMES: readonly Outcome[] = ['rolled back', 'committed']
const EVENTS = ['sent', 'viewed', 'signed', 'completed', 'rejected', 'expired', 'cancelled'].map(
  one => `envelope.${one}`,
)

test('killed at any step, an envelope goes its way once: no event, signature or cent is lost or doubled', async () => {
  await using mail = await openMailServer()
  await using receiver = await openWebhookReceiver()
  await using stack = await startStack({ worker: false, env: { SMTP_URL: mail.url, WEBHOOK_NETWORKS: '127.0.0.1' } })
  await stack.writeSetting('step.concurrency', 12)
  const worker = await stack.startWorker({})
  const walks = await openWalks(stack, CREDIT)
  await walks.customer.post('/v1/webhooks', { url: `${receiver.url}/ok`, events: EVENTS })
  const codes = (title: string) => findCode(mail.mails, title)
  const home: Home = { walks, api: stack.api, worker, receiver, codes, expected: [], late: [] }
  for (const outcome of OUTCOMES) {
    await killCalls(home, outcome, await planOwnersCalls(home, outcome))
    await killCalls(home, outcome, await planSignersCalls(home, outcome))
  }
  for (const outcome of OUTCOMES) await killSteps(home, outcome)
  await Promise.all(home.late)
  await expectEvents(home)
  await expectBooks(home)
  await expectSealed(home)
}, 900_000)

/** The last six digits that were sent about an envelope. */
function findCode(mails: readonly string[], title: string): Promise<string> {
  const ofTitle = () => mails.findLast(one => one.includes(title) && /\n\n[\s\S]*\b\d{6}\b/.test(one))
  return eventually(`a code for ${title}`, () => /\n\n[\s\S]*?\b(\d{6})\b/.exec(ofTitle() ?? '')?.[1])
}

/** Kills the api while it does all of them at once, and does each again. */
async function killCalls(home: Home, outcome: Outcome, acts: readonly Act[]): Promise<void> {
  const { walks } = home
  const { stack, customer } = walks
  const titles = new Set(acts.map(({ envelope }) => envelope))
  const uuids = home.expected.filter(({ title }) => titles.has(title)).map(({ walked }) => walked.uuid)
  const before = await countEntries(stack, uuids)
  await killWhileWaiting(stack, {
    hold: async client => {
      await client.query("select pg_advisory_xact_lock(hashtextextended('envelopes ' || $1, 0))", [customer.accountId])
      await client.query('select from svc.envelope for update')
    },
    begin: () => acts.map(({ call }) => call().catch(() => undefined)),
    waiting: acts.length,
    role: home.api,
    outcome,
  })
  const written = (await countEntries(stack, uuids)) - before
  const isAsMeant = outcome === 'rolled back' ? written === 0 : written >= uuids.length
  expect(isAsMeant, `${outcome}: ${written} entries`).toBe(true)
  home.api = await stack.startApi()
  const again = acts.map(({ envelope, call, done }) =>
    insist(envelope, call, ({ status, body }) => done.includes(status) || done.includes(body?.code as string)),
  )
  // One that nothing remains of is in flight until its time is over.
  home.late.push(...again)
  await Promise.race([Promise.all(again), new Promise(resolve => setTimeout(resolve, 2_000))])
}

/** Kills the worker while it does a step of each kind, and a delivery is under way. */
async function killSteps(home: Home, outcome: Outcome): Promise<void> {
  const { walks, receiver } = home
  const { stack, customer } = walks
  const ways = {
    sealed: DONE,
    reminded: ['sent'],
    expired: ['sent', 'expired'],
    resent: ['sent'],
    held: ['sent', 'cancelled'],
  }
  const titles = Object.keys(ways).map(way => `${way} ${outcome}`)
  const sent = await sendAll(walks, titles)
  for (const [way, events] of Object.entries(ways)) {
    const title = `${way} ${outcome}`
    home.expected.push({ title, walked: sent.get(title)!, events })
  }
  const [sealed, reminded, expired, resent, held] = titles.map(title => sent.get(title)!) as [
    Walked,
    ...Walked[],
  ] as Walked[]
  receiver.answer('/ok', () => undefined)
  const received = receiver.messages.length
  const isCancelled = ({ status, body }: Answer) => status === 200 || body?.code === 'ENVELOPE_TERMINAL'
  await insist('an envelope to be cancelled', () => customer.delete(`${PATH}/${held!.id}`), isCancelled)
  await eventually('a delivery to be under way', () => receiver.messages.length > received)
  await waitForQuiet(home)
  home.worker.signal('SIGSTOP')
  for (const token of sealed!.tokens) expect((await complete(walks, token)).status).toBe(200)
  await makeDue(home, reminded!, 'update svc.envelope_recipient set remind_at = now() where envelope_id = $1')
  await makeDue(home, expired!, 'update svc.envelope set expires_at = now() where id = $1')
  expect((await customer.post(`${PATH}/${resent!.id}/resend`, {})).status).toBe(200)
  const { rows: sending } = await makeBatch(walks, [`row ${outcome}`], true)
  const row = { id: sending[0]!.envelopeId, uuid: uuidOf(sending[0]!.envelopeId), tokens: [] }
  home.expected.push({ title: `row ${outcome}`, walked: row, events: ['sent'] })
  const prepared = await beginDraft(home, outcome)
  const uuids = [sealed, reminded, expired, row].map(one => one!.uuid)
  const before = await countEntries(stack, uuids)
  await killWhileWaiting(stack, {
    hold: async client => {
      await client.query('select from svc.envelope where id = any ($1) for update', [uuids])
      await client.query('select from svc.envelope_preparation where id = $1 for update', [prepared])
      await client.query('lock table svc.notification in share mode')
    },
    begin: () => home.worker.signal('SIGCONT'),
    waiting: 6,
    role: home.worker,
    outcome,
  })
  const written = (await countEntries(stack, uuids)) - before
  expect(outcome === 'rolled back' ? written === 0 : written >= 4, `${outcome}: ${written} entries`).toBe(true)
  receiver.answer('/ok', response => void response.writeHead(200).end())
  // On a slow machine a delivery may have been given up twice by now, and would be tried again in five minutes.
  await rows(stack.db, "update svc.webhook_delivery set due_at = now() where status = 'PENDING' and worker_id is null")
  await rows(stack.db, 'select webhook.send_now(id) from svc.webhook_endpoint')
  home.worker = await stack.startWorker({})
}

/** Nothing is queued that would wait for the same locks as what is killed. */
async function waitForQuiet({ walks: { stack } }: Home): Promise<void> {
  const text =
    "select from step.list(1000) where (state = 'running' or run_at <= now()) and name <> 'esigndoc.follow-mail'"
  await eventually('all steps to be done', async () => (await rows(stack.db, text)).length === 0, WITHIN_MS)
}

async function makeDue({ walks: { stack } }: Home, { uuid }: Walked, change: string): Promise<void> {
  await rows(stack.db, change, [uuid])
  await rows(stack.db, 'select esigndoc.queue_timer($1)', [uuid])
}

/** A call that waits for a worker to look at its document, which has a name of its own: known documents are not prepared again. */
async function beginDraft({ walks, late }: Home, outcome: Outcome): Promise<string> {
  const title = `prepared ${outcome}`
  const body = { file: { ...(await LETTER()), name: `${title}.pdf` }, title, recipients: [{ name: 'Ida' }] }
  const make = () => walks.customer.post(PATH, body, { 'idempotency-key': `prepared-${outcome.replace(' ', '-')}` })
  late.push(insist('a draft', make, hasStatus(201)))
  const text = `select id from svc.envelope_preparation
    where request #>> '{files,0,name}' = $1 and result is null and problem is null`
  const [found] = await eventually('a preparation', async () => {
    const open = await rows<{ id: string }>(walks.stack.db, text, [body.file.name])
    return open.length > 0 && open
  })
  return found!.id
}

/** Every event was written once, and delivered under one id. */
async function expectEvents({ walks: { stack }, receiver, expected }: Home): Promise<void> {
  const pending = "select from svc.webhook_delivery where status <> 'SUCCESS'"
  for (const { title, walked, events } of expected) {
    const isWritten = async () => (await listEvents(stack, walked)).length >= events.length
    await eventually(`the events of ${title}`, isWritten, WITHIN_MS)
    expect((await listEvents(stack, walked)).sort(), title).toEqual([...events].sort())
  }
  await eventually('every event to be delivered', async () => (await rows(stack.db, pending)).length === 0, WITHIN_MS)
  const written = await rows<{ id: string }>(stack.db, 'select id from svc.webhook_delivery')
  expect(new Set(receiver.messages.map(({ headers }) => headers['webhook-id']))).toEqual(
    new Set(written.map(one => one.id)),
  )
  expect(written).toHaveLength(expected.flatMap(({ events }) => events).length)
}

/** What was sent is paid for once, and given back once: whole if it was cancelled unseen, half if its time was over. */
async function expectBooks({ walks: { stack, customer }, expected }: Home): Promise<void> {
  await eventually('no money to be held', async () => (await customer.money()).held === 0n, WITHIN_MS)
  const refunds = expected.map(({ events: [, second] }) => ({ cancelled: PRICE, expired: PRICE / 2n })[second!] ?? 0n)
  const charged = PRICE * BigInt(expected.length) - refunds.reduce((sum, one) => sum + one, 0n)
  expect((await customer.money()).balance).toBe(CREDIT - charged)
  expect(await checkInvariants(stack.db)).toEqual([])
  const faulty = "select from svc.envelope where audit.verify('envelope', id) is not null"
  expect(await rows(stack.db, faulty)).toEqual([])
}

/** Mails were written once, documents are sealed with both signatures, and logs that have ended are witnessed. */
async function expectSealed({ walks: { stack, customer }, expected }: Home): Promise<void> {
  const mails = 'select name from svc.notification where data ->> $1 = $2 and name = $3'
  for (const { title, walked, events } of expected) {
    const written = await rows(stack.db, mails, ['envelopeId', walked.id, 'esigndoc.request'])
    if (/^(reminded|resent)/.test(title)) expect([title, written.length]).toEqual([title, 4])
    if (events.at(-1) !== 'completed') continue
    const download = await fetch(`${stack.url}${PATH}/${walked.id}/download`, {
      headers: { authorization: `Bearer ${customer.key}` },
    })
    const { signatures, text } = await inspectPdf(Buffer.from(await download.arrayBuffer()))
    expect(signatures).toContain('Signature is Valid')
    expect(text.match(/Ida/g)!.length).toBeGreaterThanOrEqual(2)
  }
  const open = `select from svc.envelope e join svc.baton b on b.id = e.baton_id
    where e.state in ('completed', 'rejected', 'expired', 'cancelled') and b.witnessed_at is null`
  await eventually('ended logs to be witnessed', async () => (await rows(stack.db, open)).length === 0, WITHIN_MS)
}
