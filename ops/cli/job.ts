import { formatUsd, Problem } from '#kit'
import { isDay } from '../../api/intake/validation/call-filter.ts'
import { cancelJob, type JobFilter, type JobStatus, listJobs, readJob, runJobNow, type Ticket } from '../../sql/job.ts'
import { formatFacts, formatTable, parseCount, parseId } from './print.ts'
import { type Runs, UsageError } from './verb.ts'

const STATUSES: readonly string[] = ['submitted', 'running', 'succeeded', 'failed', 'expired'] satisfies JobStatus[]
const RETRY_ERRORS = {
  running: 'The job is running already, so it cannot be started earlier.',
  ended: 'The job has already ended; its caller can send it again.',
}

export const runs: Runs = {
  async list({ db }, _args, { status, account, limit, ...filter }) {
    const owner = account === undefined ? null : parseId('an account', account)
    const jobs = await listJobs(db, {
      account: owner,
      status: parseStatus(status),
      ...parseDays(filter),
      limit: parseCount('--limit', limit, 20),
      offset: 0,
    })
    const lines = jobs.map(job => [
      ...[job.id, job.serviceKey, job.status, job.createdAt, job.durationMs, job.keyPrefix, formatCost(job)],
    ])
    return { data: jobs, text: formatTable(['id', 'operation', 'status', 'created', 'ms', 'key', 'cost'], lines) }
  },
  async show({ db }, [id]) {
    const job = await readJob(db, null, parseId('a job', id))
    if (!job) throw new UsageError(`There is no job ${id}.`)
    const { ticket, problem, result } = job
    return { data: { ...ticket, problem, result }, text: formatFacts({ ...ticket, ...(problem ? { problem } : {}) }) }
  },
  async retry({ db }, [id]) {
    const outcome = await runJobNow(db, parseId('a job', id))
    if (outcome === 'missing') throw new UsageError(`There is no job ${id}.`)
    if (outcome !== 'hurried') throw new UsageError(RETRY_ERRORS[outcome])
    return { data: { id, outcome }, text: 'started' }
  },
  async cancel({ db }, [id]) {
    const outcome = await cancelJob(db, null, parseId('a job', id))
    if (outcome === 'missing') throw new UsageError(`There is no job ${id}.`)
    if (outcome === 'ended') throw new Problem('JOB_FINISHED')
    return { data: { id, outcome }, text: 'cancelled' }
  },
}

function parseStatus(text: string | undefined): JobStatus | undefined {
  if (text === undefined) return undefined
  if (STATUSES.includes(text)) return text as JobStatus
  throw new UsageError(`--status must be one of ${STATUSES.join(', ')}, not "${text}".`)
}

function parseDays(filter: Pick<JobFilter, 'from' | 'to' | 'operation' | 'key'>): typeof filter {
  for (const flag of ['from', 'to'] as const) {
    const day = filter[flag]
    if (day !== undefined && !isDay(day))
      throw new UsageError(`--${flag} must be a day such as 2026-01-31, not "${day}".`)
  }
  return filter
}

function formatCost({ actualMicros, ceilingMicros }: Ticket): string {
  return actualMicros === undefined ? `holds ${formatUsd(BigInt(ceilingMicros))}` : formatUsd(BigInt(actualMicros))
}
