import { buildFloorCall, buildHashCall } from '../../calls.ts'
import { compareWithFloor } from '../../compare.ts'
import { formatCost } from '../../cost.ts'
import type { Figure } from '../../figure.ts'
import { startFloorServer } from '../../floor/start.ts'
import { openStack, requireNoFailedJobs, verifyCall } from '../../stack.ts'
import { targetFloor, targetService } from '../../targets.ts'

export default {
  id: 'P2',
  title: 'lane I, one client, p50 over that of Fastify with one UPDATE and commit',
  async measure(bench) {
    await using stack = await openStack(bench.environment, { workers: 0 })
    await using server = await startFloorServer(stack)
    const call = buildHashCall(stack)
    await verifyCall(stack, call)
    const sides = {
      ours: targetService(bench.environment, stack, call),
      floor: targetFloor(bench.environment, server, buildFloorCall(call)),
    }
    const { ours, floor } = await compareWithFloor(bench, sides, 1)
    await requireNoFailedJobs(stack)
    return [
      {
        label: 'lane I, 1 client, p50',
        unit: 'ms',
        ours: ours.p50Ms,
        floor: floor.p50Ms,
        goal: { atMost: 2 },
        judgedBy: 'ratio',
        limitedBy: formatCost(ours.cost),
        facts: { ours, floor },
      },
    ]
  },
} satisfies Figure
