import fc from 'fast-check'
import { expect, test } from 'vitest'
import { diceOf, randomStep } from '../../ops/bench/payment-steps.ts'
import { openStory, tellStory } from '../../ops/bench/payment-story.ts'
import { rows } from '../../sql/db.ts'
import { openBooks } from '../support/books.ts'

const step = fc.integer({ min: 1, max: 2 ** 31 }).map(seed => randomStep(diceOf(seed)))

/** Of chunks, draw-downs, settlements that come, fail or stay in doubt, work that ends in every way, and wallets that join. */
test('no story of payments makes or loses a micro, and no authorization pays twice', async () => {
  await using books = await openBooks()
  let told = 0
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 40, maxLength: 80 }), async steps => {
      const story = await openStory(books, `story ${++told}`)
      await tellStory(story, steps, 6)
      expect(await books.broken()).toEqual([])
    }),
    // What goes wrong depends on who comes first, so that a shorter story proves nothing.
    { numRuns: 100, endOnFailure: true },
  )
  const [sums] = await rows<{ in: string; out: string }>(
    books.db,
    `select (select coalesce(sum(amount_micros), 0) from svc.chunk where is_credited and state <> 'failed')::text as in,
      (select coalesce(sum(case kind when 'chunk' then amount_micros when 'bounce' then -amount_micros
        when 'debt' then -amount_micros else 0 end), 0) from svc.transfer)::text as out`,
  )
  expect(sums!.in).toBe(sums!.out)
}, 120_000)
