import { openDb } from '../../../../sql/db.ts'
import { openJobs } from '../../../../sql/job.ts'
import { checkInvariants } from '../../../../sql/ledger.ts'
import type { BenchEnvironment } from '../../environment.ts'
import { runStatement } from '../../environment.ts'
import type { Bench, Figure } from '../../figure.ts'
import { type HistoryDeps, openHistory, runHistory } from './history.ts'
import { createRandom, randomStep } from './steps.ts'

const HISTORIES = 10_000
/** The histories of a set share one database, whose whole ledger is checked at the end of the set. */
const HISTORIES_PER_SET = 100
const HISTORIES_AT_ONCE = 12
const SETS_AT_ONCE = 2
/** Steps that run at the same time, in no defined order. */
const STEPS_AT_ONCE = 6

export default {
  id: 'P17',
  title: 'random histories of payments, holds, draw-downs and settlements, after which the ledger is correct',
  async measure({ environment, profile }: Bench) {
    const historyCount = profile.bulk < 1 ? HISTORIES / 25 : HISTORIES
    const sets = Array.from({ length: historyCount / HISTORIES_PER_SET }, (_, set) => set).values()
    const startedAt = performance.now()
    let totalSteps = 0
    const runNext = async () => {
      for (const set of sets) {
        const stepCount = await runSet(environment, set)
        totalSteps += stepCount
      }
    }
    await Promise.all(Array.from({ length: SETS_AT_ONCE }, runNext))
    const seconds = (performance.now() - startedAt) / 1_000
    const limitedBy = `${totalSteps} steps on the functions of the service in ${Math.round(seconds)} s, ${STEPS_AT_ONCE} at a time; no micro made or lost`
    return [
      {
        label: 'checked',
        unit: 'histories',
        ours: historyCount,
        floor: historyCount,
        goal: { atLeast: 1 },
        judgedBy: 'ratio',
        limitedBy,
      },
    ]
  },
} satisfies Figure

/** Throws if a history fails or the ledger does not balance; gives the number of steps. */
async function runSet(environment: BenchEnvironment, set: number): Promise<number> {
  const database = await environment.newDatabase()
  await runStatement(
    database.url,
    `alter database ${new URL(database.url).pathname.slice(1)} set synchronous_commit = off`,
  )
  const db = openDb(database.url, { name: 'histories', size: 8 })
  const jobs = openJobs(database.url, 'histories')
  try {
    const seeds = Array.from({ length: HISTORIES_PER_SET }, (_, at) => set * HISTORIES_PER_SET + at + 1).values()
    let totalSteps = 0
    const runNext = async () => {
      for (const seed of seeds) {
        const stepCount = await runOne({ db, jobs }, seed)
        totalSteps += stepCount
      }
    }
    await Promise.all(Array.from({ length: HISTORIES_AT_ONCE }, runNext))
    const [broken] = await checkInvariants(db)
    if (broken) throw new Error(`set ${set}: ${broken.rule}: ${broken.subject}: ${broken.detail}`)
    return totalSteps
  } finally {
    await jobs.close()
    await db.end()
    await database.drop()
  }
}

async function runOne(deps: HistoryDeps, seed: number): Promise<number> {
  const random = createRandom(seed)
  const totalSteps = Array.from({ length: 30 + random(30) }, () => randomStep(random))
  await runHistory(await openHistory(deps, `history ${seed}`), totalSteps, STEPS_AT_ONCE)
  return totalSteps.length
}
