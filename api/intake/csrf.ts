import { timingSafeEqual } from 'node:crypto'
import type { FastifyRequest } from 'fastify'
import { Problem } from '#kit'
import type { Config } from '../../ops/config.ts'
import { hashWord } from '../../ops/secrets.ts'

export const CSRF_HEADER = 'x-csrf-token'
export const CSRF_FIELD = 'csrf'

/** What a page of ours puts into its forms: bound to the session, and of no use without its cookie. */
export function csrfToken({ secret }: Config, sessionWord: string): string {
  return hashWord(secret, 'csrf', sessionWord).toString('base64url')
}

/** Every browser says where a form or a script that changes things comes from; it must be a page of ours. */
export function requireOwnOrigin({ publicUrl }: Config, { headers, protocol }: FastifyRequest): void {
  const { origin, host } = headers
  const own = [new URL(publicUrl).origin, `${protocol}://${host}`]
  if (origin === undefined || !own.includes(origin)) throw new Problem('CSRF_REJECTED', { reason: 'origin' })
}

export function requireCsrf(config: Config, request: FastifyRequest, sessionWord: string, shown: unknown): void {
  requireOwnOrigin(config, request)
  const expected = Buffer.from(csrfToken(config, sessionWord))
  const given = Buffer.from(typeof shown === 'string' ? shown : '')
  if (given.length !== expected.length || !timingSafeEqual(given, expected))
    throw new Problem('CSRF_REJECTED', { reason: 'token' })
}
