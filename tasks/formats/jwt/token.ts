import { Problem, type Warning } from '#kit'
import { isNestedDeeper, MAX_JSON_DEPTH } from '../json/depth.ts'
import { losesDigits } from '../json/numbers.ts'

type JsonObject = Record<string, unknown>

interface Token {
  kind: 'JWS' | 'JWE'
  header: JsonObject
  /** Null if it is encrypted. */
  payload: JsonObject | null
  signature: string | null
  /** Whether it has numbers with more digits than a double holds. */
  isRounded: boolean
}

/** Parses a token without verifying it. */
export function readToken(text: string): Token {
  const parts = stripBearer(text).split('.')
  if (parts.length !== 3 && parts.length !== 5) throw new Problem('JWT_MALFORMED', { parts: parts.length })
  const { value: header, isRounded } = readJson(parts[0]!, 'header')
  if (parts.length === 5) {
    for (const [index, part] of parts.entries()) readBytes(part, JWE_PARTS[index]!)
    return { kind: 'JWE', header, payload: null, signature: null, isRounded }
  }
  readBytes(parts[2]!, 'signature')
  const payload = readJson(parts[1]!, 'payload')
  return {
    ...{ kind: 'JWS', header, payload: payload.value, signature: parts[2]! },
    isRounded: isRounded || payload.isRounded,
  }
}

const JWE_PARTS = ['header', 'encryptedKey', 'iv', 'ciphertext', 'tag'] as const

export function stripBearer(text: string): string {
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

function readJson(part: string, name: string): { value: JsonObject; isRounded: boolean } {
  const bytes = readBytes(part, name)
  if (isNestedDeeper(bytes))
    throw new Problem('JWT_MALFORMED', { part: name, reason: `nested deeper than ${MAX_JSON_DEPTH}` })
  try {
    const text = utf8.decode(bytes)
    const value: unknown = JSON.parse(text)
    if (typeof value === 'object' && value !== null && !Array.isArray(value))
      return { value: value as JsonObject, isRounded: losesDigits(text) }
  } catch {
    throw new Problem('JWT_MALFORMED', { part: name, reason: 'not JSON' })
  }
  throw new Problem('JWT_MALFORMED', { part: name, reason: 'not an object' })
}

const MAX_DATE_SEC = 8_640_000_000_000

/** A numeric date as ISO 8601; null if it is not a valid date. */
export function toIsoDate(seconds: unknown): string | null {
  if (typeof seconds !== 'number' || Math.abs(seconds) > MAX_DATE_SEC) return null
  return new Date(seconds * 1000).toISOString()
}

/** Of what is shown of a token with `isRounded`. */
export const ROUNDED: Warning = {
  code: 'NUMBER_ROUNDED',
  message: 'Numbers with more digits than a double holds are rounded here.',
}

/** Warnings about a token that has not been verified. */
export function listWarnings({ header, payload, signature, isRounded }: Token, nowMs: number): Warning[] {
  const warnings: Warning[] = []
  const warn = (code: string, message: string) => warnings.push({ code, message })
  if (header.alg === 'none' || signature === '')
    warn('UNSIGNED', 'The token has no signature; anyone could have written it.')
  if (header.crit !== undefined)
    warn('CRITICAL_EXTENSION', 'The header names extensions that a verifier must understand.')
  if (isRounded) warnings.push(ROUNDED)
  if (!payload) return warnings
  for (const claim of ['exp', 'nbf', 'iat'] as const) {
    if (payload[claim] !== undefined && toIsoDate(payload[claim]) === null)
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
