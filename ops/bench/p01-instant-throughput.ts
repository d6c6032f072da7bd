import { floorCall, hashCall } from './calls.ts'
import { costInWords } from './cost.ts'
import type { Figure } from './figure.ts'
import { openFloor } from './floor.ts'
import { floorSide, ourSide } from './sides.ts'
import { checkStack, openStack, tryCall } from './stack.ts'
import { versus } from './versus.ts'

const CLIENTS = 64

export default {
  id: 'P1',
  title: 'lane I, utils/hash of 1 KB, 64 clients, over Fastify with one UPDATE and commit',
  async measure(bench) {
    await using stack = await openStack(bench.home, { workers: 0 })
    await using server = await openFloor(stack)
    const call = hashCall(stack)
    await tryCall(stack, call)
    const sides = {
      ours: ourSide(bench.home, stack, call),
      floor: floorSide(bench.home, server, floorCall(call)),
    }
    const { ours, floor } = await versus(bench, sides, CLIENTS)
    await checkStack(stack)
    return [
      {
        of: 'lane I, 64 clients',
        unit: 'calls/s',
        ours: ours.perSecond,
        floor: floor.perSecond,
        goal: { atLeast: 1 },
        judged: 'ratio',
        limit: costInWords(ours.cost),
        facts: { ours, floor },
      },
    ]
  },
} satisfies Figure
