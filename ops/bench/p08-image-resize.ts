import { availableParallelism } from 'node:os'
import { floorCall } from './calls.ts'
import { costInWords } from './cost.ts'
import type { Figure } from './figure.ts'
import { openFloor } from './floor.ts'
import { photograph } from './samples.ts'
import { floorSide, ourSide } from './sides.ts'
import { checkStack, openStack, tryCall } from './stack.ts'
import { versus } from './versus.ts'

export default {
  id: 'P8',
  title: 'image/resize, 3 megapixels of JPEG to 400 px of WebP, raw in and out, over the same sharp behind Fastify',
  async measure(bench) {
    await using stack = await openStack(bench.home)
    await using server = await openFloor(stack)
    const call = {
      path: '/v1/image/resize?width=400&format=webp',
      headers: { 'Content-Type': 'image/jpeg', Accept: 'image/webp' },
      body: await photograph(),
      keys: stack.keys.slice(0, 8),
    }
    await tryCall(stack, call)
    const sides = {
      ours: ourSide(bench.home, stack, call),
      floor: floorSide(bench.home, server, floorCall(call, '/resize')),
    }
    const clients = availableParallelism() * 4
    const { ours, floor } = await versus(bench, sides, clients)
    await checkStack(stack)
    return [
      {
        of: `${clients} clients, ${Math.round(call.body.length / 1_000)} KB in`,
        unit: 'images/s',
        ours: ours.perSecond,
        floor: floor.perSecond,
        goal: { atLeast: 0.9 },
        judged: 'ratio',
        limit: costInWords(ours.cost),
        facts: { ours, floor },
      },
    ]
  },
} satisfies Figure
