import type { Hints } from '#kit'

export type JobStatus = 'submitted' | 'running' | 'succeeded' | 'failed' | 'expired'

/** One call as it enters: the money it needs and, where it is queued, what the worker gets. */
export interface Call {
  id: string
  accountId: string
  serviceKey: string
  lane: string
  amountMicros: bigint
  isAsync?: boolean
  /** Time until it must be over, waiting included; only for what is queued. */
  seconds?: number
  idempotency?: { key: string; fingerprint: Buffer }
  /** The key it came with, where that may spend only so much. */
  keyHash?: Buffer
  /** JSON text: the worker's payload, or the result of an instant run. */
  payload: string
}

/** Why a call was not taken. */
export type Refusal =
  | { kind: 'short'; balanceMicros: bigint }
  | { kind: 'suspended' }
  | { kind: 'limit'; hints: Hints }
  | { kind: 'conflict' }
  | { kind: 'in_flight'; jobId: string }
  | { kind: 'replay'; jobId: string; status: JobStatus; result: unknown; chargedMicros: bigint }

/** The authorization a call came with, as the books need it. */
export interface CallPayment {
  chainId: number
  asset: string
  symbol: string
  payer: string
  nonce: string
  valueMicros: bigint
  /** Seconds of the epoch. */
  validBefore: bigint
  /** Which request this is: the same authorization pays the same request once, and no other. */
  fingerprint: Buffer
  /** Given when the authorization may open a chunk: the chunk's id and the sealed authorization. */
  chunk?: { id: string; sealed: string }
  /** Given when the claimed authorization has arrived. */
  txHash?: string
}

export interface PaidCall extends Call {
  payment: CallPayment
}

/** What the books said of a call that came with a payment. */
export type PaidAnswer =
  | { kind: 'paid'; chunkId: string | undefined; leftMicros: bigint; txHash: string | undefined }
  | { kind: 'unfunded' }
  | { kind: 'used' }
  | Refusal

export type Verdict = [
  ord: number,
  verdict: string,
  first?: string,
  status?: JobStatus,
  result?: unknown,
  charged?: string,
]

export function refusalOf([, verdict, first, status, result, charged]: Verdict): Refusal {
  switch (verdict) {
    case 'short':
      return { kind: 'short', balanceMicros: BigInt(first!) }
    case 'suspended':
    case 'conflict':
      return { kind: verdict }
    case 'in_flight':
      return { kind: verdict, jobId: first! }
    case 'limit':
      return { kind: verdict, hints: first as unknown as Hints }
    case 'replay':
      return { kind: verdict, jobId: first!, status: status!, result, chargedMicros: BigInt(charged ?? 0) }
    default:
      throw new Error(`the intake answered ${verdict}`)
  }
}

/** What Postgres cannot open as a text: NUL, and halves of letters that are written in two. */
const UNOPENABLE = /\\u(?:0000|d[89a-f])/

/**
 * A field of a batch whose value is JSON already and goes in as it is. Postgres opens every string of a batch on the
 * way, so where one cannot be opened, the whole value travels shut, as one text; else it would fail its whole batch.
 */
export function jsonField(name: string, json: string): string {
  return UNOPENABLE.test(json) ? `"shut_${name}":${JSON.stringify(json)}` : `"${name}":${json}`
}

export function callJson(call: Call & Partial<Pick<PaidCall, 'payment'>>): string {
  const head = JSON.stringify({
    id: call.id,
    acct: call.accountId,
    svc: call.serviceKey,
    lane: call.lane,
    amt: call.amountMicros.toString(),
    async: call.isAsync,
    secs: call.seconds,
    key: call.idempotency?.key,
    fp: call.idempotency?.fingerprint.toString('hex'),
    kh: call.keyHash?.toString('hex'),
    pay: call.payment && paymentJson(call.payment),
  })
  return `${head.slice(0, -1)},${jsonField('payload', call.payload)}}`
}

/** The field that a payment adds to its call. */
export function paymentJson({ fingerprint, ...payment }: CallPayment): object {
  return {
    chain: payment.chainId,
    asset: payment.asset,
    sym: payment.symbol,
    payer: payment.payer,
    nonce: payment.nonce,
    value: payment.valueMicros.toString(),
    before: dateOf(payment.validBefore),
    fp: fingerprint.toString('hex'),
    chunk: payment.chunk,
    tx: payment.txHash,
  }
}

const LAST_SECOND = 253_402_300_799n

function dateOf(seconds: bigint): string {
  return new Date(Number(seconds > LAST_SECOND ? LAST_SECOND : seconds) * 1_000).toISOString()
}

export function paidAnswerOf(verdict: Verdict): PaidAnswer {
  const [, word, first, left, tx] = verdict
  if (word === 'paid') {
    return { kind: word, chunkId: first ?? undefined, leftMicros: BigInt(left!), txHash: (tx as string) ?? undefined }
  }
  return word === 'unfunded' || word === 'used' ? { kind: word } : refusalOf(verdict)
}
