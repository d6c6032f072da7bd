import { hashCall, queuedCall } from './calls.ts'
import { costInWords } from './cost.ts'
import type { Bench, Figure, Reading } from './figure.ts'
import { query } from './home.ts'
import type { Call } from './load.ts'
import { ourSide } from './sides.ts'
import { checkStack, openStack, type Stack, tryCall } from './stack.ts'
import { versus } from './versus.ts'

const CLIENTS = 64
const ACCOUNTS = 1_000_000
const TRANSFERS = 10_000_000
const AT_ONCE = 1_000_000

export default {
  id: 'P7',
  title: '10,000,000 ledger entries and 1,000,000 accounts present, over empty tables',
  async measure(bench) {
    await using empty = await openStack(bench.home)
    await using full = await openStack(bench.home)
    await fillBooks(bench, full)
    const readings = [
      await compare(bench, 'lane I', { empty, full }, hashCall),
      await compare(bench, 'lane Q', { empty, full }, queuedCall),
    ]
    for (const stack of [empty, full]) await checkStack(stack)
    return readings
  },
} satisfies Figure

async function compare(
  bench: Bench,
  lane: string,
  { empty, full }: Record<'empty' | 'full', Stack>,
  callOf: (stack: Stack) => Call,
): Promise<Reading> {
  for (const stack of [empty, full]) await tryCall(stack, callOf(stack))
  const sides = {
    ours: ourSide(bench.home, full, callOf(full)),
    floor: ourSide(bench.home, empty, callOf(empty)),
  }
  const { ours, floor } = await versus(bench, sides, CLIENTS)
  return {
    of: `${lane}, full over empty tables`,
    unit: 'calls/s',
    ours: ours.perSecond,
    floor: floor.perSecond,
    goal: { atLeast: 0.9 },
    judged: 'ratio',
    limit: costInWords(ours.cost),
    facts: { ours, floor },
  }
}

const ACCOUNT_ID = `md5('bench' || n)::uuid`

/** Accounts that paid in once and were charged since: the books balance, and every index is as deep as it would be. */
async function fillBooks({ pace, say }: Bench, { databaseUrl }: Stack): Promise<void> {
  const accounts = Math.round(ACCOUNTS * pace.bulk)
  const transfers = Math.round(TRANSFERS * pace.bulk)
  say(`writing ${accounts} accounts and ${transfers} transfers`)
  const charges = transfers - accounts
  await query(
    databaseUrl,
    `insert into svc.account (id, balance_micros)
      select ${ACCOUNT_ID}, 1000000 - 1000 * $2::bigint from generate_series(1, $1::integer) n`,
    [accounts, charges / accounts],
  )
  await query(
    databaseUrl,
    `insert into svc.transfer (account_id, kind, amount_micros, reference)
      select ${ACCOUNT_ID}, 'topup', 1000000, 'bench' from generate_series(1, $1::integer) n`,
    [accounts],
  )
  for (let done = 0; done < charges; done += AT_ONCE) {
    await query(
      databaseUrl,
      `insert into svc.transfer (account_id, job_id, kind, amount_micros, service_key)
        select ${ACCOUNT_ID}, gen_random_uuid(), 'charge', 1000, 'utils.hash'
        from (select 1 + i % $3::integer as n from generate_series($1::integer, $2::integer) i) each`,
      [done, Math.min(done + AT_ONCE, charges) - 1, accounts],
    )
  }
  await query(databaseUrl, 'vacuum analyze')
}
