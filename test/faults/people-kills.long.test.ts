import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts'
import { expect, test } from 'vitest'
import { rows } from '../../sql/db.ts'
import { eventually } from '../support/machine/eventually.ts'
import { type FakeLanguageModels, openFakeLanguageModels } from '../support/servers/language-models.ts'
import type { Answer } from '../support/stack/client.ts'
import { hasStatus, insist, killRoles } from '../support/stack/kills.ts'
import { type Customer, type Stack, startStack } from '../support/stack/start.ts'

/** For a longer run by hand: KILL_SECONDS=300 npx vitest run --config test/vitest.config.ts test/faults/people-kills.long.test.ts */
const KILL_MS = Number(process.env.KILL_SECONDS ?? 10) * 1_000
const CREDIT = 1_000_000_000n
const ANSWER_WITHIN_MS = 180_000
const [ASK_MICROS, CONTRACT_MICROS, DISPUTE_MICROS] = [10_000n, 20_000n, 500_000n]

test('whatever is killed, each ask and each dispute ends once, with one event, and no reply or signature is lost', async () => {
  await using models = await openFakeLanguageModels()
  answerWithOpinion(models)
  await using stack = await startStack({ env: models.env })
  const customer = await stack.customer(CREDIT)
  await rows(
    stack.db,
    `insert into svc.webhook_endpoint (id, account_id, url, events, secret, is_active) values (gen_random_uuid(), $1,
      'https://agent.example/', '{bridge.ask.replied,contract.signed,contract.active,contract.disputed,contract.ruled}', 'none', true)`,
    [customer.accountId],
  )
  const until = Date.now() + KILL_MS
  const work = Promise.all([askUntil(stack, customer, until), agreeUntil(stack, customer, until)])
  const kills = await killRoles(stack, { until, pauseMs: 600, order: ['api', 'connections', 'worker'] })
  const [asks, contracts] = await work
  console.log({ kills, asks: asks.length, contracts: contracts.length })

  await eventually(
    'every ask to end',
    async () => (await countRows(stack, 'ask where ended_at is null')) === 0n,
    ANSWER_WITHIN_MS,
  )
  const isRuled = async () => (await countRows(stack, "contract where state <> 'ruled'")) === 0n
  await eventually('every dispute to be ruled upon', isRuled, ANSWER_WITHIN_MS)
  const charged = ASK_MICROS * BigInt(asks.length) + (CONTRACT_MICROS + DISPUTE_MICROS) * BigInt(contracts.length)
  await eventually('no money to be held', async () => (await customer.money()).held === 0n, ANSWER_WITHIN_MS)
  expect(await customer.money()).toEqual({ balance: CREDIT - charged, held: 0n })
  await expectEvents(stack, asks, contracts)
  const faulty = await rows(
    stack.db,
    `select subject_kind, subject_id from svc.audit_entry group by 1, 2 having audit.verify(subject_kind, subject_id) is not null`,
  )
  expect(faulty).toEqual([])
}, 1_800_000)

/** Every ask ends in another way: by its reply, its time, its time with a default, or its owner. */
async function askUntil(stack: Stack, customer: Customer, until: number): Promise<string[]> {
  const ids: string[] = []
  while (Date.now() < until) {
    const key = { 'idempotency-key': `ask-${ids.length}` }
    const way = ids.length % 4
    const body = {
      question: 'May I?',
      ...(way === 2 && { onTimeout: 'default', defaultReply: { decision: 'denied' } }),
    }
    const { body: ask } = await insist('an ask', () => customer.post('/v1/bridge/asks', body, key), hasStatus(201))
    ids.push(ask.id)
    const path = `/v1/bridge/reply/${new URL(ask.replyUrls[0].url).pathname.split('/').at(-1)}`
    const isDone = ({ status, body: { code } }: Answer) => status === 200 || code === 'ASK_CLOSED'
    if (way === 0) await insist('a reply', () => stack.anonymous.post(path, { decision: 'approved' }), isDone)
    else if (way === 3) await insist('an end', () => customer.post(`/v1/bridge/asks/${ask.id}/cancel`, {}), isDone)
    else await letExpire(stack, ask.id)
  }
  return ids
}

function uuidOf(id: string): string {
  return id.slice(4).replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-')
}

/** Its timer is due at once; a worker that is killed leaves it to another. */
async function letExpire(stack: Stack, id: string): Promise<void> {
  const change = async () => {
    await rows(stack.db, 'update svc.ask set expires_at = now() where id = $1', [uuidOf(id)])
    await rows(stack.db, 'select ask.queue_timer(a) from svc.ask a where id = $1 and ended_at is null', [uuidOf(id)])
    return true
  }
  await eventually('the time of an ask to end', () => change().catch(() => false), ANSWER_WITHIN_MS)
}

/** Every contract is signed, disputed and ruled upon. */
async function agreeUntil({ db }: Stack, customer: Customer, until: number): Promise<string[]> {
  const ids: string[] = []
  const wallet = privateKeyToAccount(generatePrivateKey())
  const parties = [
    { key: 'one', method: 'wallet', address: wallet.address },
    { key: 'other', method: 'account', customerId: customer.accountId },
  ]
  while (Date.now() < until) {
    const key = { 'idempotency-key': `contract-${ids.length}` }
    const body = { title: 'Terms', terms: `Number ${ids.length}`, parties, arbitration: {} }
    const make = () => customer.post('/v1/contracts', body, key)
    const { id, termsHash, ...contract } = (await insist('a contract', make, hasStatus(201))).body
    ids.push(id)
    const { signPayload: data } = contract.parties[0]
    const { signedAt } = data.message
    const signature = await wallet.signTypedData(data)
    const isDone = ({ status, body: { code } }: Answer) => status === 200 || code === 'ALREADY_SIGNED'
    const path = `/v1/contracts/${id}/sign`
    const byWallet = { partyKey: 'one', signature, address: wallet.address, signedAt }
    const byAccount = { partyKey: 'other', accept: true, termsHash }
    await Promise.all(
      [byWallet, byAccount].map(proof => insist('a signature', () => customer.post(path, proof), isDone)),
    )
    const { body: signed } = await insist('it', () => customer.get(`/v1/contracts/${id}`), hasStatus(200))
    expect(signed).toMatchObject({ status: 'active', log: { entries: 4 } })
    const claim = { partyKey: 'other', claim: 'Nothing came.', requestedRelief: 'All back' }
    const once = { 'idempotency-key': `dispute-${ids.length}` }
    const dispute = () => customer.post(`/v1/contracts/${id}/arbitrate`, claim, once)
    const { body: opened } = await insist('a dispute', dispute, hasStatus(202))
    await letEvidenceEnd(db, opened.disputeId)
  }
  return ids
}

async function letEvidenceEnd(db: Stack['db'], dispute: string): Promise<void> {
  const change = async () => {
    const past = "update svc.contract_dispute set evidence_until = now() - interval '1 s' where id = $1"
    await rows(db, past, [uuidOf(dispute)])
    const query = "select step.queue('contract.deliberate', json_build_object('id', $1::text), now(), $1::text)"
    await rows(db, query, [uuidOf(dispute)])
    return true
  }
  await eventually('the time of evidence to end', () => change().catch(() => false), ANSWER_WITHIN_MS)
}

function answerWithOpinion(models: FakeLanguageModels): void {
  const findings = [{ claim: 'all', finding: 'nothing came', evidenceIds: [], termQuotes: ['Number'] }]
  const opinion = { outcome: 'split', summary: 'Half.', findings, reliefSuggested: '', confidence: 0.5 }
  models.reply = () => ({ text: JSON.stringify(opinion) })
}

async function countRows({ db }: Stack, of: string): Promise<bigint> {
  const [row] = await rows<{ count: bigint }>(db, `select count(*) from svc.${of}`)
  return row!.count
}

async function expectEvents({ db }: Stack, asks: string[], contracts: string[]): Promise<void> {
  const counted = await rows<{ event: string; subject_id: string; count: bigint }>(
    db,
    'select event, subject_id, count(*) from svc.webhook_delivery group by 1, 2',
  )
  const expected = [
    ...asks.map(id => `bridge.ask.replied ${uuidOf(id)} 1`),
    ...contracts.flatMap(id =>
      ['active', 'disputed', 'ruled']
        .map(name => `contract.${name} ${uuidOf(id)} 1`)
        .concat(`contract.signed ${uuidOf(id)} 2`),
    ),
  ]
  const found = counted.map(({ event, subject_id: subject, count }) => `${event} ${subject} ${count}`)
  expect(found.sort()).toEqual(expected.sort())
}
