import fc from 'fast-check'
import { expect, test } from 'vitest'
import { creditAccount, readAccount } from '../../sql/account.ts'
import { beginAgain, cancelJob, raiseHold } from '../../sql/job.ts'
import { type Books, callOf, openBooks } from '../support/books.ts'

type Step =
  | { kind: 'credit'; who: number; micros: number }
  | { kind: 'instant' | 'intake'; who: number; micros: number; key: number }
  | { kind: 'finish' | 'fail' | 'cancel' | 'again'; job: number; micros: number; attempt: number }
  | { kind: 'raise'; job: number; micros: number; attempt: number }

const micros = fc.integer({ min: 1, max: 5_000 })
const step: fc.Arbitrary<Step> = fc.oneof(
  fc.record({ kind: fc.constant('credit' as const), who: fc.nat(2), micros }),
  fc.record({ kind: fc.constantFrom('instant' as const, 'intake' as const), who: fc.nat(2), micros, key: fc.nat(5) }),
  fc.record({
    kind: fc.constantFrom('finish' as const, 'fail' as const, 'cancel' as const, 'again' as const),
    job: fc.nat(20),
    micros,
    attempt: fc.integer({ min: 1, max: 3 }),
  }),
  fc.record({ kind: fc.constant('raise' as const), job: fc.nat(20), micros, attempt: fc.integer({ min: 1, max: 3 }) }),
)

/** One telling of a story: its accounts and the jobs that were taken so far. */
interface Telling {
  books: Books
  accounts: string[]
  taken: { id: string; accountId: string }[]
}

async function play(telling: Telling, what: Step): Promise<void> {
  const { books, accounts, taken } = telling
  if (what.kind === 'credit') {
    await creditAccount(books.db, { accountId: accounts[what.who]!, amountMicros: BigInt(what.micros) })
  } else if ('key' in what) {
    const idempotency = what.key ? undefined : { key: 'k', fingerprint: Buffer.alloc(32) }
    const call = callOf(accounts[what.who]!, { amountMicros: BigInt(what.micros), idempotency })
    const refusal = await books.jobs[what.kind](call)
    if (refusal === undefined && what.kind === 'intake') taken.push(call)
  } else if ('job' in what && taken.length > 0) {
    await end(books, what, taken[what.job % taken.length]!)
  }
}

async function end(
  { db, jobs }: Books,
  { kind, micros, attempt }: Extract<Step, { job: number }>,
  job: { id: string; accountId: string },
): Promise<void> {
  const ending = { ...job, attempt, startedAt: new Date() }
  switch (kind) {
    case 'cancel':
      await cancelJob(db, job.accountId, job.id)
      return
    case 'again':
      await beginAgain(db, job.id, '00000000-0000-7000-8000-000000000001', false)
      return
    case 'raise':
      await raiseHold(db, job.id, attempt, BigInt(micros)).catch(isShort)
      return
    case 'fail':
      await jobs.finish({ ...ending, outcome: { status: 'failed', problem: { code: 'INTERNAL', hints: {} } } })
      return
    case 'finish':
      await jobs.finish({
        ...ending,
        outcome: { status: 'succeeded', chargeMicros: BigInt(micros), result: '{}', objects: [] },
      })
  }
}

/** Any story of credits, charges, holds, ends and takeovers, eight steps of it at a time in no order. */
test('no story makes or loses a micro', async () => {
  await using books = await openBooks()
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 10, maxLength: 60 }), async story => {
      const accounts = await Promise.all([0, 1, 2].map(() => books.account(10_000n)))
      const telling: Telling = { books, accounts, taken: [] }
      for (let at = 0; at < story.length; at += 8) {
        await Promise.all(story.slice(at, at + 8).map(what => play(telling, what)))
      }
      expect(await books.broken()).toEqual([])
      for (const account of accounts) {
        const { balanceMicros, heldMicros } = (await readAccount(books.db, account))!
        expect(BigInt(balanceMicros) >= 0n && BigInt(heldMicros) >= 0n).toBe(true)
      }
    }),
    { numRuns: 100, endOnFailure: true },
  )
}, 120_000)

function isShort(error: { code?: string }): void {
  if (error.code !== 'INSUFFICIENT_BALANCE') throw error
}
