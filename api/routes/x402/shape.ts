import { createHash, timingSafeEqual } from 'node:crypto'
import type { FastifyRequest } from 'fastify'
import { type Static, Type } from 'typebox'
import { Problem } from '#kit'
import type { Floor } from '../../floor.ts'
import { isPaidFloor, type PaidFloor } from '../../intake/x402/stranger.ts'

const Loose = Type.Record(Type.String(), Type.Unknown())

/** What a facilitator is asked, in the words of the protocol. */
export const Asked = Type.Object({
  x402Version: Type.Optional(Type.Integer()),
  paymentPayload: Loose,
  paymentRequirements: Type.Optional(Loose),
})

/** These doors move money or say who could pay, so only the operator's own token opens them. */
export function requireOperator(floor: Floor, { headers }: FastifyRequest): asserts floor is PaidFloor {
  const token = floor.config.x402?.operatorToken
  if (!isPaidFloor(floor)) throw new Problem('PROVIDER_NOT_CONFIGURED', { capability: 'x402', adapters: [] })
  if (token === undefined) throw new Problem('MODE_DISABLED', { mode: 'x402 facilitator' })
  const given = /^Bearer +(\S+)$/i.exec(headers.authorization ?? '')?.[1] ?? ''
  if (!timingSafeEqual(digest(given), digest(token))) throw new Problem('UNAUTHENTICATED')
}

export function headerOf({ paymentPayload }: Static<typeof Asked>): string {
  return Buffer.from(JSON.stringify(paymentPayload)).toString('base64')
}

/** The word of the protocol in a refusal; anything else goes on as it is. */
export function reasonOf(error: unknown): string {
  if (error instanceof Problem && typeof error.hints.reason === 'string') return error.hints.reason
  throw error
}

/** What is asked for must be there: one that pays less does not satisfy the requirement. */
export function leastOf({ paymentRequirements = {} }: Static<typeof Asked>): bigint {
  const { amount, maxAmountRequired } = paymentRequirements
  const text = String(amount ?? maxAmountRequired ?? '0')
  return /^\d{1,30}$/.test(text) ? BigInt(text) : 0n
}

function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest()
}
