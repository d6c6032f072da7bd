import type { FloorServer } from './floor.ts'
import type { Home } from './home.ts'
import type { Call } from './load.ts'
import type { Stack } from './stack.ts'
import type { Side } from './versus.ts'

export function ourSide(home: Home, stack: Stack, call: Call): Side {
  const workers = stack.workers.map(({ pid }, index) => [index === 0 ? 'worker' : `worker ${index + 1}`, pid] as const)
  return {
    baseUrl: stack.baseUrl,
    call,
    processes: { api: stack.api.pid, ...Object.fromEntries(workers), Postgres: home.postgresPid },
  }
}

export function floorSide(home: Home, floor: FloorServer, call: Call): Side {
  return { baseUrl: floor.baseUrl, call, processes: { server: floor.role.pid, Postgres: home.postgresPid } }
}
