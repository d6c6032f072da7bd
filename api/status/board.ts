import type { ObjectStore } from '../../ops/providers/storage/contract.ts'
import type { Db } from '../../sql/db.ts'
import { readFigures } from '../../sql/installation/figures.ts'
import { readLaneDepths } from '../../sql/lane.ts'
import { type AvailableDay, listAvailability } from '../../sql/status/availability.ts'
import { type Incident, listIncidents } from '../../sql/status/incidents.ts'
import type { Availability } from '../intake/availability.ts'
import { API, type Component, type ComponentState, judgeComponents, judgeService } from './components.ts'

// Decision 0591: tell the status from what was known last.

export const DAYS = 90
const INCIDENT_DAYS = 30
const MAX_INCIDENTS = 50
/** Many readers share what was read at one moment. */
const KEPT_MS = 5_000
const TIMEOUT_MS = 2_000

/** A day without probes has no figure. */
interface Day {
  day: string
  availability: number | null
}

export interface StatusReport {
  state: ComponentState
  /** False if the database cannot be asked: all but the api is then as it was at `readAt`. */
  isCurrent: boolean
  readAt: string
  components: (Component & { availability: number | null; days: Day[] })[]
  incidents: Incident[]
}

interface Sources {
  db: Db
  store: Pick<ObjectStore, 'check'>
  availability: Pick<Availability, 'workers' | 'tools'>
  /** Where payments are settled. */
  network: string | undefined
}

/** What customers are told of the service. It is kept in this process, so that it can be told without the database. */
export class StatusBoard {
  readonly #sources: Sources
  #last: StatusReport | undefined
  #reading: { atMs: number; report: Promise<StatusReport> } | undefined

  constructor(sources: Sources) {
    this.#sources = sources
  }

  read(): Promise<StatusReport> {
    const reading = this.#reading
    if (reading && performance.now() - reading.atMs < KEPT_MS) return reading.report
    const report = this.#read()
    this.#reading = { atMs: performance.now(), report }
    return report
  }

  async #read(): Promise<StatusReport> {
    try {
      this.#last = await withTimeout(this.#ask())
      return this.#last
    } catch {
      return this.#tellLast()
    }
  }

  async #ask(): Promise<StatusReport> {
    const { db, store, availability, network } = this.#sources
    const [lanes, figures, days, incidents, isStoreUsable] = await Promise.all([
      readLaneDepths(db),
      readFigures(db),
      listAvailability(db, DAYS),
      listIncidents(db, INCIDENT_DAYS, MAX_INCIDENTS),
      withTimeout(store.check()).then(
        () => true,
        () => false,
      ),
    ])
    const components = judgeComponents({
      ...{ lanes, network, isStoreUsable, workers: availability.workers(), tools: availability.tools() },
      webhookOldestSeconds: figures.webhooks.oldest_seconds,
      doubtOldestSeconds: figures.payments.find(({ state }) => state === 'unknown')?.oldestSeconds ?? 0,
    })
    return {
      state: judgeService(components),
      isCurrent: true,
      readAt: new Date().toISOString(),
      components: components.map(component => ({ ...component, ...describeDays(days[component.id] ?? []) })),
      incidents,
    }
  }

  /** Calls are refused without the database, so the api is down whatever the rest does. */
  #tellLast(): StatusReport {
    const last = this.#last ?? {
      ...{ readAt: new Date().toISOString(), incidents: [] },
      components: [{ ...API, state: 'down' as const, ...describeDays([]) }],
    }
    const components = last.components.map(each => (each.id === API.id ? { ...each, state: 'down' as const } : each))
    return { ...last, state: 'down', isCurrent: false, components }
  }
}

function describeDays(seen: readonly AvailableDay[]): { availability: number | null; days: Day[] } {
  const byDay = new Map(seen.map(([day, up, probed]) => [day, { up, probed }]))
  const [up, probed] = seen.reduce(([upSum, probedSum], [, one, other]) => [upSum + one, probedSum + other], [0, 0])
  const days = listDays().map(day => {
    const minutes = byDay.get(day)
    return { day, availability: minutes ? divide(minutes.up, minutes.probed) : null }
  })
  return { availability: divide(up, probed), days }
}

/** Rounded down, so that it is 1 only if nothing was missing. */
function divide(up: number, probed: number): number | null {
  return probed === 0 ? null : Math.floor((up / probed) * 1e5) / 1e5
}

/** The days that are told of, oldest first, as UTC counts them. */
function listDays(): string[] {
  const today = Date.now()
  return Array.from({ length: DAYS }, (_, index) =>
    new Date(today - (DAYS - 1 - index) * 86_400_000).toISOString().slice(0, 10),
  )
}

function withTimeout<Result>(work: Promise<Result>): Promise<Result> {
  const { promise, reject } = Promise.withResolvers<never>()
  const timer = setTimeout(() => reject(new Error('no answer in time')), TIMEOUT_MS)
  return Promise.race([work, promise]).finally(() => clearTimeout(timer))
}
