import { buildHashCall, buildQueuedCall } from '../../calls.ts'
import { compareWithFloor } from '../../compare.ts'
import { formatCost } from '../../cost.ts'
import { runStatement } from '../../environment.ts'
import type { Bench, Figure, Reading } from '../../figure.ts'
import type { Call } from '../../load/run.ts'
import { openStack, requireNoFailedJobs, type Stack, verifyCall } from '../../stack.ts'
import { targetService } from '../../targets.ts'

const CLIENTS = 64
const ACCOUNTS = 1_000_000
const TRANSFERS = 10_000_000
const BATCH_SIZE = 1_000_000

export default {
  id: 'P7',
  title: '10,000,000 ledger entries and 1,000,000 accounts present, over empty tables',
  async measure(bench) {
    await using empty = await openStack(bench.environment)
    await using full = await openStack(bench.environment)
    await fillLedger(bench, full)
    const readings = [
      await compare(bench, 'lane I', { empty, full }, buildHashCall),
      await compare(bench, 'lane Q', { empty, full }, buildQueuedCall),
    ]
    for (const stack of [empty, full]) await requireNoFailedJobs(stack)
    return readings
  },
} satisfies Figure

async function compare(
  bench: Bench,
  lane: string,
  { empty, full }: Record<'empty' | 'full', Stack>,
  buildCall: (stack: Stack) => Call,
): Promise<Reading> {
  for (const stack of [empty, full]) await verifyCall(stack, buildCall(stack))
  const sides = {
    ours: targetService(bench.environment, full, buildCall(full)),
    floor: targetService(bench.environment, empty, buildCall(empty)),
  }
  const { ours, floor } = await compareWithFloor(bench, sides, CLIENTS)
  return {
    label: `${lane}, full over empty tables`,
    unit: 'calls/s',
    ours: ours.perSecond,
    floor: floor.perSecond,
    goal: { atLeast: 0.9 },
    judgedBy: 'ratio',
    limitedBy: formatCost(ours.cost),
    facts: { ours, floor },
  }
}

const ACCOUNT_ID = `md5('bench' || n)::uuid`

/** Accounts with one top-up and many charges: the ledger balances, and every index has a realistic depth. */
async function fillLedger({ profile, log }: Bench, { databaseUrl }: Stack): Promise<void> {
  const accounts = Math.round(ACCOUNTS * profile.bulk)
  const transfers = Math.round(TRANSFERS * profile.bulk)
  log(`writing ${accounts} accounts and ${transfers} transfers`)
  const charges = transfers - accounts
  await runStatement(
    databaseUrl,
    `insert into svc.account (id, balance_micros)
      select ${ACCOUNT_ID}, 1000000 - 1000 * $2::bigint from generate_series(1, $1::integer) n`,
    [accounts, charges / accounts],
  )
  await runStatement(
    databaseUrl,
    `insert into svc.transfer (account_id, kind, amount_micros, reference)
      select ${ACCOUNT_ID}, 'topup', 1000000, 'bench' from generate_series(1, $1::integer) n`,
    [accounts],
  )
  for (let done = 0; done < charges; done += BATCH_SIZE) {
    await runStatement(
      databaseUrl,
      `insert into svc.transfer (account_id, job_id, kind, amount_micros, service_key)
        select ${ACCOUNT_ID}, gen_random_uuid(), 'charge', 1000, 'utils.hash'
        from (select 1 + i % $3::integer as n from generate_series($1::integer, $2::integer) i) each`,
      [done, Math.min(done + BATCH_SIZE, charges) - 1, accounts],
    )
  }
  await runStatement(databaseUrl, 'vacuum analyze')
}
