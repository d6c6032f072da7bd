import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client'
import type { DbPool } from '../sql/db.ts'
import { summariseBackups } from '../sql/installation/backups.ts'
import { readLastBookCheck } from '../sql/installation/books.ts'
import { readLaneDepths } from '../sql/lane.ts'
import { readTotals } from '../sql/ledger.ts'
import { countSteps } from '../sql/step/queue.ts'

const BUCKETS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60]

/** What an api process counts, for Prometheus. */
export interface Meters {
  registry: Registry
  answered(entry: string, status: number, seconds: number): void
  slowInstant(operation: string): void
}

export function openMeters(db: DbPool, waiting: () => number): Meters {
  const registry = new Registry()
  const registers = [registry]
  collectDefaultMetrics({ register: registry, prefix: 'coinop_api_' })
  const requests = new Histogram({
    name: 'coinop_http_request_seconds',
    help: 'Time from a request to its answer.',
    labelNames: ['entry', 'status'],
    buckets: BUCKETS,
    registers,
  })
  const slow = new Counter({
    name: 'coinop_instant_slow_total',
    help: 'Instant runs that held up the api; the setting instant.off moves an operation to the queue.',
    labelNames: ['operation'],
    registers,
  })
  new Gauge({
    name: 'coinop_waiting_calls',
    help: 'Calls that wait inline for their job.',
    registers,
    collect() {
      this.set(waiting())
    },
  })
  openBooks(db, registers)
  openCareMeters(db, registers)
  return {
    registry,
    answered: (entry, status, seconds) => requests.observe({ entry, status: String(status) }, seconds),
    slowInstant: operation => slow.inc({ operation }),
  }
}

/** How old the backups and the last check of the books are; 0 until there is one. */
function openCareMeters(db: DbPool, registers: Registry[]): void {
  new Gauge({
    name: 'coinop_backup',
    help: 'When the last whole backup began, in Unix seconds, and how many have failed since.',
    labelNames: ['figure'],
    registers,
    async collect() {
      const { lastAt, failedSince } = await summariseBackups(db)
      this.set({ figure: 'last_at' }, toSeconds(lastAt))
      this.set({ figure: 'failed_since' }, failedSince)
    },
  })
  new Gauge({
    name: 'coinop_books',
    help: 'When `cli ledger verify` ended last, in Unix seconds, and how many faults it found.',
    labelNames: ['figure'],
    registers,
    async collect() {
      const last = await readLastBookCheck(db)
      this.set({ figure: 'last_at' }, toSeconds(last?.endedAt))
      this.set({ figure: 'faults' }, last?.faultCount ?? 0)
    },
  })
}

function toSeconds(time: string | null | undefined): number {
  return time ? Date.parse(time) / 1_000 : 0
}

/** Figures of the database, read when they are asked for. */
function openBooks(db: DbPool, registers: Registry[]): void {
  new Gauge({
    name: 'coinop_queue_jobs',
    help: 'Jobs in the queues by lane.',
    labelNames: ['lane', 'state'],
    registers,
    async collect() {
      for (const { lane, waiting, running } of await readLaneDepths(db)) {
        this.set({ lane, state: 'waiting' }, Number(waiting))
        this.set({ lane, state: 'running' }, Number(running))
      }
    },
  })
  new Gauge({
    name: 'coinop_steps',
    help: 'Background steps of products. Dead ones have failed for good: see `cli steps`.',
    labelNames: ['state'],
    registers,
    async collect() {
      for (const [state, steps] of Object.entries(await countSteps(db))) this.set({ state }, steps)
    },
  })
  new Gauge({
    name: 'coinop_ledger_micros',
    help: 'What customers have, in micros, free and held.',
    labelNames: ['ledger'],
    registers,
    async collect() {
      for (const { ledger, amount_micros } of await readTotals(db)) this.set({ ledger }, Number(amount_micros))
    },
  })
}
