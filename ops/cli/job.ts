import { formatUsd, Problem } from '#kit'
import { cancelJob, hurryJob, type JobStatus, listJobs, readJob, type Ticket } from '../../sql/job.ts'
import { countOf, facts, idOf, table } from './print.ts'
import { Mistake, type Verbs } from './verb.ts'

const STATUSES: readonly string[] = ['submitted', 'running', 'succeeded', 'failed', 'expired'] satisfies JobStatus[]
const REFUSALS = {
  running: 'The job is running; there is nothing to bring forward.',
  ended: 'The job has already ended; its caller may send it again.',
}

export const verbs: Verbs = {
  list: {
    args: [],
    flags: ['status', 'account', 'limit'],
    summary: 'Print the newest jobs.',
    async run({ db }, _args, { status, account, limit }) {
      const owner = account === undefined ? null : idOf('an account', account)
      const jobs = await listJobs(db, {
        account: owner,
        status: statusOf(status),
        limit: countOf('--limit', limit, 20),
        offset: 0,
      })
      const lines = jobs.map(job => [job.id, job.serviceKey, job.status, job.createdAt, cost(job)])
      return { data: jobs, text: table(['id', 'operation', 'status', 'created', 'cost'], lines) }
    },
  },
  show: {
    args: ['<id>'],
    summary: 'Print one job with its problem, if it has one.',
    async run({ db }, [id]) {
      const job = await readJob(db, null, idOf('a job', id))
      if (!job) throw new Mistake(`There is no job ${id}.`)
      const { ticket, problem, result } = job
      return { data: { ...ticket, problem, result }, text: facts({ ...ticket, ...(problem ? { problem } : {}) }) }
    },
  },
  retry: {
    args: ['<id>'],
    summary: 'Let a job that waits for its next attempt begin at once.',
    async run({ db }, [id]) {
      const outcome = await hurryJob(db, idOf('a job', id))
      if (outcome === 'missing') throw new Mistake(`There is no job ${id}.`)
      if (outcome !== 'hurried') throw new Mistake(REFUSALS[outcome])
      return { data: { id, outcome }, text: 'brought forward' }
    },
  },
  cancel: {
    args: ['<id>'],
    summary: 'End a job and release what it holds.',
    async run({ db }, [id]) {
      const outcome = await cancelJob(db, null, idOf('a job', id))
      if (outcome === 'missing') throw new Mistake(`There is no job ${id}.`)
      if (outcome === 'ended') throw new Problem('JOB_FINISHED')
      return { data: { id, outcome }, text: 'cancelled' }
    },
  },
}

function statusOf(text: string | undefined): JobStatus | null {
  if (text === undefined) return null
  if (STATUSES.includes(text)) return text as JobStatus
  throw new Mistake(`--status must be one of ${STATUSES.join(', ')}, not "${text}".`)
}

function cost({ actualMicros, ceilingMicros }: Ticket): string {
  return actualMicros === undefined ? `holds ${formatUsd(BigInt(ceilingMicros))}` : formatUsd(BigInt(actualMicros))
}
