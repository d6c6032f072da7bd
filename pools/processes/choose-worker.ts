import { availableParallelism } from 'node:os'
import type { Call, Worker } from './worker.ts'

interface Limits {
  callsInFlight: number
  /** How many may work at once. */
  processes: number
}

/**
 * The worker with the fewest calls; among idle ones that which is kept for the account, or the last used, so that the
 * others can time out.
 */
export function findFreeWorker<Session>(
  call: Call<Session>,
  workers: Iterable<Worker<Session>>,
  { callsInFlight, processes }: Limits,
): Worker<Session> | undefined {
  const all = [...workers]
  const mayStart = all.filter(({ calls }) => calls.size > 0).length < processes
  return all
    .filter(worker => worker.canTake(call, callsInFlight) && (mayStart || worker.calls.size > 0))
    .sort((a, b) => a.calls.size - b.calls.size || preferReserved(a, b) || b.idleSinceMs - a.idleSinceMs)[0]
}

/** The idle workers that are kept for one account each, the one that was used longest ago first. */
export function listReserved<Session>(workers: Iterable<Worker<Session>>): Worker<Session>[] {
  return [...workers].filter(({ isReserved }) => isReserved).sort((a, b) => a.idleSinceMs - b.idleSinceMs)
}

function preferReserved<Session>(a: Worker<Session>, b: Worker<Session>): number {
  return Number(b.isReserved) - Number(a.isReserved)
}

/** How many processes serve so many calls at once. */
export function countProcesses(concurrency: number, { callsInFlight }: Pick<Limits, 'callsInFlight'>): number {
  return Math.max(1, Math.min(Math.ceil(concurrency / callsInFlight), availableParallelism()))
}
