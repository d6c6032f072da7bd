import type { Hints, ProblemData } from '#kit'
import { Batch } from './batch.ts'
import {
  type Call,
  callJson,
  type JobStatus,
  jsonField,
  type PaidAnswer,
  type PaidCall,
  paidAnswerOf,
  type Refusal,
  refusalOf,
  type Verdict,
} from './call.ts'
import { type Db, value } from './db.ts'
import { Line } from './line.ts'

export type { Call, JobStatus, Refusal } from './call.ts'

export interface StoredObject {
  key: string
  size: number
  type: string
  name: string
  hours: number
}

export interface Ending {
  id: string
  accountId: string
  attempt: number
  startedAt: Date
  outcome:
    | { status: 'succeeded'; chargeMicros: bigint; result: string; objects: StoredObject[] }
    | { status: 'failed'; problem: ProblemData }
}

/** The ways jobs enter and leave, each one shared round trip. */
export interface Jobs {
  /** Accepts work; resolves with nothing when it was taken. */
  intake(call: Call): Promise<Refusal | undefined>
  /** Records a call that has already run; resolves with nothing when it was taken. */
  instant(call: Call): Promise<Refusal | undefined>
  /** The same two ways for a call that came with a payment. */
  paid(way: 'intake' | 'instant', call: PaidCall): Promise<PaidAnswer>
  /**
   * Ends a job. It is `late` when the job had ended before or belongs to a later attempt, and `unsure` when that is so
   * because an earlier sending of this very end, whose answer was lost, may have been the one that ended it.
   */
  finish(ending: Ending): Promise<'ended' | 'late' | 'unsure'>
  begin(start: { id: string; startedAt: Date; workerId: string }): Promise<void>
  waiting(): number
  close(): Promise<void>
}

/** Of a batch of twins each asking finds one more of them decided. */
const MOST_TRIES = 300

export function openJobs(url: string, name: string): Jobs {
  const lines = ['intake', 'instant', 'finish', 'begin'].map(kind => new Line(url, `${name} ${kind}`, { isHot: true }))
  const batch = <Answer>(index: number, fn: string, options: { limit: number; patienceMs: number }) =>
    new Batch<Answer>(lines[index]!, { name: fn, text: `select job.${fn}($1, $2) as answers` }, options)
  const intake = batch<Verdict>(0, 'intake_batch', { limit: 256, patienceMs: 5_000 })
  const instant = batch<Verdict>(1, 'instant_batch', { limit: 256, patienceMs: 5_000 })
  const finish = batch<[ord: number, verdict: 'late', isRepeat: boolean]>(2, 'finish_batch', {
    limit: 128,
    patienceMs: 30_000,
  })
  const begin = batch<never>(3, 'begin_batch', { limit: 256, patienceMs: 5_000 })
  return {
    intake: call => take(intake, call),
    instant: call => take(instant, call),
    paid: (way, call) => takePaid(way === 'intake' ? intake : instant, call),
    finish: async ending => {
      const verdict = await finish.add(endingJson(ending))
      if (verdict === undefined) return 'ended'
      return verdict[2] ? 'unsure' : 'late'
    },
    begin: async start => {
      await begin.add(JSON.stringify({ id: start.id, started: start.startedAt, worker: start.workerId }))
    },
    waiting: () => intake.size + instant.size + finish.size,
    close: async () => {
      await Promise.all([intake.idle(), instant.idle(), finish.idle(), begin.idle()])
      await Promise.all(lines.map(line => line.close()))
    },
  }
}

async function take(batch: Batch<Verdict>, call: Call): Promise<Refusal | undefined> {
  const verdict = await ask(batch, call)
  return verdict && refusalOf(verdict)
}

/** A batch that was sent twice says nothing of the calls that the first sending took. */
async function takePaid(batch: Batch<Verdict>, call: PaidCall): Promise<PaidAnswer> {
  const verdict = await ask(batch, call)
  if (verdict === undefined) return { kind: 'paid', chunkId: call.payment.chunk?.id, leftMicros: 0n, txHash: undefined }
  return paidAnswerOf(verdict)
}

/** One that shares its key with another in its batch asks again, when what became of that one is known. */
async function ask(batch: Batch<Verdict>, call: Call): Promise<Verdict | undefined> {
  const json = callJson(call)
  for (let tries = 0; tries < MOST_TRIES; tries++) {
    const verdict = await batch.add(json)
    if (verdict?.[1] !== 'again') return verdict
  }
  throw new Error('a key stands for a call that nobody knows of')
}

function endingJson({ id, accountId, attempt, startedAt, outcome }: Ending): string {
  const head = { id, acct: accountId, attempt, status: outcome.status, started: startedAt }
  if (outcome.status === 'failed') {
    return `${JSON.stringify(head).slice(0, -1)},${jsonField('problem', JSON.stringify(outcome.problem))}}`
  }
  const objects = outcome.objects.length > 0 ? outcome.objects : undefined
  const text = JSON.stringify({ ...head, charge: outcome.chargeMicros.toString(), objects })
  return `${text.slice(0, -1)},${jsonField('result', outcome.result)}}`
}

/** How a job stands, as `GET /v1/jobs/{id}` shows it. */
export interface Ticket {
  id: string
  ticket: string
  serviceKey: string
  status: JobStatus
  createdAt: string
  startedAt?: string
  finishedAt?: string
  progress?: { done: number; total: number; unit: string }
  ceilingMicros: string
  actualMicros?: string
}

export interface JobRecord {
  ticket: Ticket
  result: unknown
  problem: ProblemData | null
}

/** A job by its id; with `account`, only the account's own. */
export async function readJob(db: Db, account: string | null, id: string): Promise<JobRecord | undefined> {
  const found = await value<[Ticket, unknown, ProblemData | null] | null>(db, 'select job.read($1, $2)', [account, id])
  return found ? { ticket: found[0], result: found[1], problem: found[2] } : undefined
}

export function listJobs(
  db: Db,
  query: { account: string | null; status: JobStatus | null; limit: number; offset: number },
): Promise<Ticket[]> {
  return value(db, 'select job.list($1, $2, $3, $4)', [query.account, query.status, query.limit, query.offset])
}

export function cancelJob(db: Db, account: string | null, id: string): Promise<'missing' | 'ended' | 'cancelled'> {
  return value(db, 'select job.cancel($1, $2)', [account, id])
}

/** Lets a job that waits for its turn or for its next attempt begin at once. */
export function hurryJob(db: Db, id: string): Promise<'missing' | 'ended' | 'running' | 'hurried'> {
  return value(db, 'select job.hurry($1)', [id])
}

/** Begins a run that must be sure; nothing when the job has ended meanwhile. */
export function beginAgain(db: Db, id: string, workerId: string, isFirst: boolean): Promise<number | null> {
  return value(db, 'select job.begin_again($1, $2, $3)', [id, workerId, isFirst])
}

/** Lifts the hold to the exact price; false when the job has ended meanwhile. Throws INSUFFICIENT_BALANCE. */
export function raiseHold(db: Db, id: string, attempt: number, micros: bigint): Promise<boolean> {
  return value(db, 'select job.raise_hold($1, $2, $3)', [id, attempt, micros])
}

export async function reportProgress(db: Db, id: string, attempt: number, progress: Hints): Promise<void> {
  await value(db, 'select job.report_progress($1, $2, $3)', [id, attempt, JSON.stringify(progress)])
}

/** How a job ended: its result, or what stands in the problem's place. */
export type Outcome = [id: string, status: JobStatus, chargedMicros: string | null, content: unknown]

export function readOutcomes(db: Db, ids: string[]): Promise<Outcome[]> {
  return value(db, 'select job.outcomes($1)', [ids])
}

/** What an Idempotency-Key already stands for. */
export async function lookUpKey(
  db: Db,
  account: string,
  idempotency: { key: string; fingerprint: Buffer },
): Promise<Refusal | undefined> {
  const verdict = await value<Verdict | null>(db, 'select job.look_up($1, $2, $3)', [
    account,
    idempotency.key,
    idempotency.fingerprint,
  ])
  return verdict && verdict[1] !== 'again' ? refusalOf(verdict) : undefined
}

export function forgetResults(db: Db, days: number): Promise<number> {
  return value(db, 'select job.forget(make_interval(days => $1))', [days])
}

export interface SpentDay {
  day: string
  micros: string
  calls: number
}

/** What an account spent by day, oldest first; the days without any are there, too. */
export function spendByDay(db: Db, accountId: string, days: number): Promise<SpentDay[]> {
  return value(db, 'select job.spend_by_day($1, $2)', [accountId, days])
}
