import { availableParallelism } from 'node:os'
import { buildFloorCall } from '../../calls.ts'
import { compareWithFloor } from '../../compare.ts'
import { formatCost } from '../../cost.ts'
import type { Bench, Reading } from '../../figure.ts'
import type { FloorServer } from '../../floor/start.ts'
import { createPhotograph } from '../../samples.ts'
import { requireNoFailedJobs, type Stack, verifyCall } from '../../stack.ts'
import { targetFloor, targetService } from '../../targets.ts'

/** An image operation, and the path of the floor server that does the same steps. */
interface ImageCall {
  path: string
  type: 'image/webp' | 'image/jpeg'
  floor: '/resize' | '/convert' | '/compress'
  /** Number of clients per core. */
  clients: number
}

/** Compares an operation on a JPEG of three megapixels, raw in and out, with the same sharp call behind Fastify. */
export async function compareWithSharp(
  bench: Bench,
  stack: Stack,
  server: FloorServer,
  { path, type, floor: floorPath, clients: perCore }: ImageCall,
): Promise<Reading> {
  const call = {
    path,
    headers: { 'Content-Type': 'image/jpeg', Accept: type },
    body: await createPhotograph(),
    keys: stack.keys.slice(0, 8),
  }
  await verifyCall(stack, call)
  const sides = {
    ours: targetService(bench.environment, stack, call),
    floor: targetFloor(bench.environment, server, buildFloorCall(call, floorPath)),
  }
  const clients = availableParallelism() * perCore
  const { ours, floor } = await compareWithFloor(bench, sides, clients)
  await requireNoFailedJobs(stack)
  return {
    label: `${path}, ${clients} clients`,
    unit: 'images/s',
    ours: ours.perSecond,
    floor: floor.perSecond,
    goal: { atLeast: 0.9 },
    judgedBy: 'ratio',
    limitedBy: formatCost(ours.cost),
    facts: { ours, floor },
  }
}
