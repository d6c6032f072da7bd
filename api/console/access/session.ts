import { timingSafeEqual } from 'node:crypto'
import { parseCookie, stringifySetCookie } from 'cookie'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { Problem } from '#kit'
import { isLoopback } from '../../../ops/loopback.ts'
import { hashToken } from '../../../ops/secrets.ts'
import { defineTokens } from '../../../ops/tokens.ts'
import {
  closeOperatorSession,
  findOperatorSession,
  type Operator,
  startOperatorSession,
} from '../../../sql/operator.ts'
import type { ConsoleContext } from '../context.ts'

const COOKIE = 'svc_admin_session'
const TOKENS = defineTokens('', 'operator session')
export const CSRF_FIELD = 'csrf'
/** A random word in each form, so that one that is sent twice is known. */
export const FORM_FIELD = 'form'

/** A signed-in operator, with the hash by which the database knows the session. */
export interface OperatorSession {
  operator: Operator
  hash: Buffer
  csrf: string
}

export async function readOperatorSession(
  { db, config }: ConsoleContext,
  request: FastifyRequest,
): Promise<OperatorSession | undefined> {
  const word = parseCookie(request.headers.cookie ?? '')[COOKIE]
  if (word === undefined || !TOKENS.hasForm(word)) return undefined
  const hash = TOKENS.hash(config.secret, word)
  const operator = await findOperatorSession(db, hash)
  const csrf = hashToken(config.secret, 'operator csrf', word).toString('base64url')
  return operator && { operator, hash, csrf }
}

/** Each sign-in gets a token of its own. */
export async function beginOperatorSession(
  { db, config }: ConsoleContext,
  reply: FastifyReply,
  operatorId: string,
): Promise<void> {
  const word = TOKENS.mint()
  await startOperatorSession(db, TOKENS.hash(config.secret, word), operatorId)
  setCookie(config.console.url, reply, word)
}

export async function endOperatorSession(
  { db, config }: ConsoleContext,
  session: OperatorSession,
  reply: FastifyReply,
): Promise<void> {
  await closeOperatorSession(db, session.hash)
  setCookie(config.console.url, reply, '', 0)
}

function setCookie(url: string, reply: FastifyReply, value: string, maxAge?: number): void {
  const secure = !isLoopback(url)
  reply.header(
    'set-cookie',
    stringifySetCookie({ name: COOKIE, value, maxAge, path: '/', httpOnly: true, sameSite: 'strict', secure }),
  )
}

/** Whatever changes something must come from a page of the console itself. */
export function requireConsoleOrigin({ config }: ConsoleContext, { headers }: FastifyRequest): void {
  const { origin, host } = headers
  const { url } = config.console
  const own = [new URL(url).origin, `${new URL(url).protocol}//${host}`]
  if (origin === undefined || !own.includes(origin)) throw new Problem('CSRF_REJECTED', { reason: 'origin' })
}

export function requireFormToken({ csrf }: OperatorSession, shown: string | null): void {
  const [expected, given] = [Buffer.from(csrf), Buffer.from(shown ?? '')]
  if (given.length !== expected.length || !timingSafeEqual(given, expected))
    throw new Problem('CSRF_REJECTED', { reason: 'token' })
}
