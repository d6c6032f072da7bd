import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { checkInvariants } from '../../sql/ledger.ts'
import { eventually } from '../support/machine/eventually.ts'
import { startStack } from '../support/stack/start.ts'

const ROUNDS = 6
const CREDIT = 1_000_000_000n
const ANSWER_WITHIN_MS = 120_000

/** A document of which every sentence says which edition it is. */
function compose(edition: number): string {
  return Array.from({ length: 1_200 }, (_, index) => `Pier ${index} has edition${edition} of the tide table.`).join(' ')
}

test('a worker that is killed while it ingests leaves the old document or the new one, and the books agree', async () => {
  await using stack = await startStack({ worker: false })
  const customer = await stack.customer(CREDIT)
  let worker = await stack.startWorker()
  const send = (edition: number, batonId?: string) => {
    const body = { text: compose(edition), docId: 'table', ...(batonId ? { batonId } : { baton: { tier: 'micro' } }) }
    return customer.post('/v1/bundles/rag-ingest', body, { 'idempotency-key': `edition-${edition}` })
  }
  const first = await send(0)
  expect(first.status).toBe(200)
  const { batonId } = first.body
  let charged = BigInt(first.body.chargedMicros)
  for (let edition = 1; edition <= ROUNDS; edition++) {
    const sending = send(edition, batonId).catch(() => undefined)
    await sleep(30 * edition)
    await worker.kill()
    worker = await stack.startWorker()
    await sending
    const done = await eventually(
      'the edition to be written',
      async () => {
        const answer = await send(edition, batonId)
        return answer.status === 200 && answer
      },
      ANSWER_WITHIN_MS,
    )
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
}, 600_000)
