import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { rows, value } from '../../sql/db.ts'
import { buildCall, openTestLedger, type TestLedger } from '../support/database/ledger.ts'
import { ROOT } from '../support/house/files.ts'
import { openAuthor } from '../support/plugins/authors.ts'

const SERVICES = ['utils.hash', 'acme.one', 'acme.two', 'pipeline.run'] as const
const PERCENTS: Record<string, number> = { 'acme.one': 70, 'acme.two': 33 }
const RESULT = JSON.stringify({
  steps: [
    { id: 'a', op: 'acme/one', chargedMicros: '1000' },
    { id: 'b', op: 'acme/two', chargedMicros: '700' },
    { id: 'c', op: 'text/slugify', chargedMicros: '1300' },
  ],
})

type Step =
  | { kind: 'call'; who: number; service: (typeof SERVICES)[number]; micros: number }
  | { kind: 'finish' | 'refund'; job: number; micros: number }

/** So many steps run at a time. */
const GROUP = 8
const micros = fc.integer({ min: 1, max: 5_000 })
const stepArbitrary: fc.Arbitrary<Step> = fc.oneof(
  fc.record({ kind: fc.constant('call' as const), who: fc.nat(2), service: fc.constantFrom(...SERVICES), micros }),
  fc.record({ kind: fc.constantFrom('finish' as const, 'refund' as const), job: fc.nat(20), micros }),
)

interface Run {
  ledger: TestLedger
  accounts: string[]
  taken: { id: string; accountId: string }[]
}

async function applyStep({ ledger, accounts, taken }: Run, step: Step): Promise<void> {
  if (step.kind === 'call') {
    const call = buildCall(accounts[step.who]!, { serviceKey: step.service, amountMicros: BigInt(step.micros) })
    if ((await ledger.jobs.intake(call)) === undefined) taken.push(call)
    return
  }
  const job = taken[step.job % taken.length]
  if (!job) return
  if (step.kind === 'refund') {
    await value(ledger.db, 'select ledger.refund($1, $2)', [job.id, step.micros]).catch(ignoreTooMuch)
    return
  }
  const outcome = { status: 'succeeded' as const, chargeMicros: BigInt(step.micros), result: RESULT, objects: [] }
  await ledger.jobs.finish({ ...job, attempt: 1, startedAt: new Date(), outcome })
}

function ignoreTooMuch(error: Error): void {
  if (!/more than job/.test(error.message)) throw error
}

/** What was shared of each charge, and what should have been: the whole micros of the part of each operation. */
async function findWrongShares({ db }: TestLedger): Promise<unknown[]> {
  const lines = await rows<{ job_id: string; kind: string; service_key: string; micros: bigint }>(
    db,
    `select job_id, kind, service_key, sum(amount_micros)::bigint as micros from svc.transfer
     where kind in ('capture', 'share') group by job_id, kind, service_key`,
  )
  const shares = new Map(
    lines.filter(({ kind }) => kind === 'share').map(line => [`${line.job_id} ${line.service_key}`, line.micros]),
  )
  return lines.filter(({ kind, job_id: job, service_key: service, micros: charged }) => {
    const due = (charged * BigInt(PERCENTS[service] ?? 0)) / 100n
    return kind === 'capture' && due !== (shares.get(`${job} ${service}`) ?? 0n)
  })
}

/** A step that is refused, to fill a group of eight. */
const NOTHING: Step = { kind: 'refund', job: 0, micros: 4_000_000 }
/** An author spends all that they have, and then the charge that they had a share of is refunded in two parts. */
const SPENT_BEFORE_REFUND: Step[] = (
  [
    { kind: 'call', who: 2, service: 'acme.one', micros: 1_000 },
    { kind: 'finish', job: 0, micros: 1_000 },
    { kind: 'call', who: 0, service: 'utils.hash', micros: 5_000 },
    { kind: 'finish', job: 1, micros: 5_000 },
    { kind: 'call', who: 0, service: 'utils.hash', micros: 1_700 },
    { kind: 'finish', job: 2, micros: 1_700 },
    { kind: 'refund', job: 0, micros: 500 },
    { kind: 'refund', job: 0, micros: 300 },
  ] satisfies Step[]
).flatMap((step): Step[] => [step, ...Array.from({ length: GROUP - 1 }, () => NOTHING)])

/** Authors call operations too, so that they spend what is taken back later; eight steps run at a time. */
function runHistories(ledger: TestLedger, numRuns: number): Promise<void> {
  return fc.assert(
    fc.asyncProperty(fc.array(stepArbitrary, { minLength: 10, maxLength: 60 }), async steps => {
      const accounts = await Promise.all([0, 1, 2].map(() => ledger.openAccount(6_000n)))
      await openAuthor(ledger.db, 'acme.one', accounts[0]!, PERCENTS['acme.one']!)
      await openAuthor(ledger.db, 'acme.two', accounts[1]!, PERCENTS['acme.two']!)
      const run: Run = { ledger, accounts, taken: [] }
      for (let at = 0; at < steps.length; at += GROUP) {
        await Promise.all(steps.slice(at, at + GROUP).map(step => applyStep(run, step)))
      }
      expect(await ledger.findViolations()).toEqual([])
      expect(await findWrongShares(ledger)).toEqual([])
    }),
    { numRuns, endOnFailure: true, examples: [[SPENT_BEFORE_REFUND]] },
  )
}

test('no history of charges and refunds loses or makes a micro of a share', async () => {
  await using ledger = await openTestLedger()
  await runHistories(ledger, 60)
})

/** A ledger that need not be in order at the end. */
async function openBrokenLedger(): Promise<TestLedger> {
  const ledger = await openTestLedger()
  const close = () => Promise.resolve(ledger[Symbol.asyncDispose]()).catch(() => undefined)
  return { ...ledger, [Symbol.asyncDispose]: close }
}

test.each([
  [
    'books a share and moves nothing',
    'balance_micros = a.balance_micros + gained.micros',
    'balance_micros = a.balance_micros',
  ],
  ['rounds up', 'div(sum(c.micros) * p.share_percent, 100)', 'ceil(sum(c.micros) * p.share_percent / 100.0)'],
  ['shares no step', "where t.kind = 'capture' and t.reference", 'where false and t.reference'],
  ['takes nothing back', 'continue when _micros <= 0', 'continue when true'],
  ['takes back more than is due', '_micros := _part.due - _part.returned', '_micros := _part.due'],
  ['forgets what was spent', 'a.debt_micros + _micros - _paid', 'a.debt_micros'],
])('a function that %s is found', async (_title, from, to) => {
  await using ledger = await openBrokenLedger()
  const source = readFileSync(join(ROOT, 'sql/functions/plugin/share.sql'), 'utf8')
  expect(source).toContain(from)
  await ledger.db.query({ text: source.replace(from, to) })
  await expect(runHistories(ledger, 60)).rejects.toMatchObject({ cause: { name: 'AssertionError' } })
})
