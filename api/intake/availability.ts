import { Problem } from '#kit'
import type { Db } from '../../sql/db.ts'
import { listWorkers, type ToolReport, type WorkerRecord } from '../../sql/worker.ts'
import type { NamedOperation } from '../../tasks/index.ts'

const REFRESH_MS = 5_000
const SILENT_SECONDS = 20

/** What the live workers can do, from their latest reports. */
export interface Availability {
  /** Throws, before any charge, if no worker has an engine that the operation needs. */
  require(operation: Pick<NamedOperation, 'name' | 'uses'>): void
  tools(): readonly ToolReport[]
  workers(): readonly WorkerRecord[]
  refresh(): Promise<void>
  close(): void
}

export function openAvailability(db: Db): Availability {
  let workers: WorkerRecord[] = []
  let tools = new Map<string, ToolReport>()

  async function refresh(): Promise<void> {
    const found = await listWorkers(db)
    workers = found.filter(({ silent_seconds }) => silent_seconds < SILENT_SECONDS)
    tools = mergeReports(workers)
  }

  const timer = setInterval(() => void refresh().catch(() => undefined), REFRESH_MS).unref()
  return {
    refresh,
    tools: () => [...tools.values()],
    workers: () => workers,
    close: () => clearInterval(timer),
    require: ({ name, uses }) => {
      for (const tool of uses) {
        const report = tools.get(tool)
        if (report?.ok === false) {
          throw new Problem('PROVIDER_NOT_CONFIGURED', {
            capability: name,
            tool,
            install: report.install,
            adapters: [tool],
          })
        }
      }
    },
  }
}

/** A tool is available when any worker has it. */
function mergeReports(workers: WorkerRecord[]): Map<string, ToolReport> {
  const best = new Map<string, ToolReport>()
  for (const report of workers.flatMap(worker => worker.tools)) {
    if (!best.get(report.name)?.ok) best.set(report.name, report)
  }
  return best
}
