import { buildHashCall, buildQueuedCall } from '../../calls.ts'
import { compareWithFloor } from '../../compare.ts'
import { formatCost } from '../../cost.ts'
import type { Bench, Figure, Reading } from '../../figure.ts'
import type { Call } from '../../load/run.ts'
import { openStack, requireNoFailedJobs, type Stack, verifyCall } from '../../stack.ts'
import { targetService } from '../../targets.ts'

const CLIENTS = 64

export default {
  id: 'P5',
  title: 'one account against 64 accounts, 64 clients',
  async measure(bench) {
    await using stack = await openStack(bench.environment)
    const readings = [
      await compare(bench, stack, 'lane I', buildHashCall(stack)),
      await compare(bench, stack, 'lane Q', buildQueuedCall(stack)),
    ]
    await requireNoFailedJobs(stack)
    return readings
  },
} satisfies Figure

async function compare(bench: Bench, stack: Stack, lane: string, call: Call): Promise<Reading> {
  await verifyCall(stack, call)
  const one = targetService(bench.environment, stack, { ...call, keys: call.keys.slice(0, 1) })
  const { ours, floor } = await compareWithFloor(
    bench,
    { ours: one, floor: targetService(bench.environment, stack, call) },
    CLIENTS,
  )
  return {
    label: `${lane}, 1 account over ${call.keys.length}`,
    unit: 'calls/s',
    ours: ours.perSecond,
    floor: floor.perSecond,
    goal: { atLeast: 1 },
    judgedBy: 'ratio',
    limitedBy: formatCost(ours.cost),
    facts: { ours, floor },
  }
}
