import { createHash, timingSafeEqual } from 'node:crypto'
import { type Static, Type } from 'typebox'
import { Problem } from '#kit'
import type { ApiContext } from '../../context.ts'
import { type PaidContext, takesPayments } from '../../context.ts'
import type { IncomingRequest } from '../../incoming-call.ts'

const AnyObject = Type.Record(Type.String(), Type.Unknown())

/** The body of a facilitator call, as the x402 protocol defines it. */
export const PaymentToCheck = Type.Object({
  x402Version: Type.Optional(Type.Integer()),
  paymentPayload: AnyObject,
  paymentRequirements: Type.Optional(AnyObject),
})

/** What an operator sets, so that payments are taken. */
export const NO_PAYMENTS = { capability: 'x402', adapters: [], set: 'X402_NETWORK, X402_PAY_TO' }

/** These routes move money or tell who could pay, so they are only for the operator's own token. */
export function requireOperator(context: ApiContext, { headers }: IncomingRequest): asserts context is PaidContext {
  const token = context.config.x402?.operatorToken
  if (!takesPayments(context)) throw new Problem('PROVIDER_NOT_CONFIGURED', NO_PAYMENTS)
  if (token === undefined) throw new Problem('MODE_DISABLED', { mode: 'x402 facilitator' })
  const givenToken = /^Bearer +(\S+)$/i.exec(headers.authorization ?? '')?.[1] ?? ''
  if (!timingSafeEqual(digest(givenToken), digest(token))) throw new Problem('UNAUTHENTICATED')
}

export function encodePayload({ paymentPayload }: Static<typeof PaymentToCheck>): string {
  return Buffer.from(JSON.stringify(paymentPayload)).toString('base64')
}

/** The protocol's reason in a refusal; any other error is thrown again. */
export function readReason(error: unknown): string {
  if (error instanceof Problem && typeof error.hints.reason === 'string') return error.hints.reason
  throw error
}

/** The amount that a payment must reach to satisfy the requirement. */
export function readMinAmount({ paymentRequirements = {} }: Static<typeof PaymentToCheck>): bigint {
  const { amount, maxAmountRequired } = paymentRequirements
  const text = String(amount ?? maxAmountRequired ?? '0')
  return /^\d{1,30}$/.test(text) ? BigInt(text) : 0n
}

function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest()
}
