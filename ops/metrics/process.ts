import { statfs } from 'node:fs/promises'
import { Counter, Gauge } from 'prom-client'
import { readCallCounts } from '../providers/http/counts.ts'
import type { Tracing } from '../tracing/open.ts'
import type { MetricsRegistry } from './server.ts'

interface Measured {
  registry: MetricsRegistry
  db: { countConnections(): { total: number; idle: number; waiting: number } }
  dataDir: string
  tracing: Tracing | undefined
}

/** What every process tells of itself beside its work. */
export function openProcessMeters({ registry, db, dataDir, tracing }: Measured): void {
  const registers = [registry]
  new Gauge({
    name: 'coinop_db_connections',
    help: 'Connections of the pool to Postgres: open ones, idle ones, and statements that wait for one.',
    labelNames: ['figure'],
    registers,
    collect() {
      for (const [figure, count] of Object.entries(db.countConnections())) this.set({ figure }, count)
    },
  })
  new Gauge({
    name: 'coinop_disk_bytes',
    help: 'The disk of the data folder: its size, and what is free of it.',
    labelNames: ['figure'],
    registers,
    async collect() {
      const { bsize, blocks, bavail } = await statfs(dataDir)
      this.set({ figure: 'size' }, blocks * bsize)
      this.set({ figure: 'free' }, bavail * bsize)
    },
  })
  const calls = 'Calls of providers by how they ended; `refused` is an answer.'
  openCounts(registers, { name: 'coinop_provider_calls', help: calls, labels: ['provider'] }, set => {
    for (const [provider, counts] of readCallCounts())
      for (const [end, count] of Object.entries(counts)) set({ provider, end }, count)
  })
  const spans = 'Spans by what became of them; `dropped` ones found the queue full.'
  openCounts(registers, { name: 'coinop_spans', help: spans, labels: [] }, set => {
    const { waiting: _waiting, ...counts } = tracing?.counts() ?? NO_SPANS
    for (const [end, count] of Object.entries(counts)) set({ end }, count)
  })
  new Gauge({
    name: 'coinop_spans_waiting',
    help: 'Spans that wait to be sent.',
    registers,
    collect() {
      this.set(tracing?.counts().waiting ?? 0)
    },
  })
}

const NO_SPANS = { sent: 0, dropped: 0, failed: 0, waiting: 0 }

/** Counts that are kept elsewhere become counters: each scrape tells them as they are. */
function openCounts(
  registers: MetricsRegistry[],
  { name, help, labels }: { name: string; help: string; labels: string[] },
  read: (set: (labels: Record<string, string>, count: number) => void) => void,
): void {
  new Counter({
    name: `${name}_total`,
    help,
    labelNames: [...labels, 'end'],
    registers,
    collect() {
      this.reset()
      read((values, count) => this.inc(values, count))
    },
  })
}
