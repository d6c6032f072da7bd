import { Problem } from '#kit'
import type { ApiContext } from '../../context.ts'
import type { IncomingRequest } from '../../incoming-call.ts'
import { requireTokenRate } from '../../intake/identity/rate-limit.ts'
import { readCookie, setCookie } from '../../intake/identity/session.ts'
import type { AnswerSink } from '../../intake/reply/sink.ts'
import { LINK, SESSION } from './schema.ts'

const COOKIE = 'svc_verify'

/** The hash of the token of a link, unless it, or the address it comes from, is used too often. */
export function readLink(context: ApiContext, { ip }: Pick<IncomingRequest, 'ip'>, text: string): Buffer {
  const token = LINK.hash(context.config.secret, text)
  const perMinute = context.settings.get('rate.verifications_per_minute')
  requireTokenRate(context, { kind: 'verify', ip, perAddress: perMinute, token, perToken: perMinute })
  if (!LINK.hasForm(text)) throw new Problem('NOT_FOUND')
  return token
}

/** The hash by which the browser is known again; undefined before it has begun. */
export function readBrowser({ config }: ApiContext, request: IncomingRequest): Buffer | undefined {
  const word = readCookie(request, COOKIE)
  return word !== undefined && SESSION.hasForm(word) ? SESSION.hash(config.secret, word) : undefined
}

/** The same for a program, which has no cookies. */
export function readProgram(
  { config }: ApiContext,
  { 'x-verify-session': word }: { 'x-verify-session'?: string },
): Buffer | undefined {
  return word !== undefined && SESSION.hasForm(word) ? SESSION.hash(config.secret, word) : undefined
}

/** Marks the browser, so that the link is of no use in another one. */
export function markBrowser(context: ApiContext, request: IncomingRequest, reply: AnswerSink): Buffer {
  const known = readBrowser(context, request)
  if (known) return known
  const value = SESSION.mint()
  setCookie(context.config, reply, { name: COOKIE, value })
  return SESSION.hash(context.config.secret, value)
}
