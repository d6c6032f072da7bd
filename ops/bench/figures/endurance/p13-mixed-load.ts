import { buildHashCall, buildQueuedCall } from '../../calls.ts'
import { measureTarget } from '../../compare.ts'
import { formatCost } from '../../cost.ts'
import type { Bench, Figure, Reading } from '../../figure.ts'
import type { Call } from '../../load/run.ts'
import { openStack, requireNoFailedJobs, verifyCall } from '../../stack.ts'
import { targetService } from '../../targets.ts'

const CLIENTS = 64
const WINDOWS = 6

export default {
  id: 'P13',
  title: 'the last sixth of a long run over its first, 64 clients',
  async measure(bench) {
    const readings = [
      await measureEndurance(bench, 'lane I', buildHashCall),
      await measureEndurance(bench, 'lane Q', buildQueuedCall),
    ]
    return readings
  },
} satisfies Figure

/** The load does not pause between windows. A warm-up precedes the first one, which would be too slow otherwise. */
async function measureEndurance(
  bench: Bench,
  lane: string,
  buildCall: (stack: { keys: readonly string[] }) => Call,
): Promise<Reading> {
  await using stack = await openStack(bench.environment)
  const call = buildCall(stack)
  await verifyCall(stack, call)
  const target = targetService(bench.environment, stack, call)
  await measureTarget(bench, target, CLIENTS, bench.profile.warmUpSeconds)
  const windows = []
  for (let window = 0; window < WINDOWS; window++) {
    windows.push(await measureTarget(bench, target, CLIENTS, bench.profile.windowSeconds))
  }
  await requireNoFailedJobs(stack)
  const [first, last] = [windows[0]!, windows.at(-1)!]
  return {
    label: `${lane}, last ${bench.profile.windowSeconds} s over first of ${WINDOWS * bench.profile.windowSeconds} s`,
    unit: 'calls/s',
    ours: last.burst.perSecond,
    floor: first.burst.perSecond,
    goal: { atLeast: 0.95 },
    judgedBy: 'ratio',
    limitedBy: `other processes took ${Math.round(first.cost.othersShare * 100)} % of the cores in the first window; last: ${formatCost(last.cost)}`,
    facts: { windows },
  }
}
