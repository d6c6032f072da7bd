import { buildFloorCall, buildQueuedCall } from '../../calls.ts'
import { compareWithFloor } from '../../compare.ts'
import { formatCost } from '../../cost.ts'
import type { Figure } from '../../figure.ts'
import { startFloorServer } from '../../floor/start.ts'
import { openStack, requireNoFailedJobs, verifyCall } from '../../stack.ts'
import { targetFloor, targetService } from '../../targets.ts'

const CLIENTS = 64

export default {
  id: 'P3',
  title: 'lane Q, a no-op operation, 64 clients, over Fastify with one UPDATE and commit',
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
    await requireNoFailedJobs(stack)
    return [
      {
        label: 'lane Q, 64 clients',
        unit: 'calls/s',
        ours: ours.perSecond,
        floor: floor.perSecond,
        goal: { atLeast: 0.4 },
        judgedBy: 'ratio',
        limitedBy: formatCost(ours.cost),
        facts: { ours, floor },
      },
    ]
  },
} satisfies Figure
