import { Counter, collectDefaultMetrics, Gauge, Histogram } from 'prom-client'
import { observeTraced } from '../ops/metrics/exemplars.ts'
import { type MetricsRegistry, openRegistry } from '../ops/metrics/server.ts'
import type { TraceContext } from '../ops/tracing/context.ts'
import type { DbPool } from '../sql/db.ts'
import { openDatabaseMeters } from './database-meters.ts'

const BUCKETS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60]

interface AnsweredRequest {
  entry: string
  status: number
  seconds: number
  /** The code of the problem that was the answer. */
  problem: string | undefined
  trace: TraceContext | undefined
}

/** What an api process counts, for Prometheus. */
export interface Meters {
  registry: MetricsRegistry
  answered(request: AnsweredRequest): void
  slowInstant(operation: string): void
}

export function openMeters(db: DbPool, { waiting, workers }: { waiting(): number; workers(): number }): Meters {
  const registry = openRegistry()
  const registers = [registry]
  collectDefaultMetrics({ register: registry, prefix: 'coinop_api_' })
  const requests = new Histogram({
    name: 'coinop_http_request_seconds',
    help: 'Time from a request to its answer.',
    labelNames: ['entry', 'status'],
    buckets: BUCKETS,
    enableExemplars: true,
    registers,
  })
  const problems = new Counter({
    name: 'coinop_http_problems_total',
    help: 'Requests that were answered with a problem, by its code.',
    labelNames: ['entry', 'code'],
    registers,
  })
  const slow = new Counter({
    name: 'coinop_instant_slow_total',
    help: 'Instant runs that held up the api; the setting instant.off moves an operation to the queue.',
    labelNames: ['operation'],
    registers,
  })
  openGauge(registers, 'coinop_waiting_calls', 'Calls that wait inline for their job.', waiting)
  openGauge(registers, 'coinop_workers', 'Workers that have sent a heartbeat lately.', workers)
  openDatabaseMeters(db, registers)
  return {
    registry,
    answered: ({ entry, status, seconds, problem, trace }) => {
      observeTraced(requests, { entry, status: String(status) }, seconds, trace)
      if (problem !== undefined) problems.inc({ entry, code: problem })
    },
    slowInstant: operation => slow.inc({ operation }),
  }
}

function openGauge(registers: MetricsRegistry[], name: string, help: string, read: () => number): void {
  new Gauge({
    name,
    help,
    registers,
    collect() {
      this.set(read())
    },
  })
}
