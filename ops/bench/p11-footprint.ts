import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Figure, Reading } from './figure.ts'
import { openFloor } from './floor.ts'
import { median } from './median.ts'
import { residentBytes } from './processor-time.ts'
import { openStack } from './stack.ts'

const STARTS = 3
const IDLE_MS = 2_000
const MEGABYTE = 1_000_000

/** The floor is a bare Fastify with a pool of pg. */
export default {
  id: 'P11',
  title: 'the api ready, and resident memory of api and worker at idle',
  async measure({ home }) {
    const readyMs: number[] = []
    const bareMs: number[] = []
    const env = { NODE_COMPILE_CACHE: join(home.folder, 'compile-cache-cold') }
    let coldMs = 0
    for (let start = 0; start <= STARTS; start++) {
      await using stack = await openStack(home, { workers: 0, accounts: 0, env })
      await using server = await openFloor(stack)
      if (start === 0) coldMs = stack.api.readyMs
      else readyMs.push(stack.api.readyMs)
      bareMs.push(server.role.readyMs)
    }
    await using stack = await openStack(home, { accounts: 0, env })
    await using server = await openFloor(stack)
    await sleep(IDLE_MS)
    const megabytes = (pid: number) => residentBytes(pid) / MEGABYTE
    const bare = megabytes(server.role.pid)
    const [worker] = stack.workers
    return [
      absolute(
        'api ready',
        'ms',
        median(readyMs),
        median(bareMs),
        1_500,
        `${Math.round(coldMs)} ms the first time, before Node has its compile cache`,
      ),
      absolute(
        'api resident at idle',
        'MB',
        megabytes(stack.api.pid),
        bare,
        200,
        'the modules of every operation and of pg, Ajv, pino and Fastify',
      ),
      absolute(
        'worker resident before its first job',
        'MB',
        megabytes(worker!.pid),
        bare,
        300,
        `ready in ${Math.round(worker!.readyMs)} ms; its own process, without the children it keeps warm`,
      ),
    ]
  },
} satisfies Figure

function absolute(of: string, unit: string, ours: number, floor: number, atMost: number, limit: string): Reading {
  return { of, unit, ours, floor, goal: { atMost }, judged: 'ours', limit }
}
