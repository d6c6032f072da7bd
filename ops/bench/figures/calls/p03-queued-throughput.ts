import { buildFloorCall, buildQueuedCall, buildSlugCall } from '../../calls.ts'
import { compareWithFloor } from '../../compare.ts'
import { formatCost } from '../../cost.ts'
import type { Bench, Figure, Reading } from '../../figure.ts'
import { startFloorServer } from '../../floor/start.ts'
import { openStack, requireNoFailedJobs, type Stack, verifyCall } from '../../stack.ts'
import { targetFloor, targetService } from '../../targets.ts'

const CLIENTS = 64

export default {
  id: 'P3',
  title: 'lane Q, a no-op operation, 64 clients, over Fastify with one UPDATE and commit; a real one over the no-op',
  async measure(bench) {
    await using stack = await openStack(bench.environment)
    await using server = await startFloorServer(stack)
    const call = buildQueuedCall(stack)
    await verifyCall(stack, call)
    const sides = {
      ours: targetService(bench.environment, stack, call),
      floor: targetFloor(bench.environment, server, buildFloorCall(call)),
    }
    const { ours, floor } = await compareWithFloor(bench, sides, CLIENTS)
    const slug = await compareWithNoOp(bench, stack)
    await requireNoFailedJobs(stack)
    return [
      {
        label: 'lane Q, 64 clients',
        unit: 'calls/s',
        ours: ours.perSecond,
        floor: floor.perSecond,
        goal: { atLeast: 0.45 },
        judgedBy: 'ratio',
        limitedBy: formatCost(ours.cost),
        facts: { ours, floor },
      },
      slug,
    ]
  },
} satisfies Figure

/** What a thread, a real input and a result cost beside the queue. */
async function compareWithNoOp(bench: Bench, stack: Stack): Promise<Reading> {
  const call = buildSlugCall(stack)
  await verifyCall(stack, call)
  const sides = {
    ours: targetService(bench.environment, stack, call),
    floor: targetService(bench.environment, stack, buildQueuedCall(stack)),
  }
  const { ours, floor } = await compareWithFloor(bench, sides, CLIENTS)
  return {
    label: 'lane Q, text/slugify over the no-op, 64 clients',
    unit: 'calls/s',
    ours: ours.perSecond,
    floor: floor.perSecond,
    goal: { atLeast: 0.6 },
    judgedBy: 'ratio',
    limitedBy: formatCost(ours.cost),
    facts: { ours, floor },
  }
}
