import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import { readFileSync } from 'node:fs'
import { hostname } from 'node:os'
import type { Config } from '../config.ts'
import type { Logger } from '../log.ts'
import type { SpanExporter } from './exporter.ts'
import { nameStatement } from './statement.ts'
import { recordSpan, recordTo } from './trace.ts'

/** The traces of a process: what became of its spans, and how to stop. */
export interface Tracing {
  counts(): { sent: number; dropped: number; failed: number; waiting: number }
  close(): Promise<void>
}

/** A statement of `sql` that has ended: see `sql/connection.ts`. */
interface EndedStatement {
  text: string
  startedAtMs: number
  error: unknown
}

const STATEMENTS = 'coinop.sql'

/** Begins to record traces, if a collector is configured; what does so is loaded only then. */
export async function openTracing(
  { tracing }: Pick<Config, 'tracing'>,
  role: 'api' | 'worker',
  log: Logger,
): Promise<Tracing | undefined> {
  if (!tracing) return undefined
  const { SpanExporter } = await import('./exporter.ts')
  const resource = {
    'service.name': tracing.serviceName ?? `coinop-${role}`,
    'service.version': readVersion(),
    'coinop.role': role,
    'host.name': hostname(),
    'process.pid': process.pid,
  }
  const exporter: SpanExporter = new SpanExporter(tracing, resource, log)
  recordTo(exporter)
  subscribe(STATEMENTS, onStatement)
  return {
    counts: () => ({ ...exporter.counts, waiting: exporter.waiting }),
    async close() {
      unsubscribe(STATEMENTS, onStatement)
      await exporter.close()
      recordTo(undefined)
    },
  }
}

function onStatement(message: unknown): void {
  const { text, startedAtMs, error } = message as EndedStatement
  recordSpan(nameStatement(text), 'client', { startedAtMs, error, attributes: { 'db.system.name': 'postgresql' } })
}

function readVersion(): string {
  const { version } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')) as {
    version: string
  }
  return version
}
