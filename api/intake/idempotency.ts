import { Problem } from '#kit'
import type { Payment } from './x402/payments.ts'

const VISIBLE = /^[\x21-\x7e]{1,255}$/

/** The idempotency key: from the header or from the payment, and if both, the same. */
export function readIdempotencyKey(
  header: string | string[] | undefined,
  payment: Payment | undefined,
): string | undefined {
  const key = keyInHeader(header)
  const identifier = payment?.payload.identifier
  if (key !== undefined && identifier !== undefined && key !== identifier) {
    throw new Problem('CONFLICTING_OPTIONS', { fields: ['Idempotency-Key', 'payment-identifier'] })
  }
  return key ?? identifier
}

/** Accepts the value with or without the quotes of a structured header. */
function keyInHeader(header: string | string[] | undefined): string | undefined {
  if (header === undefined) return undefined
  const text = Array.isArray(header) ? header.join(',') : header
  const key = /^".*"$/.test(text) ? text.slice(1, -1) : text
  if (!VISIBLE.test(key)) throw new Problem('INVALID_IDEMPOTENCY_KEY')
  return key
}
