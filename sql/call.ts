import type { Hints } from '#kit'

export type JobStatus = 'submitted' | 'running' | 'succeeded' | 'failed' | 'expired'

/** One call to record: the money it needs and, if it is queued, what the worker gets. */
export interface Call {
  id: string
  accountId: string
  serviceKey: string
  lane: string
  amountMicros: bigint
  /** The most that it can be charged, if its hold may be raised. Left out: what is held. */
  ceilingMicros?: bigint
  isAsync?: boolean
  /** Time until it must have ended, waiting included; only for queued calls. */
  seconds?: number
  idempotency?: { key: string; fingerprint: Buffer }
  /** The API key it came with, whose spending is counted. */
  keyHash?: Buffer
  /** What its receipt says besides. */
  proof?: CallProof
  /** Where its trace goes on, for the webhook that tells of its end. */
  traceparent?: string
  /** JSON text: the worker's payload, or the result of an instant run. */
  payload: string
}

/** What is known of a call when it is booked, and in no other place. */
export interface CallProof {
  /** The SHA-256 of the request; the fingerprint of its idempotency key, if it has one, is the same. */
  requestHash?: Buffer
  /** Micros and what they are for, such as `1000 page`. */
  rate?: string
  inputs?: readonly InputProof[]
}

/** A file that a call was given. */
export interface InputProof {
  field: string
  size: number
  sha256: string | null
}

/** Why a call was refused. */
export type Refusal =
  | { kind: 'short'; balanceMicros: bigint }
  | { kind: 'suspended' }
  | { kind: 'limit'; hints: Hints }
  | { kind: 'conflict' }
  | { kind: 'in_flight'; jobId: string }
  | { kind: 'replay'; jobId: string; status: JobStatus; result: unknown; chargedMicros: bigint }

/** The authorization that a call came with, as the ledger needs it. */
export interface CallPayment {
  chainId: number
  asset: string
  symbol: string
  payer: string
  nonce: string
  valueMicros: bigint
  /** Seconds of the epoch. */
  validBefore: bigint
  /** Identifies the request: an authorization pays for one request, once. */
  fingerprint: Buffer
  /** If the authorization may open a chunk: the chunk's id and the sealed authorization. */
  chunk?: { id: string; sealed: string }
  /** If the claimed authorization has arrived. */
  txHash?: string
}

export interface PaidCall extends Call {
  payment: CallPayment
}

/** The answer to a call that came with a payment. */
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

export function parseRefusal([, verdict, first, status, result, charged]: Verdict): Refusal {
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
      throw new Error(`the intake functions answered with an unknown verdict: ${verdict}`)
  }
}

/** What Postgres cannot decode in a JSON string: NUL and surrogates, because they may be unpaired. */
const UNDECODABLE = /\\u(?:0000|d[89a-f])/

/**
 * Writes a field of a batch whose value is JSON text already. Postgres decodes every string of a batch, and one that it
 * cannot decode would fail the whole batch. A value with such a string is sent as one escaped text instead.
 */
export function toRawField(name: string, json: string): string {
  return UNDECODABLE.test(json) ? `"shut_${name}":${JSON.stringify(json)}` : `"${name}":${json}`
}

export function serializeCall(call: Call & Partial<Pick<PaidCall, 'payment'>>): string {
  const head = JSON.stringify({
    id: call.id,
    acct: call.accountId,
    svc: call.serviceKey,
    lane: call.lane,
    amt: call.amountMicros.toString(),
    ceil: isRaisable(call) ? call.ceilingMicros?.toString() : undefined,
    async: call.isAsync,
    secs: call.seconds,
    key: call.idempotency?.key,
    fp: (call.idempotency?.fingerprint ?? call.proof?.requestHash)?.toString('hex'),
    kh: call.keyHash?.toString('hex'),
    rate: call.proof?.rate,
    ins: call.proof?.inputs,
    tp: call.traceparent,
    pay: call.payment && toPaymentFields(call.payment),
  })
  return `${head.slice(0, -1)},${toRawField('payload', call.payload)}}`
}

function isRaisable({ ceilingMicros, amountMicros }: Call): boolean {
  return ceilingMicros !== undefined && ceilingMicros > amountMicros
}

/** The fields that a payment adds to its call. */
export function toPaymentFields({ fingerprint, ...payment }: CallPayment): object {
  return {
    chain: payment.chainId,
    asset: payment.asset,
    sym: payment.symbol,
    payer: payment.payer,
    nonce: payment.nonce,
    value: payment.valueMicros.toString(),
    before: toIsoTime(payment.validBefore),
    fp: fingerprint.toString('hex'),
    chunk: payment.chunk,
    tx: payment.txHash,
  }
}

const MAX_EPOCH_SECONDS = 253_402_300_799n

function toIsoTime(seconds: bigint): string {
  return new Date(Number(seconds > MAX_EPOCH_SECONDS ? MAX_EPOCH_SECONDS : seconds) * 1_000).toISOString()
}

export function parsePaidAnswer(verdict: Verdict): PaidAnswer {
  const [, word, first, left, tx] = verdict
  if (word === 'paid') {
    return { kind: word, chunkId: first ?? undefined, leftMicros: BigInt(left!), txHash: (tx as string) ?? undefined }
  }
  return word === 'unfunded' || word === 'used' ? { kind: word } : parseRefusal(verdict)
}

/** The job of a priced call, for the function that does its work and ends it in one transaction. */
export interface PayingJob {
  id: string
  accountId: string
  startedAt: Date
  chargeMicros: bigint
}

export function serializeJob({ id, accountId, startedAt, chargeMicros }: PayingJob): string {
  return JSON.stringify({ id, account: accountId, started: startedAt, charge: chargeMicros.toString() })
}
