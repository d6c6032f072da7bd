import { parseCookie, stringifySetCookie } from 'cookie'
import { ID_PREFIX, Problem } from '#kit'
import type { Config } from '../../../ops/config.ts'
import { isLoopback } from '../../../ops/loopback.ts'
import { defineTokens } from '../../../ops/tokens.ts'
import { closeSession, findSession, type SignedIn, startSession, startView } from '../../../sql/session.ts'
import type { ApiContext } from '../../context.ts'
import type { IncomingRequest } from '../../incoming-call.ts'
import type { AnswerSink } from '../reply/sink.ts'
import type { Caller } from './caller.ts'

const SESSION_COOKIE = `${ID_PREFIX}_session`
const TOKENS = defineTokens('', 'session')

/** A signed-in browser: its account, and the token in its cookie. */
export interface Session {
  caller: Caller
  token: string
  /** The operator who sees the pages of the account, and can change nothing. */
  operator?: string
}

/** The session that a request's cookie belongs to; undefined without a valid one. */
export async function readSession({ db, config }: ApiContext, request: IncomingRequest): Promise<Session | undefined> {
  const word = readCookie(request, SESSION_COOKIE)
  if (word === undefined || !TOKENS.hasForm(word)) return undefined
  const owner = await findSession(db, hashOf(config, word))
  if (!owner) return undefined
  const { accountId, isTest, operator } = owner
  if (owner.isSuspended && operator === undefined) throw new Problem('ACCOUNT_SUSPENDED')
  const mode = isTest ? 'test' : 'live'
  const caller: Caller = { accountId, credential: `session:${accountId}`, mode, via: 'session' }
  return { token: word, caller, ...(operator !== undefined && { operator }) }
}

/** An operator who sees the pages of an account may only look. */
export function requireOwnSession({ operator }: Session): void {
  if (operator !== undefined)
    throw new Problem('FORBIDDEN', {
      reason: `You see the pages of this account as ${operator}; nothing can be changed.`,
    })
}

const RETURN_COOKIE = `${ID_PREFIX}_return`
const RETURN_SECONDS = 900
/** Browsers drop longer cookies. */
const MAX_RETURN_CHARS = 3_000
/** Only pages of ours that change nothing by being opened are returned to, so that no link can lead elsewhere. */
const RETURN_PATH = /^\/(?:oauth\/authorize\?[!-~]+|(?:dashboard|contracts)\/[!-~]+)$/

/** Lets the next sign-in of this browser lead back to `path`; false if that is too long to be kept. */
export function returnAfterSignIn({ config }: ApiContext, reply: AnswerSink, path: string): boolean {
  if (path.length > MAX_RETURN_CHARS || !RETURN_PATH.test(path)) return false
  setCookie(config, reply, { name: RETURN_COOKIE, value: path, maxAgeSeconds: RETURN_SECONDS })
  return true
}

/** Where the browser was sent to sign in from, once. */
function takeReturnPath({ config }: ApiContext, request: IncomingRequest, reply: AnswerSink): string | undefined {
  const path = readCookie(request, RETURN_COOKIE)
  if (path === undefined) return undefined
  setCookie(config, reply, { name: RETURN_COOKIE, value: '', maxAgeSeconds: 0 })
  return RETURN_PATH.test(path) ? path : undefined
}

/**
 * Every sign-in gets a new token, so that a token planted beforehand (session fixation) is worthless. Returns where to go: back
 * to the page that needed the sign-in, or to the dashboard, which greets those who were there before.
 */
export async function beginSession(
  context: ApiContext,
  request: IncomingRequest,
  reply: AnswerSink,
  signedIn: SignedIn,
): Promise<string> {
  const { db, config } = context
  const word = TOKENS.mint()
  const former = readCookie(request, SESSION_COOKIE)
  const formerHash = former === undefined ? undefined : hashOf(config, former)
  const wasHere = await startSession(db, hashOf(config, word), signedIn, formerHash)
  setCookie(config, reply, { name: SESSION_COOKIE, value: word })
  return takeReturnPath(context, request, reply) ?? `/dashboard?signed-in=${wasHere ? 'again' : 'first'}`
}

/** Shows an operator the pages of an account; undefined if the link was used before or has expired. */
export async function beginView(
  { db, config }: ApiContext,
  link: Buffer,
  reply: AnswerSink,
): Promise<string | undefined> {
  const word = TOKENS.mint()
  if (!(await startView(db, link, hashOf(config, word)))) return undefined
  setCookie(config, reply, { name: SESSION_COOKIE, value: word })
  return '/dashboard'
}

export async function endSession({ db, config }: ApiContext, word: string, reply: AnswerSink): Promise<void> {
  await closeSession(db, hashOf(config, word))
  setCookie(config, reply, { name: SESSION_COOKIE, value: '', maxAgeSeconds: 0 })
}

export function readCookie(request: IncomingRequest, name: string): string | undefined {
  return parseCookie(request.headers.cookie ?? '')[name]
}

/** Without an age the cookie ends with the browser; the session itself ends after twelve idle hours. */
export function setCookie(
  { publicUrl }: Config,
  reply: AnswerSink,
  { name, value, maxAgeSeconds: maxAge }: { name: string; value: string; maxAgeSeconds?: number },
): void {
  const secure = !isLoopback(publicUrl)
  const cookie = stringifySetCookie({ name, value, maxAge, path: '/', httpOnly: true, sameSite: 'lax', secure })
  const others = [reply.getHeader('set-cookie') ?? []].flat().map(String)
  reply.header('set-cookie', [...others.filter(other => !other.startsWith(`${name}=`)), cookie])
}

/** Under what a session is stored. */
export function hashOfSession(config: Config, { token }: Session): Buffer {
  return hashOf(config, token)
}

function hashOf({ secret }: Config, word: string): Buffer {
  return TOKENS.hash(secret, word)
}
