import { setTimeout as sleep } from 'node:timers/promises'
import { Type } from 'typebox'
import { Check } from 'typebox/schema'
import { type ProbedMinute, recordMinutes } from '../sql/status/availability.ts'
import type { WorkerContext } from './context.ts'

const MINUTE_MS = 60_000
const TIMEOUT_MS = 10_000
/** A day of minutes waits while the database is away. */
const MAX_UNSENT = 1_440

const Report = Type.Object({
  components: Type.Array(Type.Object({ id: Type.String({ maxLength: 100 }), state: Type.String() }), { maxItems: 100 }),
})

/**
 * Calls the public address once a minute, as customers do, and records which components were there. What it sees while the
 * database is away is written when that is back. The moment within the minute is drawn once, so that several workers do not
 * call at the same time.
 */
export function startProbing(context: Pick<WorkerContext, 'config' | 'db' | 'log'>): { stop(): void } {
  const stopping = new AbortController()
  const { probeUrl, lanes } = context.config
  if (probeUrl !== undefined && lanes.includes('remote')) void probeUntil(context, probeUrl, stopping.signal)
  return { stop: () => stopping.abort() }
}

async function probeUntil(
  { db, log }: Pick<WorkerContext, 'db' | 'log'>,
  url: string,
  signal: AbortSignal,
): Promise<void> {
  const offsetMs = Math.floor(Math.random() * (MINUTE_MS - TIMEOUT_MS))
  let unsent: ProbedMinute[] = []
  let known: readonly string[] = ['api']
  while (await waitForNext(offsetMs, signal)) {
    const minute = new Date(Math.floor(Date.now() / MINUTE_MS) * MINUTE_MS).toISOString()
    const seen = await probe(url)
    if (seen) known = Object.keys(seen)
    unsent = [...unsent, { minute, up: seen ?? Object.fromEntries(known.map(id => [id, false])) }].slice(-MAX_UNSENT)
    try {
      await recordMinutes(db, unsent)
      unsent = []
    } catch (error) {
      log.warn({ err: error, minutes: unsent.length }, 'what was probed is not recorded yet')
    }
  }
}

/** False when it is to stop. */
async function waitForNext(offsetMs: number, signal: AbortSignal): Promise<boolean> {
  const leftMs = MINUTE_MS - ((Date.now() - offsetMs + MINUTE_MS) % MINUTE_MS)
  return sleep(leftMs, true, { signal, ref: false }).catch(() => false)
}

/** Whether each component is there; undefined if the service does not answer. Without its api a customer can use none of it. */
export async function probe(url: string): Promise<Record<string, boolean> | undefined> {
  try {
    const response = await fetch(`${url}/v1/status`, {
      headers: { 'user-agent': 'coinop-probe' },
      redirect: 'manual',
      signal: AbortSignal.timeout(TIMEOUT_MS),
    })
    const report: unknown = response.ok ? await response.json() : undefined
    if (!Check(Report, report)) return undefined
    const isApiUp = report.components.every(({ id, state }) => id !== 'api' || state !== 'down')
    return Object.fromEntries(report.components.map(({ id, state }) => [id, isApiUp && state !== 'down']))
  } catch {
    return undefined
  }
}
