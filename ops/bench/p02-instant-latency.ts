import { floorCall, hashCall } from './calls.ts'
import { costInWords } from './cost.ts'
import type { Figure } from './figure.ts'
import { openFloor } from './floor.ts'
import { floorSide, ourSide } from './sides.ts'
import { checkStack, openStack, tryCall } from './stack.ts'
import { versus } from './versus.ts'

export default {
  id: 'P2',
  title: 'lane I, one client, p50 over that of Fastify with one UPDATE and commit',
  async measure(bench) {
    await using stack = await openStack(bench.home, { workers: 0 })
    await using server = await openFloor(stack)
    const call = hashCall(stack)
    await tryCall(stack, call)
    const sides = {
      ours: ourSide(bench.home, stack, call),
      floor: floorSide(bench.home, server, floorCall(call)),
    }
    const { ours, floor } = await versus(bench, sides, 1)
    await checkStack(stack)
    return [
      {
        of: 'lane I, 1 client, p50',
        unit: 'ms',
        ours: ours.p50Ms,
        floor: floor.p50Ms,
        goal: { atMost: 2 },
        judged: 'ratio',
        limit: costInWords(ours.cost),
        facts: { ours, floor },
      },
    ]
  },
} satisfies Figure
