import { createHmac, timingSafeEqual } from 'node:crypto'
import { Problem } from '#kit'

type Headers = Readonly<Record<string, string | string[] | undefined>>

const TOLERANCE_SECONDS = 300

/** Throws INVALID_WEBHOOK_SIGNATURE unless one of the signatures, in hex, is that of the text under the secret. */
export function requireSigned(
  secret: string,
  text: Buffer | string,
  signatures: readonly string[],
  algorithm: 'sha256' | 'sha512' = 'sha256',
): void {
  const expected = createHmac(algorithm, secret).update(text).digest()
  const isSigned = signatures.some(given => {
    const bytes = Buffer.from(given, 'hex')
    return bytes.length === expected.length && timingSafeEqual(bytes, expected)
  })
  if (!isSigned) throw new Problem('INVALID_WEBHOOK_SIGNATURE')
}

/** Checks `t=...,v1=...` over the time and the body, as Stripe and Persona sign. While a secret is changed there are two of them. */
export function requireTimedSignature(secret: string, body: Buffer, header: string): void {
  const parts = header.split(/[,\s]+/).map(part => part.split('='))
  const time = parts.find(([name]) => name === 't')?.[1] ?? ''
  requireRecent(time)
  const signatures = parts.flatMap(([name, text]) => (name === 'v1' && text ? [text] : []))
  requireSigned(secret, Buffer.concat([Buffer.from(`${time}.`), body]), signatures)
}

/** An old message may have been recorded by somebody and sent again. */
export function requireRecent(seconds: string): void {
  const isRecent = /^\d{1,12}$/.test(seconds) && Math.abs(Date.now() / 1_000 - Number(seconds)) <= TOLERANCE_SECONDS
  if (!isRecent) throw new Problem('INVALID_WEBHOOK_SIGNATURE')
}

export function readHeader(headers: Headers, name: string): string {
  return String(headers[name] ?? '')
}

export function parseMessage(body: Buffer): unknown {
  try {
    return JSON.parse(body.toString())
  } catch {
    throw new Problem('INVALID_WEBHOOK_SIGNATURE')
  }
}
