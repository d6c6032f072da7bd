import { createHmac, timingSafeEqual } from 'node:crypto'
import { deriveKey } from '../../../ops/secrets.ts'

/** Codes of authenticator apps: RFC 6238 with what all of them support. */
const [STEP_SECONDS, DIGITS, SECRET_BYTES] = [30, 6, 20]
/** The clock of a phone may be off by one step. */
const DRIFT_STEPS = 1
const BASE32 = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'

/** The secret that a link offers. It follows from the link, so that the form that confirms it need not carry it. */
export function deriveTotpSecret(secret: string, link: string): Buffer {
  return createHmac('sha256', deriveKey(secret, 'operator totp')).update(link).digest().subarray(0, SECRET_BYTES)
}

export function computeTotp(secret: Buffer, step: number): string {
  const counter = Buffer.alloc(8)
  counter.writeBigUInt64BE(BigInt(step))
  const hash = createHmac('sha1', secret).update(counter).digest()
  const binary = hash.readUInt32BE(hash.at(-1)! & 0x0f) & 0x7fff_ffff
  return String(binary % 10 ** DIGITS).padStart(DIGITS, '0')
}

/** The step of time to which a code belongs; undefined if it belongs to none of now. */
export function findTotpStep(secret: Buffer, code: string, nowMs: number = Date.now()): number | undefined {
  const given = Buffer.from(code.replaceAll(/\s/g, ''))
  const current = Math.floor(nowMs / 1_000 / STEP_SECONDS)
  for (let step = current - DRIFT_STEPS; step <= current + DRIFT_STEPS; step++) {
    const expected = Buffer.from(computeTotp(secret, step))
    if (given.length === expected.length && timingSafeEqual(given, expected)) return step
  }
  return undefined
}

/** What an authenticator app reads from a QR code. */
export function formatTotpUri(secret: Buffer, operator: string, issuer: string): string {
  const query = new URLSearchParams({
    secret: toBase32(secret),
    issuer,
    digits: String(DIGITS),
    period: String(STEP_SECONDS),
  })
  return `otpauth://totp/${encodeURIComponent(`${issuer}:${operator}`)}?${query}`
}

function toBase32(bytes: Buffer): string {
  let [text, value, bits] = ['', 0, 0]
  for (const byte of bytes) {
    value = (value << 8) | byte
    bits += 8
    while (bits >= 5) {
      bits -= 5
      text += BASE32[(value >> bits) & 31]
    }
    value &= (1 << bits) - 1
  }
  return bits > 0 ? text + BASE32[(value << (5 - bits)) & 31] : text
}
