import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client'
import { LANES } from '#kit'
import type { Pools } from '../pools/index.ts'

const BUCKETS = [0.001, 0.005, 0.01, 0.05, 0.1, 0.5, 1, 5, 10, 30, 60, 300]

/** Prometheus metrics of the jobs that a worker runs. */
export interface RunMeters {
  registry: Registry
  recordRun(operation: string, waitedMs: number, startedAt: Date, status: string): void
}

export function openRunMeters(pools: Pools): RunMeters {
  const registry = new Registry()
  collectDefaultMetrics({ register: registry, prefix: 'coinop_worker_' })
  const registers = [registry]
  const waitSeconds = new Histogram({
    name: 'coinop_job_wait_seconds',
    help: 'Time a job waited in its queue.',
    labelNames: ['operation'],
    buckets: BUCKETS,
    registers,
  })
  const runSeconds = new Histogram({
    name: 'coinop_job_run_seconds',
    help: 'Time a job ran.',
    labelNames: ['operation'],
    buckets: BUCKETS,
    registers,
  })
  const endedJobs = new Counter({
    name: 'coinop_jobs_ended_total',
    help: 'Jobs by how they ended.',
    labelNames: ['operation', 'status'],
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
    recordRun: (operation, waitedMs, startedAt, status) => {
      waitSeconds.observe({ operation }, Math.max(0, waitedMs) / 1_000)
      runSeconds.observe({ operation }, (Date.now() - startedAt.getTime()) / 1_000)
      endedJobs.inc({ operation, status })
    },
  }
}
