import { type JobPayload, laneOf, Problem } from '#kit'
import { listWorkers, type ToolReport } from '../sql/worker.ts'
import { AttemptReleased } from './attempts.ts'
import type { WorkerContext } from './context.ts'

/** A worker that has been silent for longer runs nothing. */
const SILENT_SECONDS = 20

/** Leaves a job to a worker that has its tools, if one is missing here; a job that no worker can run fails, for free. */
export async function requireTools(context: WorkerContext, { id, operation: name }: JobPayload): Promise<void> {
  const uses = context.operations.get(name)?.uses ?? []
  const missing = findMissing(context.tools, uses)
  if (!missing) return
  const lane = laneOf(uses)
  const isElsewhere = (await listWorkers(context.db)).some(
    ({ lanes, tools, silent_seconds }) =>
      silent_seconds < SILENT_SECONDS && (lanes[lane] ?? 0) > 0 && !findMissing(tools, uses),
  )
  const { name: tool, install, adapters = [tool] } = missing
  if (!isElsewhere) throw new Problem('PROVIDER_NOT_CONFIGURED', { capability: name, tool, install, adapters })
  context.log.info({ jobId: id, operation: name, tool }, 'job left to a worker that has its tools')
  throw new AttemptReleased('a tool of the job is missing here')
}

function findMissing(reports: readonly ToolReport[], uses: readonly string[]): ToolReport | undefined {
  return reports.find(({ name, ok }) => !ok && uses.includes(name))
}
