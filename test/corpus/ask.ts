import { isProblemCode, PROBLEMS } from '#kit'
import { type Stack, storeUpload } from '../../ops/bench/stack.ts'
import { readAccount } from '../../sql/account.ts'
import type { NamedOperation } from '../../tasks/index.ts'
import { type Body, fillBody } from './bodies.ts'
import type { Sample } from './samples/kinds.ts'

/** Larger samples go through the object store, as they would for a caller. */
const MAX_INLINE_BYTES = 3 * 2 ** 20
const POLL_SECONDS = 20
/** Added to the limit of a run, for the time in the queue and for a busy machine. */
const GRACE_SECONDS = 40
const RUN_SECONDS = 60

export interface Call {
  operation: NamedOperation
  sample: Sample
  body: Body
}

/** An account that makes one call at a time, so that the balance shows the cost of each call. */
interface Caller {
  accountId: string
  key: string
}

export interface Reply {
  /** The status of the call, or of its job; 0 if there was no answer in time. */
  status: number
  code?: string
  answer?: Record<string, unknown>
  /** The cost according to the answer; next to it what the account has paid and what is still held. */
  reportedMicros: bigint
  paidMicros: bigint
  heldMicros: bigint
  ms: number
  detail?: string
  request: Record<string, unknown>
}

interface Outcome {
  status: number
  answer?: Record<string, unknown>
  reportedMicros: bigint
  detail?: string
}

/** Makes one call and waits for its end. */
export async function performCall(stack: Stack, caller: Caller, call: Call): Promise<Reply> {
  const request = fillBody(call.body, await prepareContent(stack, caller, call))
  const before = await readAccount(stack.db, caller.accountId)
  const startedMs = performance.now()
  const limitMs = ((call.operation.limitSeconds ?? RUN_SECONDS) + GRACE_SECONDS) * 1000
  const outcome = await sendCall(stack, caller, call.operation.path, request, limitMs)
  const ms = performance.now() - startedMs
  const after = await readAccount(stack.db, caller.accountId)
  return {
    ...outcome,
    code: outcome.answer?.code as string | undefined,
    paidMicros: BigInt(before!.balanceMicros) - BigInt(after!.balanceMicros),
    heldMicros: BigInt(after!.heldMicros),
    ms,
    request,
  }
}

async function prepareContent(stack: Stack, caller: Caller, { sample, body }: Call): Promise<unknown> {
  const bytes = await sample.bytes()
  if (body.takes === 'text') return Buffer.from(bytes).toString('utf8')
  if (bytes.length <= MAX_INLINE_BYTES) return { inline: Buffer.from(bytes).toString('base64') }
  const type = sample.claimedType ?? 'application/octet-stream'
  return { inputKey: await storeUpload(stack, caller.accountId, bytes, type) }
}

async function sendCall(
  stack: Stack,
  { key }: Caller,
  path: string,
  request: unknown,
  limitMs: number,
): Promise<Outcome> {
  const deadline = AbortSignal.timeout(limitMs)
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' }
  try {
    const body = JSON.stringify(request)
    const reply = await fetch(stack.baseUrl + path, { method: 'POST', headers, body, signal: deadline })
    const answer = (await reply.json()) as Record<string, unknown>
    if (reply.status === 202) return await followJob(stack, headers, answer.ticket as string, deadline)
    return { status: reply.status, answer, reportedMicros: BigInt(reply.headers.get('x-service-charged-micros') ?? 0) }
  } catch (error) {
    if (deadline.aborted) return { status: 0, reportedMicros: 0n, detail: `no result within ${limitMs / 1000} s` }
    return { status: 0, reportedMicros: 0n, detail: `no answer: ${(error as Error).message}` }
  }
}

interface Ticket {
  status: string
  finishedAt?: string | null
  actualMicros?: string
  result?: Record<string, unknown>
  error?: { code: string } & Record<string, unknown>
}

async function followJob(
  stack: Stack,
  headers: Record<string, string>,
  id: string,
  signal: AbortSignal,
): Promise<Outcome> {
  for (;;) {
    const url = `${stack.baseUrl}/v1/jobs/${id}?wait=${POLL_SECONDS}`
    const job = (await (await fetch(url, { headers, signal })).json()) as Ticket
    if (!job.finishedAt) continue
    const reportedMicros = BigInt(job.actualMicros ?? 0)
    if (job.status === 'succeeded') return { status: 200, answer: job.result, reportedMicros }
    if (job.status === 'expired' || !job.error) return { status: 0, reportedMicros, detail: `the job is ${job.status}` }
    return { status: statusOf(job.error.code), answer: job.error, reportedMicros }
  }
}

function statusOf(code: string): number {
  return isProblemCode(code) ? PROBLEMS[code][0] : 500
}
