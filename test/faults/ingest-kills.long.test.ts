import { readFile } from 'node:fs/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { rows } from '../../sql/db.ts'
import { checkInvariants } from '../../sql/ledger.ts'
import { eventually } from '../support/machine/eventually.ts'
import { type Customer, type Stack, startStack } from '../support/stack/start.ts'

const ROUNDS = 4
const CREDIT = 1_000_000_000n
const ANSWER_WITHIN_MS = 120_000

const VICTIMS = [['worker'], ['api']] as const
type Victim = (typeof VICTIMS)[number][0]

/** Starts the processes of a stack, and returns what kills one of them and starts the next. */
async function openVictim(stack: Stack, victim: Victim): Promise<() => Promise<void>> {
  const worker = await stack.startWorker()
  let role = victim === 'api' ? stack.api : worker
  return async () => {
    await role.kill()
    role = await (victim === 'api' ? stack.startApi() : stack.startWorker())
  }
}

/** Sends a call, kills a process while it runs, and sends the same call until it is answered. */
async function callThroughKill(send: () => ReturnType<Customer['post']>, kill: () => Promise<void>, afterMs: number) {
  const sending = send().catch(() => undefined)
  await sleep(afterMs)
  await kill()
  await sending
  return eventually(
    'the call to be answered',
    async () => {
      const answer = await send().catch(() => undefined)
      return answer?.status === 200 && answer
    },
    ANSWER_WITHIN_MS,
  )
}

/** A document of which every sentence says which edition it is. */
function compose(edition: number): string {
  return Array.from({ length: 1_200 }, (_, index) => `Pier ${index} has edition${edition} of the tide table.`).join(' ')
}

test.each(VICTIMS)('a killed %s leaves the old document or the new one, and the books agree', async victim => {
  await using stack = await startStack({ worker: false })
  const customer = await stack.customer(CREDIT)
  const kill = await openVictim(stack, victim)
  const send = (edition: number, batonId?: string) => {
    const body = { text: compose(edition), docId: 'table', ...(batonId ? { batonId } : { baton: { tier: 'micro' } }) }
    return customer.post('/v1/bundles/rag-ingest', body, { 'idempotency-key': `edition-${edition}` })
  }
  const first = await send(0)
  expect(first.status).toBe(200)
  const { batonId } = first.body
  let charged = BigInt(first.body.chargedMicros)
  for (let edition = 1; edition <= ROUNDS; edition++) {
    const done = await callThroughKill(() => send(edition, batonId), kill, 30 * edition)
    charged += BigInt(done.body.chargedMicros)
    const { body: found } = await customer.post(`/v1/baton/${batonId}/vectors/query`, { text: 'tide table', topK: 200 })
    const editions = new Set((found.matches as { text: string }[]).flatMap(({ text }) => text.match(/edition\d+/g)!))
    charged += 1_000n
    expect([...editions]).toEqual([`edition${edition}`])
    const { body: stats } = await customer.get(`/v1/baton/${batonId}/vectors/stats`)
    expect(stats.count).toBe(done.body.chunks)
  }
  expect(await customer.money()).toEqual({ balance: CREDIT - charged, held: 0n })
  expect(await checkInvariants(stack.db)).toEqual([])
})

test.each(VICTIMS)('a killed %s leaves all batons of a document or none, and they are charged once', async victim => {
  await using stack = await startStack({ worker: false })
  const customer = await stack.customer(CREDIT)
  const kill = await openVictim(stack, victim)
  const file = { inline: (await readFile('tasks/samples/price-list.pdf')).toString('base64') }
  const made: string[] = []
  let charged = 0n
  for (let round = 0; round < ROUNDS; round++) {
    const send = () =>
      customer.post(
        '/v1/bundles/ingest-document',
        { file, index: true, name: `Document ${round}` },
        { 'idempotency-key': `document-${round}`, prefer: 'wait=60' },
      )
    const { body } = await callThroughKill(send, kill, 300 * round + 50)
    charged += BigInt(body.chargedMicros)
    made.push(body.pdf.batonId, body.tables.batonId, body.vectors.batonId)
  }
  const stored = await rows<{ id: string }>(stack.db, 'select id from svc.baton where account_id = $1', [
    customer.accountId,
  ])
  expect(stored.map(({ id }) => id).sort()).toEqual(made.sort())
  for (const id of made.slice(0, 3)) expect((await customer.get(`/v1/baton/${id}/meta`)).status).toBe(200)
  expect(await customer.money()).toEqual({ balance: CREDIT - charged, held: 0n })
  expect(await checkInvariants(stack.db)).toEqual([])
})
