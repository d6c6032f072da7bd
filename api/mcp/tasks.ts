import { isUuid, Problem } from '#kit'
import { cancelJob, type JobRecord, readJob } from '../../sql/job.ts'
import type { ApiContext } from '../context.ts'
import { requireScope } from '../oauth/scopes.ts'
import { describeResult, describeValues, type ToolResult } from './content.ts'
import type { McpExchange } from './exchange.ts'
import { CODES, McpError, TASKS_EXTENSION } from './protocol.ts'

const POLL_MS = 1_000
const DAY_MS = 86_400_000

/** The answer to a call that goes on as a job, for clients that know tasks. */
export async function createTask(context: ApiContext, accountId: string, id: string): Promise<object> {
  const job = await readJob(context.db, accountId, id)
  if (!job) throw new Problem('NOT_FOUND')
  return { resultType: 'task', ...describeState(context, job) }
}

export async function getTask(exchange: McpExchange): Promise<object> {
  const { context } = exchange
  const job = await findJob(exchange)
  const state = describeState(context, job)
  return state.status === 'completed' ? { ...state, result: await describeOutcome(context, job) } : state
}

/** Nothing asks a client for input, so there is nothing to update. */
export async function updateTask(exchange: McpExchange): Promise<object> {
  await findJob(exchange)
  return {}
}

export async function cancelTask(exchange: McpExchange): Promise<object> {
  const { ticket } = await findJob(exchange)
  const { caller } = exchange.request
  requireScope(caller, 'mcp:write')
  await cancelJob(exchange.context.db, caller!.accountId, ticket.id)
  return {}
}

/** A task belongs to the account that made the call. */
async function findJob(exchange: McpExchange): Promise<JobRecord> {
  const { context, era, message } = exchange
  if (!era.hasTasks) {
    const requiredCapabilities = { extensions: { [TASKS_EXTENSION]: {} } }
    throw new McpError(CODES.missingCapability, 'Missing required client capability.', {
      status: 400,
      data: { requiredCapabilities },
    })
  }
  const { taskId } = message.params
  const { caller } = exchange.request
  const isKnown = caller !== undefined && isUuid(String(taskId))
  const job = isKnown ? await readJob(context.db, caller.accountId, String(taskId)) : undefined
  if (!job) throw new McpError(CODES.invalidParams, 'Failed to retrieve task: this caller has none with this id.')
  return job
}

function describeState({ settings }: ApiContext, { ticket, problem }: JobRecord) {
  const { id, status, createdAt, startedAt, finishedAt, progress } = ticket
  const isOpen = status === 'submitted' || status === 'running'
  const ended = problem?.code === 'JOB_CANCELLED' ? 'cancelled' : 'completed'
  return {
    taskId: id,
    status: isOpen ? 'working' : ended,
    ...(progress && { statusMessage: `${progress.done} of ${progress.total} ${progress.unit}` }),
    createdAt,
    lastUpdatedAt: finishedAt ?? startedAt ?? createdAt,
    ttlMs: settings.get('job.result_days') * DAY_MS,
    pollIntervalMs: POLL_MS,
  }
}

/** How a job ended, as the result of its tool. A failed job is a completed task with an error as its result. */
async function describeOutcome({ catalog, store }: ApiContext, job: JobRecord): Promise<ToolResult> {
  const { ticket, result, problem } = job
  if (problem) return describeValues(Problem.from(problem).toBody(), [], true)
  const operation = catalog.operation(ticket.serviceKey)
  if (!operation) return describeValues(result)
  return describeResult(operation.output, result, { store, jobId: ticket.id })
}
