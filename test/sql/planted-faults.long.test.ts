import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { openHistory, runHistory } from '../../ops/bench/figures/payments/history.ts'
import { createRandom, randomStep } from '../../ops/bench/figures/payments/steps.ts'
import { type DbPool, openDb, rows } from '../../sql/db.ts'
import { type Jobs, openJobs } from '../../sql/job.ts'
import { checkInvariants } from '../../sql/ledger.ts'
import { freshDatabase } from '../support/database/fresh.ts'
import { ROOT } from '../support/house/files.ts'

/** A fault planted into one SQL function: the text that is replaced, and its replacement. */
type Fault = [title: string, file: string, from: string, to: string]

const FAULTS: Fault[] = [
  ['repays half of a debt', 'payment/pay', 'least(debt_micros, _available)', 'least(debt_micros / 2, _available)'],
  [
    'repays more than it takes',
    'payment/pay',
    'balance_micros = balance_micros - _paid',
    'balance_micros = balance_micros',
  ],
  ['repays and lowers no debt', 'payment/pay', 'debt_micros = debt_micros - _paid', 'debt_micros = debt_micros'],
  [
    'repays without an entry',
    'payment/pay',
    "values (_account, 'repay', _paid)",
    "select _account, 'repay', 1 where false",
  ],
  ['never repays', 'payment/pay', 'if _paid > 0 then', 'if false then'],
  ['credits a chunk twice over', 'payment/pay', '+ _chunk.amount_micros where', '+ 2 * _chunk.amount_micros where'],
  ['records a chunk and credits nothing', 'payment/pay', '+ _chunk.amount_micros where', 'where'],
  ['takes a nonce again', 'payment/pay', 'earlier.is_seen is not null as is_seen', 'false as is_seen'],
  [
    'finds no earlier use of a nonce',
    'payment/pay',
    'elsif _seen.nonce is not null then\n    select *',
    'elsif false then\n    select *',
  ],
  ['serves a wallet that never paid', 'payment/pay', ' and settled_at is not null)', ')'],
  [
    'serves two calls with what arrived for one',
    'payment/pay',
    'and not exists (select from svc.job j where j.id = _seen.job_id)',
    '',
  ],
  ['leaves a key behind', 'payment/pay', 'perform payment.forget_key(_chunk.id);', ''],
  [
    'settles what has failed',
    'payment/settle',
    "_chunk.state not in ('claimed', 'pending', 'sending', 'unknown') then\n    return false;\n  end if;\n  if not",
    "_chunk.state = 'settled' then\n    return false;\n  end if;\n  if not",
  ],
  ['credits on arrival what was credited before', 'payment/settle', 'if not _chunk.is_credited then', 'if true then'],
  [
    'takes nothing back of what failed',
    'payment/settle',
    'if _chunk.is_credited then\n    select least',
    'if false then\n    select least',
  ],
  [
    'forgets what was spent of a chunk that failed',
    'payment/settle',
    ',\n      debt_micros = debt_micros + _chunk.amount_micros - _available',
    '',
  ],
  ['keeps a signature', 'payment/settle', 'reason = _reason, sealed = null', 'reason = _reason'],
  [
    'holds what is not there',
    'job/intake',
    'and _call.payment is null and _call.amount_micros > _left then',
    'and false then',
  ],
  ['draws down what is not there', 'job/intake', 'and _call.amount_micros <= _left and', 'and'],
  ['loses a hold', 'job/intake', 'case when _into_held then _spent else 0 end', '0'],
  [
    'takes two calls of one key',
    'job/intake',
    'if _key is not null then\n    select json_build_array',
    'if false then\n    select json_build_array',
  ],
  [
    'charges more than was held',
    'job/close',
    'least(coalesce(c.charge_micros, 0), j.held_micros)',
    'coalesce(c.charge_micros, 0)',
  ],
  ['releases all of a hold', 'job/close', 'spent.held - spent.charged', 'spent.held'],
  ['releases nothing', 'job/close', 'spent.held - spent.charged', '0'],
  ['ends a job twice', 'job/close', "and j.status in ('submitted', 'running') and j.attempt <= c.attempt\n", '\n'],
  ['charges for what failed', 'job/close', 'coalesce(c.charge_micros, 0)', 'coalesce(c.charge_micros, 1)'],
  [
    'raises a hold for nothing',
    'job',
    'balance_micros = balance_micros - (_micros - _job.held_micros)',
    'balance_micros = balance_micros',
  ],
  ['raises a hold past the balance', 'job', 'and balance_micros >= _micros - _job.held_micros', ''],
  [
    'links a wallet and leaves its money',
    'wallet',
    'balance_micros = balance_micros + _moved',
    'balance_micros = balance_micros',
  ],
  [
    'links a wallet and copies its money',
    'wallet',
    'set balance_micros = 0 where id = _from',
    'set balance_micros = balance_micros where id = _from',
  ],
  [
    'links a wallet that has open work',
    'wallet',
    "exists (select from svc.job where account_id = _source.id and status in ('submitted', 'running'))",
    'false',
  ],
]

/** The property tests prove little unless the same random histories reveal these faults. */
test.each(FAULTS)('random histories reveal that the ledger %s', async (_title, file, from, to) => {
  await using database = await freshDatabase()
  const db = openDb(database.url, { name: 'faulty', size: 8 })
  const jobs = openJobs(database.url, 'faulty')
  try {
    const text = readFileSync(join(ROOT, `sql/functions/${file}.sql`), 'utf8')
    expect(text).toContain(from)
    await rows(
      db,
      text.replace(from, () => to),
    )
    expect(await findSymptom(db, jobs)).not.toBe('nothing')
  } finally {
    await jobs.close()
    await db.end()
  }
})

/** Runs histories in rounds, because most faults show in the first one. */
async function findSymptom(db: DbPool, jobs: Jobs): Promise<string> {
  for (let round = 0; round < 6; round++) {
    const runs = Array.from({ length: 15 }, (_, at) => runOne(db, jobs, round * 15 + at + 1))
    if ((await Promise.allSettled(runs)).some(({ status }) => status === 'rejected')) return 'an error'
    const [broken] = await checkInvariants(db)
    if (broken) return broken.rule
  }
  return 'nothing'
}

async function runOne(db: DbPool, jobs: Jobs, seed: number): Promise<void> {
  const random = createRandom(seed)
  const steps = Array.from({ length: 60 }, () => randomStep(random))
  await runHistory(await openHistory({ db, jobs }, `history ${seed}`), steps, 6)
}
