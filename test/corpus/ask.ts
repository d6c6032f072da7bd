import { isProblemCode, PROBLEMS } from '#kit'
import { type Stack, storeUpload } from '../../ops/bench/stack.ts'
import { readAccount } from '../../sql/account.ts'
import type { NamedOperation } from '../../tasks/index.ts'
import { type Body, filled } from './bodies.ts'
import type { Sample } from './sample.ts'

/** Larger ones go through the object store, as a caller's would. */
const MOST_INLINE_BYTES = 3 * 2 ** 20
const POLL_SECONDS = 20
/** On top of what a run may take: the queue before it, and a machine that has other things to do. */
const GRACE_SECONDS = 40
const RUN_SECONDS = 60

export interface Call {
  operation: NamedOperation
  sample: Sample
  body: Body
}

/** Who asks: one call at a time, so that what it cost can be told from the balance. */
export interface Caller {
  accountId: string
  key: string
}

export interface Reply {
  /** Of the call, or of the job it became; 0 where nothing came in time. */
  status: number
  code?: string
  answer?: Record<string, unknown>
  /** What the answer says it cost, and what the account has paid and still has on hold. */
  saidMicros: bigint
  paidMicros: bigint
  heldMicros: bigint
  ms: number
  detail?: string
  request: Record<string, unknown>
}

interface Heard {
  status: number
  answer?: Record<string, unknown>
  saidMicros: bigint
  detail?: string
}

/** Makes one call and follows it to its end. */
export async function ask(stack: Stack, caller: Caller, call: Call): Promise<Reply> {
  const request = filled(call.body, await contentOf(stack, caller, call))
  const before = await readAccount(stack.db, caller.accountId)
  const begun = performance.now()
  const limitMs = ((call.operation.limitSeconds ?? RUN_SECONDS) + GRACE_SECONDS) * 1000
  const heard = await hear(stack, caller, call.operation.path, request, limitMs)
  const ms = performance.now() - begun
  const after = await readAccount(stack.db, caller.accountId)
  return {
    ...heard,
    code: heard.answer?.code as string | undefined,
    paidMicros: fundsOf(before!) - fundsOf(after!),
    heldMicros: BigInt(after!.heldMicros),
    ms,
    request,
  }
}

/** What is on hold is still the account's, whether or not the balance counts it. */
function fundsOf({ balanceMicros }: { balanceMicros: string }): bigint {
  return BigInt(balanceMicros)
}

async function contentOf(stack: Stack, caller: Caller, { sample, body }: Call): Promise<unknown> {
  const bytes = await sample.bytes()
  if (body.takes === 'text') return Buffer.from(bytes).toString('utf8')
  if (bytes.length <= MOST_INLINE_BYTES) return { inline: Buffer.from(bytes).toString('base64') }
  const type = sample.claims ?? 'application/octet-stream'
  return { inputKey: await storeUpload(stack, caller.accountId, bytes, type) }
}

async function hear(stack: Stack, { key }: Caller, path: string, request: unknown, limitMs: number): Promise<Heard> {
  const deadline = AbortSignal.timeout(limitMs)
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' }
  try {
    const body = JSON.stringify(request)
    const reply = await fetch(stack.baseUrl + path, { method: 'POST', headers, body, signal: deadline })
    const answer = (await reply.json()) as Record<string, unknown>
    if (reply.status === 202) return await followed(stack, headers, answer.ticket as string, deadline)
    return { status: reply.status, answer, saidMicros: BigInt(reply.headers.get('x-service-charged-micros') ?? 0) }
  } catch (error) {
    if (deadline.aborted) return { status: 0, saidMicros: 0n, detail: `no end within ${limitMs / 1000} s` }
    return { status: 0, saidMicros: 0n, detail: `no answer: ${(error as Error).message}` }
  }
}

interface Ticket {
  status: string
  finishedAt?: string | null
  actualMicros?: string
  result?: Record<string, unknown>
  error?: { code: string } & Record<string, unknown>
}

async function followed(
  stack: Stack,
  headers: Record<string, string>,
  id: string,
  signal: AbortSignal,
): Promise<Heard> {
  for (;;) {
    const url = `${stack.baseUrl}/v1/jobs/${id}?wait=${POLL_SECONDS}`
    const job = (await (await fetch(url, { headers, signal })).json()) as Ticket
    if (!job.finishedAt) continue
    const saidMicros = BigInt(job.actualMicros ?? 0)
    if (job.status === 'succeeded') return { status: 200, answer: job.result, saidMicros }
    if (job.status === 'expired' || !job.error) return { status: 0, saidMicros, detail: `the job is ${job.status}` }
    return { status: statusOf(job.error.code), answer: job.error, saidMicros }
  }
}

function statusOf(code: string): number {
  return isProblemCode(code) ? PROBLEMS[code][0] : 500
}
