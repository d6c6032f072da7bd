import { expect, test } from 'vitest'
import type { Answer } from '../support/stack/client.ts'
import { type Customer, startStack } from '../support/stack/start.ts'

/** A call that is repeated while the service is busy, or too busy to take the connection in time, as a client does. */
async function call(customer: Customer, path: string, key: string): Promise<Answer> {
  for (;;) {
    const answer = await customer.post(path, { text: 'abc' }, { 'idempotency-key': key }).catch(() => undefined)
    if (answer && answer.status !== 503 && answer.status !== 408) return answer
  }
}

test.each(['/v1/utils/hash', '/v1/text/slugify'])(
  'of 1000 concurrent calls of %s on a balance for 500, exactly 500 are served and charged',
  async path => {
    await using stack = await startStack()
    const customer = await stack.customer(500_000n)
    const answers = await Promise.all(
      Array.from({ length: 1_000 }, (_, index) => call(customer, path, `call-${index}`)),
    )
    const counts = Map.groupBy(answers, ({ status }) => status)
    expect([...counts.keys()].sort()).toEqual([200, 402])
    expect(counts.get(200)).toHaveLength(500)
    expect(await customer.money()).toEqual({ balance: 0n, held: 0n })
    const jobs = new Set(counts.get(200)!.map(({ headers }) => headers.get('x-service-job-id')))
    expect(jobs.size).toBe(500)
  },
)
