import { randomBytes, timingSafeEqual } from 'node:crypto'
import { hashToken } from '../../../ops/secrets.ts'
import { isObject } from '../../intake/x402/payments.ts'
import type { Fields } from '../message.ts'

/**
 * A client that began with `initialize`. Its id holds all that is known of it, signed, so that any process can read it and
 * nothing is stored.
 */
export interface Session {
  id: string
  /** Whether its user can be asked. */
  hasForms: boolean
}

export const SESSION_HEADER = 'mcp-session-id'
const FORMS = 'f'

/** The id of a new session of a client with these capabilities. */
export function openSession(secret: string, capabilities: unknown): string {
  const facts = `${randomBytes(16).toString('base64url')}.${canShowForms(capabilities) ? FORMS : ''}`
  return `${facts}.${sign(secret, facts)}`
}

/** Undefined for an id that is none of ours: the client is then served as one without a session. */
export function readSession(secret: string, headers: Fields): Session | undefined {
  const id = headers[SESSION_HEADER]
  const parts = typeof id === 'string' ? id.split('.') : []
  if (parts.length !== 3) return undefined
  const [nonce, flags, signature] = parts as [string, string, string]
  const [given, expected] = [signature, sign(secret, `${nonce}.${flags}`)].map(text => Buffer.from(text))
  if (given!.length !== expected!.length || !timingSafeEqual(given!, expected!)) return undefined
  return { id: nonce, hasForms: flags === FORMS }
}

/** Without modes a client means forms. */
export function canShowForms(capabilities: unknown): boolean {
  const { elicitation } = isObject(capabilities) ? capabilities : {}
  return isObject(elicitation) && (isObject(elicitation.form) || Object.keys(elicitation).length === 0)
}

function sign(secret: string, facts: string): string {
  return hashToken(secret, 'mcp-session', facts).toString('base64url').slice(0, 22)
}
