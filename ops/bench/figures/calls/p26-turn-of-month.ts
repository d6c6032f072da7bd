import { fork } from 'node:child_process'
import { setTimeout } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { rows } from '../../../../sql/db.ts'
import { freezeMonth, MONTHS_AHEAD } from '../../../../sql/ledger.ts'
import { buildQueuedCall } from '../../calls.ts'
import { runStatement } from '../../environment.ts'
import type { Bench, Figure, Reading } from '../../figure.ts'
import { receiveMessage } from '../../load/run.ts'
import { openStack, requireNoFailedJobs, type Stack, verifyCall } from '../../stack.ts'

const CLOCK_SCRIPT = fileURLToPath(new URL('answer-clock.ts', import.meta.url))
const CLIENTS = 8
const TRANSFERS = 10_000_000
const BATCH_SIZE = 1_000_000
/** Of calls before the month turns, whose longest pause is the floor. */
const BEFORE_SECONDS = 20
const AFTER_SECONDS = 100

/**
 * A month of transfers ends while calls are answered: the next ones go into another table, tables of later months are made,
 * and the one that is over is frozen. What a caller could notice of it is the time in which nobody gets an answer.
 */
export default {
  id: 'P26',
  title: '10,000,000 transfers of a month that ends, the longest time without an answer over that of before',
  async measure(bench) {
    await using stack = await openStack(bench.environment)
    const transfers = Math.round(TRANSFERS * bench.profile.bulk)
    await fillMonth(bench, stack, transfers)
    await verifyCall(stack, buildQueuedCall(stack))
    const turnsAt = Date.now() + BEFORE_SECONDS * 1_000
    await rows(stack.db, endFirstMonthAt(new Date(turnsAt)))
    const [answers, facts] = await Promise.all([recordAnswers(stack), turnMonth(stack, turnsAt)])
    await requireNoFailedJobs(stack)
    return [buildReading(answers, turnsAt, { transfers, ...facts })]
  },
} satisfies Figure

async function fillMonth({ log }: Bench, { databaseUrl, accounts }: Stack, transfers: number): Promise<void> {
  log(`writing ${transfers} transfers`)
  const credit = `with paid as (update svc.account set balance_micros = balance_micros + $2 where id = $1)
    insert into svc.transfer (account_id, kind, amount_micros, reference)
    select $1, 'topup', 1, 'bench' from generate_series(1, $2)`
  for (let done = 0; done < transfers; done += BATCH_SIZE)
    await runStatement(databaseUrl, credit, [accounts[0], Math.min(BATCH_SIZE, transfers - done)])
  await runStatement(databaseUrl, 'vacuum analyze')
}

/** As if the first month were to end then, and only the tables of as many months as always were made. */
const endFirstMonthAt = (moment: Date) => `do $$
  declare
    _month text;
  begin
    for _month in select name from svc.transfer_month loop
      execute format('alter table svc.transfer detach partition svc.%I', _month);
    end loop;
    delete from svc.transfer_month where name <> 'transfer_start';
    update svc.transfer_month set ends_at = '${moment.toISOString()}';
    execute format('alter table svc.transfer attach partition svc.transfer_start for values from (minvalue) to (%L)',
      (select ends_at from svc.transfer_month));
    for _month in select relname from pg_class where relname ~ '^transfer_[0-9]{4}_[0-9]{2}$' loop
      execute format('drop table svc.%I', _month);
    end loop;
    perform ledger.open_months(${MONTHS_AHEAD - 1});
  end $$`

function recordAnswers(stack: Stack): Promise<[jobId: string, answeredAtMs: number][]> {
  const { path, ...call } = buildQueuedCall(stack)
  const seconds = BEFORE_SECONDS + AFTER_SECONDS
  return receiveMessage(
    fork(CLOCK_SCRIPT, [JSON.stringify({ url: stack.baseUrl + path, ...call, clients: CLIENTS, seconds })]),
  )
}

/** What the chore does, an hour early. */
async function turnMonth({ db }: Stack, turnsAt: number): Promise<{ openMs: number; freezeMs: number }> {
  await setTimeout(turnsAt + 2_000 - Date.now())
  const startedAt = performance.now()
  await rows(db, 'select ledger.open_months($1)', [MONTHS_AHEAD])
  const openedAt = performance.now()
  await rows(db, "update svc.transfer_month set ends_at = ends_at - interval '2 hours' where name = 'transfer_start'")
  if ((await freezeMonth(db)) === undefined) throw new Error('the month was not frozen')
  return { openMs: openedAt - startedAt, freezeMs: performance.now() - openedAt }
}

function buildReading(answers: [string, number][], turnsAt: number, facts: Record<string, number>): Reading {
  const times = answers.map(([, at]) => at).sort((one, other) => one - other)
  const before = times.filter(at => at < turnsAt)
  // The first calls of a process are slow because its code is not compiled yet.
  const settled = before.slice(before.length / 4)
  const after = times.filter(at => at >= turnsAt)
  return {
    label: 'longest time without an answer',
    unit: 'ms',
    ours: longestPause([settled.at(-1)!, ...after]),
    floor: longestPause(settled),
    goal: { atMost: 100 },
    judgedBy: 'ours',
    limitedBy: `${facts.transfers} transfers; tables made in ${facts.openMs!.toFixed(0)} ms, frozen in ${(facts.freezeMs! / 1_000).toFixed(1)} s`,
    facts: { ...facts, answers: times.length },
  }
}

/** Between two answers that follow one another, whoever got them. */
function longestPause(times: readonly number[]): number {
  return times.reduce((longest, at, index) => Math.max(longest, at - (times[index - 1] ?? at)), 0)
}
