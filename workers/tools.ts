import { type JobPayload, laneOf, Problem, requiredTools, selectTools } from '#kit'
import { listWorkers, type ToolReport } from '../sql/worker.ts'
import type { NamedOperation } from '../tasks/index.ts'
import { AttemptReleased } from './attempts.ts'
import type { WorkerContext } from './context.ts'

/** A worker that has been silent for longer runs nothing. */
const SILENT_SECONDS = 20

/** The operation of a job with the tools that it needs; one that runs others has theirs, and finds their files in its input. */
export async function findOperation(
  { operations, added }: WorkerContext,
  payload: JobPayload,
): Promise<NamedOperation | undefined> {
  const { version } = payload
  const operation = version === undefined ? operations.get(payload.operation) : await added.find(version)
  const { composition } = operation ?? {}
  if (!operation || !composition) return operation && selectTools(operation, payload.input)
  return { ...operation, ...composition.forCall(payload.input) }
}

/** Leaves a job to a worker that has its tools, if one is missing here; a job that no worker can run fails, for free. */
export async function requireTools(
  context: WorkerContext,
  payload: JobPayload,
  operation: Pick<NamedOperation, 'uses' | 'optional'>,
): Promise<void> {
  const missing = findMissing(context.tools, requiredTools(operation))
  if (missing) await leaveToOthers(context, payload, operation, missing)
}

/** Does the same when a run has called an optional tool that is missing here. */
export async function leaveJobThatLacks(context: WorkerContext, payload: JobPayload, tool: string): Promise<never> {
  return leaveToOthers(
    context,
    payload,
    (await findOperation(context, payload))!,
    context.tools.find(({ name }) => name === tool)!,
  )
}

/** The optional tools of the operation that are missing here. */
export function listMissingOptional(
  { tools }: Pick<WorkerContext, 'tools'>,
  { optional = [] }: Pick<NamedOperation, 'optional'>,
): string[] {
  return optional.filter(tool => findMissing(tools, [tool]))
}

async function leaveToOthers(
  context: WorkerContext,
  { id, operation: name, lane: hostedLane }: JobPayload,
  operation: Pick<NamedOperation, 'uses' | 'optional'>,
  { name: tool, install, adapters = [tool] }: ToolReport,
): Promise<never> {
  const lane = hostedLane ?? laneOf(operation.uses)
  const needed = [...requiredTools(operation), tool]
  const isElsewhere = (await listWorkers(context.db)).some(
    ({ lanes, tools, silent_seconds }) =>
      silent_seconds < SILENT_SECONDS && (lanes[lane] ?? 0) > 0 && !findMissing(tools, needed),
  )
  if (!isElsewhere) throw new Problem('PROVIDER_NOT_CONFIGURED', { capability: name, tool, install, adapters })
  context.log.info({ jobId: id, operation: name, tool }, 'job left to a worker that has its tools')
  throw new AttemptReleased('a tool of the job is missing here')
}

function findMissing(reports: readonly ToolReport[], uses: readonly string[]): ToolReport | undefined {
  return reports.find(({ name, ok }) => !ok && uses.includes(name))
}
