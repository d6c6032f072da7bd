import { queuedCall } from './calls.ts'
import { costInWords } from './cost.ts'
import type { Figure } from './figure.ts'
import { query } from './home.ts'
import { ourSide } from './sides.ts'
import { checkStack, openStack, type Stack, tryCall } from './stack.ts'
import { versus } from './versus.ts'

const CLIENTS = 64
const JOBS = 1_000_000
const AT_ONCE = 50_000

export default {
  id: 'P6',
  title: 'lane Q with 1,000,000 jobs queued in another lane, over empty queues',
  async measure(bench) {
    await using empty = await openStack(bench.home, { lanes: ['thread'] })
    await using deep = await openStack(bench.home, { lanes: ['thread'] })
    const jobs = Math.round(JOBS * bench.pace.bulk)
    bench.say(`queueing ${jobs} jobs`)
    await fillQueue(deep, jobs)
    for (const stack of [empty, deep]) await tryCall(stack, queuedCall(stack))
    const sides = {
      ours: ourSide(bench.home, deep, queuedCall(deep)),
      floor: ourSide(bench.home, empty, queuedCall(empty)),
    }
    const { ours, floor } = await versus(bench, sides, CLIENTS)
    for (const stack of [empty, deep]) await checkStack(stack)
    return [
      {
        of: `lane Q, ${jobs} jobs waiting in the program lane`,
        unit: 'calls/s',
        ours: ours.perSecond,
        floor: floor.perSecond,
        goal: { atLeast: 0.9 },
        judged: 'ratio',
        limit: costInWords(ours.cost),
        facts: { ours, floor },
      },
    ]
  },
} satisfies Figure

/** Nobody works on that lane: the worker's lanes are narrowed. */
async function fillQueue({ databaseUrl }: Stack, jobs: number): Promise<void> {
  const add = `select count(*) from lane_program.add_jobs(array(
    select row('perform', json_build_object('id', gen_random_uuid()), null, null, null, null, null,
      null)::lane_program.job_spec
    from generate_series(1, $1::integer)))`
  for (let done = 0; done < jobs; done += AT_ONCE) await query(databaseUrl, add, [Math.min(AT_ONCE, jobs - done)])
  await query(databaseUrl, 'vacuum analyze')
}
