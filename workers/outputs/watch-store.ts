import { setTimeout as sleep } from 'node:timers/promises'
import type { ObjectStore } from '../../ops/providers/storage/contract.ts'

const CHECK_EVERY_MS = 4_000
const CHECK_AGAIN_MS = 500
const CHECK_WITHIN_MS = 2_000
const MAX_MISSES = 2

interface StoreWatch {
  isReachable(): boolean
  stop(): void
}

/**
 * Looks again and again whether the store answers. A worker that cannot reach it takes no jobs until it can, because another
 * worker may be able to. A store on this machine is not watched.
 */
export function watchStore(store: Pick<ObjectStore, 'kind' | 'check'>, onChange: () => void): StoreWatch {
  const stopping = new AbortController()
  let misses = 0
  const isReachable = () => misses < MAX_MISSES
  const watch = async () => {
    while (await pause(misses === 0 ? CHECK_EVERY_MS : CHECK_AGAIN_MS, stopping.signal)) {
      const wasReachable = isReachable()
      misses = (await answersInTime(store)) ? 0 : misses + 1
      if (wasReachable !== isReachable() && !stopping.signal.aborted) onChange()
    }
  }
  if (store.kind !== 'local') void watch()
  return { isReachable, stop: () => stopping.abort() }
}

async function answersInTime(store: Pick<ObjectStore, 'check'>): Promise<boolean> {
  const answers = store.check().then(
    () => true,
    () => false,
  )
  return Promise.race([answers, sleep(CHECK_WITHIN_MS, false, { ref: false })])
}

/** False when it is to stop. */
function pause(ms: number, signal: AbortSignal): Promise<boolean> {
  return sleep(ms, true, { signal, ref: false }).catch(() => false)
}
