import { floorCall, queuedCall } from './calls.ts'
import { costInWords } from './cost.ts'
import type { Figure } from './figure.ts'
import { openFloor } from './floor.ts'
import { floorSide, ourSide } from './sides.ts'
import { checkStack, openStack, tryCall } from './stack.ts'
import { versus } from './versus.ts'

const CLIENTS = 64

export default {
  id: 'P3',
  title: 'lane Q, a no-op operation, 64 clients, over Fastify with one UPDATE and commit',
  async measure(bench) {
    await using stack = await openStack(bench.home)
    await using server = await openFloor(stack)
    const call = queuedCall(stack)
    await tryCall(stack, call)
    const sides = {
      ours: ourSide(bench.home, stack, call),
      floor: floorSide(bench.home, server, floorCall(call)),
    }
    const { ours, floor } = await versus(bench, sides, CLIENTS)
    await checkStack(stack)
    return [
      {
        of: 'lane Q, 64 clients',
        unit: 'calls/s',
        ours: ours.perSecond,
        floor: floor.perSecond,
        goal: { atLeast: 0.4 },
        judged: 'ratio',
        limit: costInWords(ours.cost),
        facts: { ours, floor },
      },
    ]
  },
} satisfies Figure
