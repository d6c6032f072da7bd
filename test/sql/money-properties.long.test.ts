import fc from 'fast-check'
import { expect, test } from 'vitest'
import { creditAccount, readAccount } from '../../sql/account.ts'
import { beginAttempt, cancelJob, raiseHold } from '../../sql/job.ts'
import { buildCall, openTestLedger, type TestLedger } from '../support/database/ledger.ts'

type Step =
  | { kind: 'credit'; who: number; micros: number }
  | { kind: 'instant' | 'intake'; who: number; micros: number; key: number }
  | { kind: 'finish' | 'fail' | 'cancel' | 'again'; job: number; micros: number; attempt: number }
  | { kind: 'raise'; job: number; micros: number; attempt: number }

const micros = fc.integer({ min: 1, max: 5_000 })
const stepArbitrary: fc.Arbitrary<Step> = fc.oneof(
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

/** One random history: its accounts and the jobs that were taken so far. */
interface Run {
  ledger: TestLedger
  accounts: string[]
  taken: { id: string; accountId: string }[]
}

async function applyStep(run: Run, step: Step): Promise<void> {
  const { ledger, accounts, taken } = run
  if (step.kind === 'credit') {
    await creditAccount(ledger.db, { accountId: accounts[step.who]!, amountMicros: BigInt(step.micros) })
  } else if ('key' in step) {
    const idempotency = step.key ? undefined : { key: 'k', fingerprint: Buffer.alloc(32) }
    const call = buildCall(accounts[step.who]!, { amountMicros: BigInt(step.micros), idempotency })
    const refusal = await ledger.jobs[step.kind](call)
    if (refusal === undefined && step.kind === 'intake') taken.push(call)
  } else if ('job' in step && taken.length > 0) {
    await endJob(ledger, step, taken[step.job % taken.length]!)
  }
}

async function endJob(
  { db, jobs }: TestLedger,
  { kind, micros, attempt }: Extract<Step, { job: number }>,
  job: { id: string; accountId: string },
): Promise<void> {
  const ending = { ...job, attempt, startedAt: new Date() }
  switch (kind) {
    case 'cancel':
      await cancelJob(db, job.accountId, job.id)
      return
    case 'again':
      await beginAttempt(db, job.id, '00000000-0000-7000-8000-000000000001', false)
      return
    case 'raise':
      await raiseHold(db, job.id, attempt, BigInt(micros)).catch(ignoreShortBalance)
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

/** Random credits, charges, holds, ends and takeovers; eight steps run at a time, in no fixed order. */
test('no history creates or loses a micro', async () => {
  await using ledger = await openTestLedger()
  await fc.assert(
    fc.asyncProperty(fc.array(stepArbitrary, { minLength: 10, maxLength: 60 }), async steps => {
      const accounts = await Promise.all([0, 1, 2].map(() => ledger.openAccount(10_000n)))
      const run: Run = { ledger, accounts, taken: [] }
      for (let at = 0; at < steps.length; at += 8) {
        await Promise.all(steps.slice(at, at + 8).map(step => applyStep(run, step)))
      }
      expect(await ledger.findViolations()).toEqual([])
      for (const account of accounts) {
        const { balanceMicros, heldMicros } = (await readAccount(ledger.db, account))!
        expect(BigInt(balanceMicros) >= 0n && BigInt(heldMicros) >= 0n).toBe(true)
      }
    }),
    { numRuns: 100, endOnFailure: true },
  )
})

function ignoreShortBalance(error: { code?: string }): void {
  if (error.code !== 'INSUFFICIENT_BALANCE') throw error
}
