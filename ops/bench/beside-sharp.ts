import { availableParallelism } from 'node:os'
import { floorCall } from './calls.ts'
import { costInWords } from './cost.ts'
import type { Bench, Reading } from './figure.ts'
import type { FloorServer } from './floor.ts'
import { photograph } from './samples.ts'
import { floorSide, ourSide } from './sides.ts'
import { checkStack, type Stack, tryCall } from './stack.ts'
import { versus } from './versus.ts'

/** An operation on pictures, and the path where the floor takes the same steps. */
export interface PictureCall {
  path: string
  type: 'image/webp' | 'image/jpeg'
  floor: '/resize' | '/convert' | '/compress'
  /** So many for each core. */
  clients: number
}

/** Three megapixels of JPEG, raw in and out, beside the same steps of sharp behind a bare Fastify route. */
export async function besideSharp(
  bench: Bench,
  stack: Stack,
  server: FloorServer,
  { path, type, floor: floorPath, clients: perCore }: PictureCall,
): Promise<Reading> {
  const call = {
    path,
    headers: { 'Content-Type': 'image/jpeg', Accept: type },
    body: await photograph(),
    keys: stack.keys.slice(0, 8),
  }
  await tryCall(stack, call)
  const sides = {
    ours: ourSide(bench.home, stack, call),
    floor: floorSide(bench.home, server, floorCall(call, floorPath)),
  }
  const clients = availableParallelism() * perCore
  const { ours, floor } = await versus(bench, sides, clients)
  await checkStack(stack)
  return {
    of: `${path}, ${clients} clients`,
    unit: 'images/s',
    ours: ours.perSecond,
    floor: floor.perSecond,
    goal: { atLeast: 0.9 },
    judged: 'ratio',
    limit: costInWords(ours.cost),
    facts: { ours, floor },
  }
}
