import fc from 'fast-check'
import { expect, test } from 'vitest'
import { openHistory, runHistory } from '../../ops/bench/figures/payments/history.ts'
import { createRandom, randomStep } from '../../ops/bench/figures/payments/steps.ts'
import { rows } from '../../sql/db.ts'
import { openTestLedger } from '../support/database/ledger.ts'

const step = fc.integer({ min: 1, max: 2 ** 31 }).map(seed => randomStep(createRandom(seed)))

/** Random chunks, draw-downs, settlements that succeed, fail or stay unknown, jobs with every outcome, and linked wallets. */
test('no history of payments creates or loses a micro, and no authorization pays twice', async () => {
  await using ledger = await openTestLedger()
  let runs = 0
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 40, maxLength: 80 }), async steps => {
      const history = await openHistory(ledger, `history ${++runs}`)
      await runHistory(history, steps, 6)
      expect(await ledger.findViolations()).toEqual([])
    }),
    // Failures depend on the order of concurrent steps, so a shortened history would prove nothing.
    { numRuns: 100, endOnFailure: true },
  )
  const [sums] = await rows<{ in: string; out: string }>(
    ledger.db,
    `select (select coalesce(sum(amount_micros), 0) from svc.chunk where is_credited and state <> 'failed')::text as in,
      (select coalesce(sum(case kind when 'chunk' then amount_micros when 'bounce' then -amount_micros
        when 'debt' then -amount_micros else 0 end), 0) from svc.transfer)::text as out`,
  )
  expect(sums!.in).toBe(sums!.out)
})
