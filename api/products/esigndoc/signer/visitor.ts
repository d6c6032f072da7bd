import { Problem } from '#kit'
import { hashLink, hasLinkForm } from '../../../../ops/products/esigndoc/links.ts'
import { defineTokens } from '../../../../ops/tokens.ts'
import type { Origin, Signer } from '../../../../sql/esigndoc/signing.ts'
import type { ApiContext } from '../../../context.ts'
import type { IncomingRequest } from '../../../incoming-call.ts'
import { requireTokenRate } from '../../../intake/identity/rate-limit.ts'
import { readCookie, setCookie } from '../../../intake/identity/session.ts'
import type { AnswerSink } from '../../../intake/reply/sink.ts'

const COOKIE = 'svc_signing'
/** By which a program that signs for a person is known again, in place of a cookie. */
const SESSION_HEADER = 'x-signing-session'

const SESSION = defineTokens('sgs_', 'envelope-session')
const MAX_AGENT = 500

/** Who acts with a link, unless it, or the address it comes from, is used too often. */
export function readSigner(context: ApiContext, request: IncomingRequest, text: string): Signer {
  const token = hashLink(context.config.secret, text)
  const perMinute = context.settings.get('rate.signing_calls_per_minute')
  requireTokenRate(context, { kind: 'sign', ip: request.ip, perAddress: perMinute, token, perToken: perMinute })
  if (!hasLinkForm(text)) throw new Problem('NOT_FOUND')
  return { token, session: readSession(context, request) }
}

function readSession({ config }: ApiContext, request: IncomingRequest): Buffer | undefined {
  const given = request.headers[SESSION_HEADER]
  const word = typeof given === 'string' ? given : readCookie(request, COOKIE)
  return word !== undefined && SESSION.hasForm(word) ? SESSION.hash(config.secret, word) : undefined
}

/** Marks the browser, so that it is known again. The mark is returned once, for programs that keep no cookies. */
export function markBrowser(
  context: ApiContext,
  request: IncomingRequest,
  reply: AnswerSink,
): { session: Buffer; mark: string | undefined } {
  const known = readSession(context, request)
  if (known) return { session: known, mark: undefined }
  const mark = SESSION.mint()
  setCookie(context.config, reply, { name: COOKIE, value: mark })
  return { session: SESSION.hash(context.config.secret, mark), mark }
}

/** Where a call comes from, as the certificate will say it. */
export function readOrigin({ ip, headers }: IncomingRequest): Origin {
  const agent = (headers['user-agent'] ?? '').replaceAll(/[^\x20-\x7e]/g, '?').slice(0, MAX_AGENT)
  return { ip, userAgent: agent }
}
