import { Problem } from '#kit'

const VISIBLE = /^[\x21-\x7e]{1,255}$/

/** The key of an `Idempotency-Key` header, with or without the quotes of the structured form. */
export function idempotencyKeyOf(header: string | string[] | undefined): string | undefined {
  if (header === undefined) return undefined
  const text = Array.isArray(header) ? header.join(',') : header
  const key = /^".*"$/.test(text) ? text.slice(1, -1) : text
  if (!VISIBLE.test(key)) throw new Problem('INVALID_IDEMPOTENCY_KEY')
  return key
}
