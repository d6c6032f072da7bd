import { openDb } from '../../sql/db.ts'
import { openJobs } from '../../sql/job.ts'
import { checkInvariants } from '../../sql/ledger.ts'
import type { Bench, Figure } from './figure.ts'
import type { Home } from './home.ts'
import { query } from './home.ts'
import { diceOf, randomStep } from './payment-steps.ts'
import { openStory, type StoryBooks, tellStory } from './payment-story.ts'

const HISTORIES = 10_000
/** Told on one set of books. The books are read whole at the end of each set, so there are many sets. */
const A_SET = 100
const HISTORIES_AT_ONCE = 12
const SETS_AT_ONCE = 2
/** Among these nobody says who comes first. */
const STEPS_AT_ONCE = 6

export default {
  id: 'P17',
  title: 'random histories of payments, holds, draw-downs and settlements, after which the books are right',
  async measure({ home, pace }: Bench) {
    const wanted = pace.bulk < 1 ? HISTORIES / 25 : HISTORIES
    const sets = Array.from({ length: wanted / A_SET }, (_, set) => set).values()
    const begun = performance.now()
    let steps = 0
    const teller = async () => {
      for (const set of sets) {
        const told = await tellSet(home, set)
        steps += told
      }
    }
    await Promise.all(Array.from({ length: SETS_AT_ONCE }, teller))
    const seconds = (performance.now() - begun) / 1_000
    const limit = `${steps} steps on the functions of the service in ${Math.round(seconds)} s, ${STEPS_AT_ONCE} at a time; no micro made or lost`
    return [
      { of: 'checked', unit: 'histories', ours: wanted, floor: wanted, goal: { atLeast: 1 }, judged: 'ratio', limit },
    ]
  },
} satisfies Figure

/** Throws where a history went wrong, or the books do not add up; gives how many steps were told. */
async function tellSet(home: Home, set: number): Promise<number> {
  const database = await home.newDatabase()
  await query(database.url, `alter database ${new URL(database.url).pathname.slice(1)} set synchronous_commit = off`)
  const db = openDb(database.url, { name: 'histories', size: 8 })
  const jobs = openJobs(database.url, 'histories')
  try {
    const seeds = Array.from({ length: A_SET }, (_, at) => set * A_SET + at + 1).values()
    let steps = 0
    const teller = async () => {
      for (const seed of seeds) {
        const told = await tellOne({ db, jobs }, seed)
        steps += told
      }
    }
    await Promise.all(Array.from({ length: HISTORIES_AT_ONCE }, teller))
    const [broken] = await checkInvariants(db)
    if (broken) throw new Error(`set ${set}: ${broken.rule}: ${broken.subject}: ${broken.detail}`)
    return steps
  } finally {
    await jobs.close()
    await db.end()
    await database.drop()
  }
}

async function tellOne(books: StoryBooks, seed: number): Promise<number> {
  const dice = diceOf(seed)
  const steps = Array.from({ length: 30 + dice(30) }, () => randomStep(dice))
  await tellStory(await openStory(books, `history ${seed}`), steps, STEPS_AT_ONCE)
  return steps.length
}
