import { Counter, collectDefaultMetrics, Gauge, Histogram } from 'prom-client'
import { LANES } from '#kit'
import { observeTraced } from '../ops/metrics/exemplars.ts'
import { type MetricsRegistry, openRegistry } from '../ops/metrics/server.ts'
import { currentTrace } from '../ops/tracing/trace.ts'
import type { Pools } from '../pools/index.ts'
import type { Ending } from '../sql/job.ts'

const BUCKETS = [0.001, 0.005, 0.01, 0.05, 0.1, 0.5, 1, 5, 10, 30, 60, 300]

/** Prometheus metrics of the jobs that a worker runs. */
export interface RunMeters {
  registry: MetricsRegistry
  /** Without an outcome the job was cancelled. */
  recordRun(operation: string, run: { waitedMs: number; startedAt: Date; outcome: Ending['outcome'] | undefined }): void
}

export function openRunMeters(pools: Pools): RunMeters {
  const registry = openRegistry()
  collectDefaultMetrics({ register: registry, prefix: 'coinop_worker_' })
  const registers = [registry]
  const waitSeconds = new Histogram({
    name: 'coinop_job_wait_seconds',
    help: 'Time a job waited in its queue.',
    labelNames: ['operation'],
    buckets: BUCKETS,
    enableExemplars: true,
    registers,
  })
  const runSeconds = new Histogram({
    name: 'coinop_job_run_seconds',
    help: 'Time a job ran.',
    labelNames: ['operation'],
    buckets: BUCKETS,
    enableExemplars: true,
    registers,
  })
  const endedJobs = new Counter({
    name: 'coinop_jobs_ended_total',
    help: 'Jobs by how they ended.',
    labelNames: ['operation', 'status'],
    registers,
  })
  const failures = new Counter({
    name: 'coinop_job_failures_total',
    help: 'Jobs that failed, by the code of their problem.',
    labelNames: ['operation', 'code'],
    registers,
  })
  new Gauge({
    name: 'coinop_pool',
    help: 'Use of the pools by lane.',
    labelNames: ['lane', 'figure'],
    registers,
    collect() {
      const stats = pools.stats() as unknown as Record<string, Record<string, unknown>>
      for (const lane of LANES) {
        for (const [figure, amount] of Object.entries(stats[lane] ?? {})) {
          if (typeof amount === 'number') this.set({ lane, figure }, amount)
        }
      }
    },
  })
  return {
    registry,
    recordRun: (operation, { waitedMs, startedAt, outcome }) => {
      const trace = currentTrace()
      observeTraced(waitSeconds, { operation }, Math.max(0, waitedMs) / 1_000, trace)
      observeTraced(runSeconds, { operation }, (Date.now() - startedAt.getTime()) / 1_000, trace)
      endedJobs.inc({ operation, status: outcome?.status ?? 'dropped' })
      if (outcome?.status === 'failed') failures.inc({ operation, code: outcome.problem.code })
    },
  }
}
