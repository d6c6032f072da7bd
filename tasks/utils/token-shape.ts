import { Problem, type Warning } from '#kit'

export type JsonObject = Record<string, unknown>

export interface Token {
  kind: 'JWS' | 'JWE'
  header: JsonObject
  /** Null where it is encrypted. */
  payload: JsonObject | null
  signature: string | null
}

/** Takes a token apart. Says nothing of whether it is genuine. */
export function readToken(text: string): Token {
  const parts = bareToken(text).split('.')
  if (parts.length !== 3 && parts.length !== 5) throw new Problem('JWT_MALFORMED', { parts: parts.length })
  const header = readJson(parts[0]!, 'header')
  if (parts.length === 5) {
    for (const [index, part] of parts.entries()) readBytes(part, JWE_PARTS[index]!)
    return { kind: 'JWE', header, payload: null, signature: null }
  }
  readBytes(parts[2]!, 'signature')
  return { kind: 'JWS', header, payload: readJson(parts[1]!, 'payload'), signature: parts[2]! }
}

const JWE_PARTS = ['header', 'encryptedKey', 'iv', 'ciphertext', 'tag'] as const

export function bareToken(text: string): string {
  return text
    .trim()
    .replace(/^bearer /i, '')
    .trim()
}

function readBytes(part: string, name: string): Buffer {
  const bytes = Buffer.from(part, 'base64url')
  if (bytes.toString('base64url') !== part) throw new Problem('JWT_MALFORMED', { part: name, reason: 'not base64url' })
  return bytes
}

const utf8 = new TextDecoder('utf-8', { fatal: true })

function readJson(part: string, name: string): JsonObject {
  const bytes = readBytes(part, name)
  try {
    const value: unknown = JSON.parse(utf8.decode(bytes))
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as JsonObject
  } catch {
    throw new Problem('JWT_MALFORMED', { part: name, reason: 'not JSON' })
  }
  throw new Problem('JWT_MALFORMED', { part: name, reason: 'not an object' })
}

const LAST_DATE_SEC = 8_640_000_000_000

/** A numeric date as ISO 8601; null where it is no date. */
export function dateOf(seconds: unknown): string | null {
  if (typeof seconds !== 'number' || Math.abs(seconds) > LAST_DATE_SEC) return null
  return new Date(seconds * 1000).toISOString()
}

/** What a reader of the token should know before trusting it. */
export function warningsOf({ header, payload, signature }: Token, nowMs: number): Warning[] {
  const warnings: Warning[] = []
  const warn = (code: string, message: string) => warnings.push({ code, message })
  if (header.alg === 'none' || signature === '')
    warn('UNSIGNED', 'The token carries no signature; anybody can write it.')
  if (header.crit !== undefined) warn('CRITICAL_EXTENSION', 'The header names extensions a reader must understand.')
  if (!payload) return warnings
  for (const claim of ['exp', 'nbf', 'iat'] as const) {
    if (payload[claim] !== undefined && dateOf(payload[claim]) === null)
      warn('DATE_INVALID', `${claim} is not a numeric date.`)
  }
  if (payload.exp === undefined) warn('NO_EXPIRY', 'The token never expires.')
  if (isAfter(payload.nbf, nowMs)) warn('NOT_YET_VALID', 'The token is not valid yet.')
  if (isAfter(payload.iat, nowMs)) warn('ISSUED_IN_FUTURE', 'The token says it was issued in the future.')
  return warnings
}

function isAfter(seconds: unknown, nowMs: number): boolean {
  return typeof seconds === 'number' && seconds * 1000 > nowMs
}
