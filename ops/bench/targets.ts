import type { LoadTarget } from './compare.ts'
import type { BenchEnvironment } from './environment.ts'
import type { FloorServer } from './floor/start.ts'
import type { Call } from './load/run.ts'
import type { Stack } from './stack.ts'

export function targetService(environment: BenchEnvironment, stack: Stack, call: Call): LoadTarget {
  const workers = stack.workers.map(({ pid }, index) => [index === 0 ? 'worker' : `worker ${index + 1}`, pid] as const)
  return {
    baseUrl: stack.baseUrl,
    call,
    processes: { api: stack.api.pid, ...Object.fromEntries(workers), Postgres: environment.postgresPid },
  }
}

export function targetFloor(environment: BenchEnvironment, floor: FloorServer, call: Call): LoadTarget {
  return { baseUrl: floor.baseUrl, call, processes: { server: floor.role.pid, Postgres: environment.postgresPid } }
}
