import type { Hints, ProblemData, Warning } from '#kit'
import {
  type Call,
  type JobStatus,
  type PaidAnswer,
  type PaidCall,
  parsePaidAnswer,
  parseRefusal,
  type Refusal,
  serializeCall,
  toRawField,
  type Verdict,
} from './call.ts'
import { Batch } from './connection.ts'
import { Connection, type Db, rows, value } from './db.ts'

export type { Call, JobStatus, Refusal } from './call.ts'

export interface StoredObject {
  key: string
  size: number
  type: string
  name: string
  hours: number
}

export interface Success {
  status: 'succeeded'
  chargeMicros: bigint
  /** JSON text; with a delivery, without the warnings. */
  result: string
  objects: StoredObject[]
  delivery?: PreparedDelivery
}

/** The output of a job, ready for what it is delivered to. */
export interface PreparedDelivery {
  /** The product that takes it. */
  to: string
  /** In its words: where it goes, what is written there, its price, and what the caller is told. */
  terms: object
  content: Buffer | undefined
  warnings: readonly Warning[]
}

export interface Ending {
  id: string
  accountId: string
  attempt: number
  startedAt: Date
  outcome: Success | { status: 'failed'; problem: ProblemData }
}

/** Records jobs as they begin and end. Concurrent calls of one method share a round trip. */
export interface Jobs {
  /** Enqueues a call; resolves with undefined if it was taken. */
  intake(call: Call): Promise<Refusal | undefined>
  /** Records a call that has already run; resolves with undefined if it was taken. */
  instant(call: Call): Promise<Refusal | undefined>
  /** Does either for a call that came with a payment. */
  takePaid(kind: 'intake' | 'instant', call: PaidCall): Promise<PaidAnswer>
  /**
   * Ends a job. `late` means that the job had ended before or belongs to a later attempt. `unsure` means the same, but this
   * end was sent twice because the first answer was lost, so the first sending may be what ended the job.
   */
  finish(ending: Ending): Promise<'ended' | 'late' | 'unsure'>
  /** Tells those who wait for a job that a product has settled it. Fails silently: they find out when their time is over. */
  announce(id: string): void
  begin(start: { id: string; startedAt: Date; workerId: string }): Promise<void>
  countWaiting(): number
  close(): Promise<void>
}

/** Of calls with one idempotency key in one batch, each attempt decides one more; a batch has at most 256 calls. */
const MAX_TRIES = 300

export function openJobs(url: string, name: string): Jobs {
  const connections = ['intake', 'instant', 'finish', 'begin'].map(
    kind => new Connection(url, `${name} ${kind}`, { isHot: true }),
  )
  const batch = <Answer>(index: number, functionName: string, options: { limit: number; retryForMs: number }) =>
    new Batch<Answer>(
      connections[index]!,
      { name: functionName, text: `select job.${functionName}($1, $2) as answers` },
      options,
    )
  const intake = batch<Verdict>(0, 'intake_batch', { limit: 256, retryForMs: 5_000 })
  const instant = batch<Verdict>(1, 'instant_batch', { limit: 256, retryForMs: 5_000 })
  const finish = batch<[ord: number, verdict: 'late', isRepeat: boolean]>(2, 'finish_batch', {
    limit: 128,
    retryForMs: 30_000,
  })
  const begin = batch<never>(3, 'begin_batch', { limit: 256, retryForMs: 5_000 })
  const announce = batch<never>(3, 'announce_batch', { limit: 128, retryForMs: 5_000 })
  return {
    intake: call => submitCall(intake, call),
    instant: call => submitCall(instant, call),
    takePaid: (kind, call) => submitPaidCall(kind === 'intake' ? intake : instant, call),
    finish: async ending => {
      const verdict = await finish.add(serializeEnding(ending))
      if (verdict === undefined) return 'ended'
      return verdict[2] ? 'unsure' : 'late'
    },
    begin: async start => {
      await begin.add(JSON.stringify({ id: start.id, started: start.startedAt, worker: start.workerId }))
    },
    announce: id => {
      announce.add(JSON.stringify(id)).catch(() => undefined)
    },
    countWaiting: () => intake.size + instant.size + finish.size,
    close: async () => {
      await Promise.all([
        intake.whenIdle(),
        instant.whenIdle(),
        finish.whenIdle(),
        begin.whenIdle(),
        announce.whenIdle(),
      ])
      await Promise.all(connections.map(connection => connection.close()))
    },
  }
}

async function submitCall(batch: Batch<Verdict>, call: Call): Promise<Refusal | undefined> {
  const verdict = await submit(batch, call)
  return verdict && parseRefusal(verdict)
}

/** A batch that was sent twice has no answer for calls that the first sending took. */
async function submitPaidCall(batch: Batch<Verdict>, call: PaidCall): Promise<PaidAnswer> {
  const verdict = await submit(batch, call)
  if (verdict === undefined) return { kind: 'paid', chunkId: call.payment.chunk?.id, leftMicros: 0n, txHash: undefined }
  return parsePaidAnswer(verdict)
}

/** Submits a call. If another call of its batch has the same key, it is submitted again after that one was decided. */
async function submit(batch: Batch<Verdict>, call: Call): Promise<Verdict | undefined> {
  const json = serializeCall(call)
  for (let tries = 0; tries < MAX_TRIES; tries++) {
    const verdict = await batch.add(json)
    if (verdict?.[1] !== 'again') return verdict
  }
  throw new Error('the key of a call belongs to another call that is never decided')
}

function serializeEnding({ id, accountId, attempt, startedAt, outcome }: Ending): string {
  const head = { id, acct: accountId, attempt, status: outcome.status, started: startedAt }
  if (outcome.status === 'failed') {
    return `${JSON.stringify(head).slice(0, -1)},${toRawField('problem', JSON.stringify(outcome.problem))}}`
  }
  const objects = outcome.objects.length > 0 ? outcome.objects : undefined
  const text = JSON.stringify({ ...head, charge: outcome.chargeMicros.toString(), objects })
  return `${text.slice(0, -1)},${toRawField('result', outcome.result)}}`
}

/** The answer to a call whose idempotency key stands for an earlier one. */
export async function findEarlierAnswer(
  db: Db,
  accountId: string,
  { key, fingerprint }: { key: string; fingerprint: Buffer },
): Promise<{ refusal: Refusal; ceilingMicros: bigint } | undefined> {
  const found = await value<[...Verdict, ceiling: string] | null>(db, 'select job.answer_earlier($1, $2, $3)', [
    accountId,
    key,
    fingerprint,
  ])
  if (!found) return undefined
  const [ord, verdict, jobId, status, result, charged, ceiling] = found
  if (verdict === 'again') return { refusal: { kind: 'in_flight', jobId: jobId! }, ceilingMicros: 0n }
  return { refusal: parseRefusal([ord, verdict, jobId, status, result, charged]), ceilingMicros: BigInt(ceiling ?? 0) }
}

/** The state of a job, as `GET /v1/jobs/{id}` shows it. */
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

/** Reads a job by its id; with `account`, only if it belongs to that account. */
export async function readJob(db: Db, account: string | null, id: string): Promise<JobRecord | undefined> {
  const found = await value<[Ticket, unknown, ProblemData | null] | null>(db, 'select job.read($1, $2)', [account, id])
  return found ? { ticket: found[0], result: found[1], problem: found[2] } : undefined
}

/** Which jobs are meant. Days are those of UTC, written `2026-01-31`, both included. */
export interface JobFilter {
  status?: JobStatus
  from?: string
  to?: string
  operation?: string
  /** The prefix of an API key, or the id of a connector. */
  key?: string
}

export interface ListedJob extends Ticket {
  /** From its start to its end. */
  durationMs?: number
  keyPrefix?: string
  /** Why it failed. */
  problem?: ProblemData
}

/** The jobs of an account, or of all, newest first. */
export function listJobs(
  db: Db,
  query: JobFilter & { account: string | null; limit: number; offset: number },
): Promise<ListedJob[]> {
  const { account, status, from, to, operation, key, limit, offset } = query
  const filter = [status, from, to, operation, key].map(field => field ?? null)
  return value(db, 'select job.search($1, $2, $3, $4, $5, $6, $7, $8)', [account, ...filter, limit, offset])
}

export function cancelJob(db: Db, account: string | null, id: string): Promise<'missing' | 'ended' | 'cancelled'> {
  return value(db, 'select job.cancel($1, $2)', [account, id])
}

/** Runs a job at once that waits in its queue or for its next attempt. */
export function runJobNow(db: Db, id: string): Promise<'missing' | 'ended' | 'running' | 'hurried'> {
  return value(db, 'select job.run_now($1)', [id])
}

/** Begins an attempt of a job that may have ended or been attempted before; undefined if it has ended. */
export async function beginAttempt(
  db: Db,
  id: string,
  workerId: string,
  isFirst: boolean,
): Promise<{ attempt: number; lost: number } | undefined> {
  const [started] = await rows<{ attempt: number; lost: number }>(db, 'select * from job.begin_attempt($1, $2, $3)', [
    id,
    workerId,
    isFirst,
  ])
  return started
}

/** Ends an attempt whose job is run again. Returns how often the job has crashed; null if the attempt was taken over. */
export function endAttempt(db: Db, id: string, attempt: number, hasCrashed: boolean): Promise<number | null> {
  return value(db, 'select job.end_attempt($1, $2, $3)', [id, attempt, hasCrashed])
}

/** Adds to how long attempts ran until their tools crashed. Returns the sum; null if the attempt was taken over. */
export function addRun(db: Db, id: string, attempt: number, ranMs: number): Promise<number | null> {
  return value(db, 'select job.add_run($1, $2, $3)', [id, attempt, Math.round(ranMs)])
}

/** Raises the hold to the exact price; false if the job has ended. Throws INSUFFICIENT_BALANCE or SPEND_LIMIT_REACHED. */
export function raiseHold(db: Db, id: string, attempt: number, micros: bigint): Promise<boolean> {
  return value(db, 'select job.raise_hold($1, $2, $3)', [id, attempt, micros])
}

export async function reportProgress(db: Db, id: string, attempt: number, progress: Hints): Promise<void> {
  await value(db, 'select job.report_progress($1, $2, $3)', [id, attempt, JSON.stringify(progress)])
}

/** How a job ended; `content` is its result or its problem. */
export type JobOutcome = [id: string, status: JobStatus, chargedMicros: string | null, content: unknown]

export function readOutcomes(db: Db, ids: string[]): Promise<JobOutcome[]> {
  return value(db, 'select job.outcomes($1)', [ids])
}

/** Those of the jobs that have not ended. */
export async function findOpenJobs(db: Db, ids: readonly string[]): Promise<string[]> {
  const found = await rows<{ id: string }>(db, 'select id from job.find_open($1)', [ids])
  return found.map(row => row.id)
}

export function forgetResults(db: Db, days: number): Promise<number> {
  return value(db, 'select job.forget_results(make_interval(days => $1))', [days])
}

export interface SpentDay {
  day: string
  micros: string
  calls: number
}

/** What an account spent on each day, oldest first, including days without spending. */
export function spendByDay(db: Db, accountId: string, days: number): Promise<SpentDay[]> {
  return value(db, 'select job.spend_by_day($1, $2)', [accountId, days])
}
