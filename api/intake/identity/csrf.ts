import { timingSafeEqual } from 'node:crypto'
import { Problem } from '#kit'
import type { Config } from '../../../ops/config.ts'
import { hashToken } from '../../../ops/secrets.ts'
import type { IncomingRequest } from '../../incoming-call.ts'

export const CSRF_HEADER = 'x-csrf-token'
export const CSRF_FIELD = 'csrf'

/** The token that our pages put into their forms. It is bound to the session and useless without its cookie. */
export function makeCsrfToken({ secret }: Config, sessionWord: string): string {
  return hashToken(secret, 'csrf', sessionWord).toString('base64url')
}

/** Browsers send the origin of every form and script that changes state; it must be our own. */
export function requireOwnOrigin({ publicUrl }: Config, { headers, protocol }: IncomingRequest): void {
  const { origin, host } = headers
  const own = [new URL(publicUrl).origin, `${protocol}://${host}`]
  if (origin === undefined || !own.includes(origin)) throw new Problem('CSRF_REJECTED', { reason: 'origin' })
}

export function requireCsrf(config: Config, request: IncomingRequest, sessionWord: string, shown: unknown): void {
  requireOwnOrigin(config, request)
  const expected = Buffer.from(makeCsrfToken(config, sessionWord))
  const given = Buffer.from(typeof shown === 'string' ? shown : '')
  if (given.length !== expected.length || !timingSafeEqual(given, expected))
    throw new Problem('CSRF_REJECTED', { reason: 'token' })
}
