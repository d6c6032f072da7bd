import { buildQueuedCall } from '../../calls.ts'
import { compareWithFloor } from '../../compare.ts'
import { formatCost } from '../../cost.ts'
import { runStatement } from '../../environment.ts'
import type { Figure } from '../../figure.ts'
import { openStack, requireNoFailedJobs, type Stack, verifyCall } from '../../stack.ts'
import { targetService } from '../../targets.ts'

const CLIENTS = 64
const JOBS = 1_000_000
const BATCH_SIZE = 50_000

export default {
  id: 'P6',
  title: 'lane Q with 1,000,000 jobs queued in another lane, over empty queues',
  async measure(bench) {
    await using empty = await openStack(bench.environment, { lanes: ['thread'] })
    await using deep = await openStack(bench.environment, { lanes: ['thread'] })
    const jobs = Math.round(JOBS * bench.profile.bulk)
    bench.log(`queueing ${jobs} jobs`)
    await fillQueue(deep, jobs)
    for (const stack of [empty, deep]) await verifyCall(stack, buildQueuedCall(stack))
    const sides = {
      ours: targetService(bench.environment, deep, buildQueuedCall(deep)),
      floor: targetService(bench.environment, empty, buildQueuedCall(empty)),
    }
    const { ours, floor } = await compareWithFloor(bench, sides, CLIENTS)
    for (const stack of [empty, deep]) await requireNoFailedJobs(stack)
    return [
      {
        label: `lane Q, ${jobs} jobs waiting in the program lane`,
        unit: 'calls/s',
        ours: ours.perSecond,
        floor: floor.perSecond,
        goal: { atLeast: 0.9 },
        judgedBy: 'ratio',
        limitedBy: formatCost(ours.cost),
        facts: { ours, floor },
      },
    ]
  },
} satisfies Figure

/** No worker takes these jobs: the worker of this figure runs another lane only. */
async function fillQueue({ databaseUrl }: Stack, jobs: number): Promise<void> {
  const add = `select count(*) from lane_program.add_jobs(array(
    select row('perform', json_build_object('id', gen_random_uuid()), null, null, null, null, null,
      null)::lane_program.job_spec
    from generate_series(1, $1::integer)))`
  for (let done = 0; done < jobs; done += BATCH_SIZE)
    await runStatement(databaseUrl, add, [Math.min(BATCH_SIZE, jobs - done)])
  await runStatement(databaseUrl, 'vacuum analyze')
}
