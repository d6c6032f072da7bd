import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Figure, Reading } from '../../figure.ts'
import { startFloorServer } from '../../floor/start.ts'
import { median } from '../../median.ts'
import { readResidentBytes } from '../../processor-time.ts'
import { openStack } from '../../stack.ts'

const STARTS = 3
const IDLE_MS = 2_000
const MEGABYTE = 1_000_000

/** The floor is a bare Fastify with a pg pool. */
export default {
  id: 'P11',
  title: 'the api ready, and resident memory of api and worker at idle',
  async measure({ environment }) {
    const readyMs: number[] = []
    const bareMs: number[] = []
    const env = { NODE_COMPILE_CACHE: join(environment.folder, 'compile-cache-cold') }
    let coldMs = 0
    for (let start = 0; start <= STARTS; start++) {
      await using stack = await openStack(environment, { workers: 0, accounts: 0, env })
      await using server = await startFloorServer(stack)
      if (start === 0) coldMs = stack.api.readyMs
      else readyMs.push(stack.api.readyMs)
      bareMs.push(server.role.readyMs)
    }
    await using stack = await openStack(environment, { accounts: 0, env })
    await using server = await startFloorServer(stack)
    await sleep(IDLE_MS)
    const megabytes = (pid: number) => readResidentBytes(pid) / MEGABYTE
    const bare = megabytes(server.role.pid)
    const [worker] = stack.workers
    return [
      buildReading(
        'api ready',
        'ms',
        median(readyMs),
        median(bareMs),
        1_500,
        `${Math.round(coldMs)} ms the first time, before Node has its compile cache`,
      ),
      buildReading(
        'api resident at idle',
        'MB',
        megabytes(stack.api.pid),
        bare,
        200,
        'the modules of every operation and of pg, Ajv, pino and Fastify',
      ),
      buildReading(
        'worker resident before its first job',
        'MB',
        megabytes(worker!.pid),
        bare,
        250,
        `ready in ${Math.round(worker!.readyMs)} ms; its own process, without the children it keeps warm`,
      ),
    ]
  },
} satisfies Figure

function buildReading(
  label: string,
  unit: string,
  ours: number,
  floor: number,
  atMost: number,
  limitedBy: string,
): Reading {
  return { label, unit, ours, floor, goal: { atMost }, judgedBy: 'ours', limitedBy }
}
