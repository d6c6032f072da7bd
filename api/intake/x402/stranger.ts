import type { FastifyReply, FastifyRequest } from 'fastify'
import { type AuthMode, formatUsd, type Micros, PRICE_CEILING, PRICE_FLOOR, Problem } from '#kit'
import type { Refusal } from '../../../sql/call.ts'
import type { NamedOperation } from '../../../tasks/index.ts'
import type { Floor } from '../../floor.ts'
import type { Caller } from '../authenticate.ts'
import { type Allowance, addressBucket, rateProblem } from '../rate-limit.ts'
import type { Submission } from '../submit.ts'
import { Funding } from './fund.ts'
import { CHUNK_MICROS, isObject, paymentHeader } from './payload.ts'
import type { Payment, Payments } from './payments.ts'
import { exactHold, NOBODY } from './probe.ts'
import { sayRefusal } from './receipt.ts'
import { REASONS, refused } from './refusal.ts'
import { signedIn } from './sign-in.ts'

export type PaidFloor = Floor & { payments: Payments }

/** Who comes without a key: perhaps with a payment, perhaps with a signed text, perhaps with neither. */
export interface Stranger {
  caller: Caller | undefined
  payment: Payment | undefined
}

export function isPaidFloor(floor: Floor): floor is PaidFloor {
  return floor.payments !== undefined
}

export function carriesPayment({ headers }: FastifyRequest): boolean {
  return headers['payment-signature'] !== undefined || headers['x-payment'] !== undefined
}

/** Payments that hold are counted by wallet; those that do not, like all that is unpaid, by address. */
export async function meet(floor: PaidFloor, request: FastifyRequest, reply: FastifyReply): Promise<Stranger> {
  const header = paymentHeader(request.headers)
  if (header === undefined) return { caller: await callerBySignIn(floor, request), payment: undefined }
  const { limits, settings, payments } = floor
  try {
    const payment = await payments.open(header)
    const { credential } = payment.caller
    sayAllowance(reply, limits.take(`x402:${credential}`, settings.get('rate.key_per_minute')))
    return { caller: payment.caller, payment }
  } catch (error) {
    const allowance = limits.take(addressBucket(request.ip), settings.get('rate.ip_per_minute'))
    if (allowance.isOver) throw rateProblem(allowance)
    throw told(error, reply, payments)
  }
}

/** Who asks at a door that takes no money: a payment that is only looked at, or a text that a wallet has signed. */
export async function strangerAt(
  floor: Floor,
  request: FastifyRequest,
  reply: FastifyReply,
  auth: readonly AuthMode[],
): Promise<Caller | undefined> {
  if (!isPaidFloor(floor)) return undefined
  const isPayer = auth.includes('x402') && carriesPayment(request)
  if (!isPayer && !auth.includes('wallet')) return undefined
  request.caller = isPayer ? (await meet(floor, request, reply)).caller : await callerBySignIn(floor, request)
  return request.caller
}

async function callerBySignIn(floor: PaidFloor, request: FastifyRequest): Promise<Caller | undefined> {
  const header = request.headers['sign-in-with-x']
  return typeof header === 'string' ? signedIn(header, floor.payments, floor.config) : undefined
}

/** Says of a refused payment why, in the header that clients of the protocol read. */
export function told(error: unknown, reply: FastifyReply, { network }: Payments): unknown {
  if (error instanceof Problem && typeof error.hints.reason === 'string') {
    sayRefusal(reply, network, { reason: error.hints.reason, payer: error.hints.payer })
  }
  return error
}

/**
 * Brings an unpriced call of a stranger to its exact price, and a payment to the call. Throws the offer where there is
 * no payment; gives what the books said where a first payment did not go through them.
 */
export async function meetPrice(
  floor: PaidFloor,
  submission: Submission,
  stranger: Stranger,
  request: FastifyRequest,
): Promise<Refusal | undefined> {
  const { payment } = stranger
  submission.hold = await exactHold(floor, submission, request, payment !== undefined)
  if (submission.isDryRun) return undefined
  const { amountMicros } = submission.hold
  if (!stranger.caller) throw offered(submission.operation, amountMicros)
  if (!payment) return undefined
  const least = amountMicros < CHUNK_MICROS ? CHUNK_MICROS : amountMicros
  const { value, from } = payment.signed.authorization
  if (value < least) {
    throw refused(REASONS.value, {
      payer: from,
      amountMicros: amountMicros.toString(),
      leastMicros: least.toString(),
      givenMicros: value.toString(),
    })
  }
  const funding = new Funding(floor, payment, submission.fingerprint!)
  submission.funding = funding
  return funding.prepay({
    id: funding.jobId,
    accountId: submission.caller.accountId,
    serviceKey: submission.operation.name,
    amountMicros,
    idempotency: submission.idempotency,
  })
}

/** An unpaid call owns nothing; to name its price, what its body names by key may be looked at. */
export function nobody(body: unknown): Caller {
  return { accountId: keyOwner(body) ?? NOBODY, credential: 'nobody', mode: 'test', via: 'none' }
}

function keyOwner(value: unknown): string | undefined {
  if (Array.isArray(value)) return firstOf(value)
  if (!isObject(value)) return undefined
  const key = typeof value.inputKey === 'string' ? /^scratch\/([0-9a-f-]{36})\//.exec(value.inputKey) : undefined
  return key?.[1] ?? firstOf(Object.values(value))
}

function firstOf(values: unknown[]): string | undefined {
  for (const value of values) {
    const owner = keyOwner(value)
    if (owner) return owner
  }
  return undefined
}

/** No credentials and no payment: the challenge names the price, or before there is one the least and the most. */
export function offered({ name, price }: NamedOperation, amountMicros?: Micros): Problem {
  return new Problem('PAYMENT_REQUIRED', {
    serviceKey: name,
    unit: price.unit,
    unitMicros: price.rateMicros.toString(),
    ...(amountMicros === undefined
      ? { floorMicros: PRICE_FLOOR.toString() }
      : { amountMicros: amountMicros.toString(), amountUsd: formatUsd(amountMicros) }),
    ceilingMicros: PRICE_CEILING.toString(),
    ceilingUsd: formatUsd(PRICE_CEILING),
    howToPay: 'Sign one of the offers and send it as PAYMENT-SIGNATURE (version 1: X-PAYMENT), or send an API key.',
  })
}

/** The key of a call's answer: its header, or what the payment says; not two different ones. */
export function keyOf(header: string | undefined, { payment }: Stranger): string | undefined {
  const said = payment?.presented.identifier
  if (header !== undefined && said !== undefined && header !== said) {
    throw new Problem('CONFLICTING_OPTIONS', { fields: ['Idempotency-Key', 'payment-identifier'] })
  }
  return header ?? said
}

function sayAllowance(reply: FastifyReply, allowance: Allowance): void {
  const { limit, remaining, resetSeconds, isOver } = allowance
  reply.header('ratelimit-policy', `"default";q=${limit};w=60`)
  reply.header('ratelimit', `"default";r=${remaining};t=${resetSeconds}`)
  if (isOver) throw rateProblem(allowance)
}
