import { buildFloorCall } from '../../calls.ts'
import { compareWithFloor, type LoadTarget } from '../../compare.ts'
import { formatCost } from '../../cost.ts'
import type { Bench, Figure, Goal, Reading } from '../../figure.ts'
import { startFloorServer } from '../../floor/start.ts'
import type { Call } from '../../load/run.ts'
import { openStack, requireNoFailedJobs, type Stack, verifyCall } from '../../stack.ts'
import { targetFloor, targetService } from '../../targets.ts'

/** How two sides are loaded and what is read of them: calls per second, or the median time of one call. */
interface Load {
  label: string
  unit: 'calls/s' | 'ms'
  clients: number
  goal: Goal
}

interface OneCall extends Load {
  id: string
  title: string
  /** Without workers nothing can be queued. */
  workers?: 0
  buildCall(stack: Stack): Call
  /** More readings on the same stack. */
  more?(bench: Bench, stack: Stack): Promise<Reading[]>
}

/** A figure of one call, over a Fastify that answers the same bytes after one UPDATE and commit. */
export function oneCallFigure({ id, title, workers, buildCall, more, ...load }: OneCall): Figure {
  return {
    id,
    title,
    async measure(bench) {
      await using stack = await openStack(bench.environment, { workers })
      await using server = await startFloorServer(stack)
      const call = buildCall(stack)
      await verifyCall(stack, call)
      const reading = await compareSides(bench, load, {
        ours: targetService(bench.environment, stack, call),
        floor: targetFloor(bench.environment, server, buildFloorCall(call)),
      })
      const others = (await more?.(bench, stack)) ?? []
      await requireNoFailedJobs(stack)
      return [reading, ...others]
    },
  }
}

export async function compareSides(
  bench: Bench,
  { label, unit, clients, goal }: Load,
  sides: { ours: LoadTarget; floor: LoadTarget },
): Promise<Reading> {
  const { ours, floor } = await compareWithFloor(bench, sides, clients)
  const read = (side: typeof ours) => (unit === 'ms' ? side.p50Ms : side.perSecond)
  return {
    label,
    unit,
    ours: read(ours),
    floor: read(floor),
    goal,
    judgedBy: 'ratio',
    limitedBy: formatCost(ours.cost),
    facts: { ours, floor },
  }
}
