import type { IncomingHttpHeaders } from 'node:http'
import type { FastifyRequest } from 'fastify'
import { type AuthMode, Problem } from '#kit'
import type { ApiContext } from '../../context.ts'
import type { Identity, IncomingCall, IncomingRequest } from '../../incoming-call.ts'
import { requireScope } from '../../oauth/scopes.ts'
import type { AnswerSink } from '../reply/sink.ts'
import type { Payments } from '../x402/payments.ts'
import { callerBySignedMessage } from '../x402/sign-in.ts'
import type { Caller } from './caller.ts'
import { CSRF_HEADER, makeCsrfToken, requireCsrf } from './csrf.ts'
import { type Allowance, rateProblem } from './rate-limit.ts'
import { readSession, requireOwnSession } from './session.ts'

const UNIDENTIFIED: Identity = Object.freeze({ caller: undefined, payment: undefined })

/** The call that an HTTP request makes. It is frozen, because every step of the intake shares it. */
export function toCall(request: FastifyRequest): IncomingCall {
  const { caller, payment } = request.identity ?? UNIDENTIFIED
  return Object.freeze({
    id: request.id,
    log: request.log,
    ip: request.ip,
    raw: request.raw,
    server: request.server,
    protocol: request.protocol,
    method: request.method,
    url: request.url,
    headers: request.headers,
    params: request.params,
    query: request.query,
    routeOptions: { config: request.routeOptions.config },
    body: request.body,
    caller,
    payment,
  })
}

/** Decides who makes a request and counts it against the rate limits, once and before the body is read. */
export async function identify(context: ApiContext, request: IncomingRequest, reply: AnswerSink): Promise<Identity> {
  const { isUncounted, hasOwnAuth, auth = [] } = request.routeOptions.config
  const caller = hasOwnAuth ? undefined : await callerByBearer(context, request, reply)
  if (isUncounted) return { caller, payment: undefined }
  const { payments } = context
  const header = auth.includes('x402') ? paymentHeader(request.headers) : undefined
  if (payments && header !== undefined) return callerByPayment(context, payments, header, request, reply)
  countCall(context, request, reply, caller)
  return { caller: caller ?? (await callerByOtherMeans(context, request, reply, auth)), payment: undefined }
}

/** A key in the address counts where the route allows it, and only if there is no header: an invalid header stays invalid. */
function authorizationOf({ headers, query, routeOptions }: IncomingRequest): string | undefined {
  if (headers.authorization !== undefined || !routeOptions.config.takesKeyInQuery) return headers.authorization
  const { key } = query as { key?: unknown }
  return key === undefined ? undefined : `Bearer ${String(key)}`
}

/**
 * A connector's token counts only in the header, and only at the address for which it was issued or below that. Elsewhere one
 * that lacks the scope of the call is told so, because its client can ask for more (decision 0420).
 */
async function resolveBearer({ keys, config }: ApiContext, request: IncomingRequest): Promise<Caller | undefined> {
  const authorization = authorizationOf(request)
  if (authorization === undefined) return undefined
  const caller = await keys.resolve(authorization)
  if (!caller?.connector) return caller
  const { resource, connectorScope } = request.routeOptions.config
  const address = `${config.publicUrl}${resource}/`
  const isForHere = resource !== undefined && address.startsWith(`${caller.connector.resource}/`)
  if (request.headers.authorization === undefined) throw new Problem('UNAUTHENTICATED')
  if (isForHere) return caller
  if (connectorScope) requireScope(caller, connectorScope)
  throw new Problem('UNAUTHENTICATED', { reason: 'The token is for tools.', resource: caller.connector.resource })
}

/**
 * Decides who makes one call within a request that may hold several: by the payment that came with the call, else as
 * the request. A payment identifies its payer only where it can pay.
 */
export async function identifyInnerCall(
  context: ApiContext,
  { auth, payment: header }: { auth: readonly AuthMode[]; payment: string | undefined },
  request: IncomingCall,
  reply: AnswerSink,
): Promise<Identity> {
  const { payments } = context
  const canPay = auth.includes('x402') && payments !== undefined
  if (header !== undefined && canPay) return callerByPayment(context, payments, header, request, reply)
  const { caller, payment } = request
  return payment && !canPay
    ? { caller: await resolveBearer(context, request), payment: undefined }
    : { caller, payment }
}

/** Invalid credentials are counted per address, so that keys cannot be guessed. */
async function callerByBearer(
  context: ApiContext,
  request: IncomingRequest,
  reply: AnswerSink,
): Promise<Caller | undefined> {
  try {
    return await resolveBearer(context, request)
  } catch (error) {
    if (error instanceof Problem) countCall(context, request, reply, undefined)
    throw error
  }
}

/**
 * Valid payments count per wallet, whatever its neighbours do; invalid ones per address, and an address with too many of
 * them is not verified for.
 */
async function callerByPayment(
  { limits, settings }: ApiContext,
  payments: Payments,
  header: string,
  request: IncomingRequest,
  reply: AnswerSink,
): Promise<Identity> {
  const perAddress = settings.get('rate.ip_per_minute')
  const left = limits.peekAddress('payment', request.ip, perAddress)
  if (left.isOver) throw rateProblem(left)
  try {
    const payment = await payments.open(header)
    const { caller } = payment
    admit(reply, limits.take(`x402:${caller.credential}`, settings.get('rate.key_per_minute')))
    return { caller, payment }
  } catch (error) {
    const allowance = limits.takeAddress('payment', request.ip, perAddress)
    if (allowance.isOver) throw rateProblem(allowance)
    throw error
  }
}

/** A message signed by a wallet or a session cookie, where the route accepts them. */
async function callerByOtherMeans(
  context: ApiContext,
  request: IncomingRequest,
  reply: AnswerSink,
  auth: readonly AuthMode[],
): Promise<Caller | undefined> {
  if (auth.includes('session')) return callerBySession(context, request, reply)
  const header = request.headers['sign-in-with-x']
  const { payments, config, clock } = context
  return payments && auth.includes('wallet') && typeof header === 'string'
    ? callerBySignedMessage(header, payments, config, Date.now() - clock.aheadMs)
    : undefined
}

/** Another site can make a browser send its cookie, but it can neither read the CSRF token nor set the header. */
async function callerBySession(
  context: ApiContext,
  request: IncomingRequest,
  reply: AnswerSink,
): Promise<Caller | undefined> {
  const session = await readSession(context, request)
  if (!session) return undefined
  if (request.method !== 'GET' && request.method !== 'HEAD') {
    requireCsrf(context.config, request, session.token, request.headers[CSRF_HEADER])
    requireOwnSession(session)
  }
  reply.header(CSRF_HEADER, makeCsrfToken(context.config, session.token)).header('cache-control', 'no-store')
  return session.caller
}

export function countCall(
  { limits, settings }: ApiContext,
  { ip }: IncomingRequest,
  reply: AnswerSink,
  caller: Caller | undefined,
): void {
  const perAddress = () => limits.takeAddress('call', ip, settings.get('rate.ip_per_minute'))
  admit(reply, caller ? callerAllowance(caller) : perAddress())

  /** The tighter of two limits: this key's or wallet's own, and the one of its whole account. */
  function callerAllowance({ credential, accountId, via }: Caller): Allowance {
    const own = limits.take(`${via}:${credential}`, settings.get(`rate.${via === 'key' ? 'key' : 'wallet'}_per_minute`))
    if (own.isOver) return own
    const whole = limits.take(`account:${accountId}`, settings.get('rate.account_per_minute'))
    return whole.isOver || whole.remaining < own.remaining ? whole : own
  }
}

function admit(reply: AnswerSink, allowance: Allowance): void {
  const { limit, remaining, resetSeconds, isOver } = allowance
  reply.header('ratelimit-policy', `"default";q=${limit};w=60`)
  reply.header('ratelimit', `"default";r=${remaining};t=${resetSeconds}`)
  if (isOver) throw rateProblem(allowance)
}

export function carriesPayment({ headers }: { headers: IncomingHttpHeaders }): boolean {
  return paymentHeader(headers) !== undefined
}

export function paymentHeader(headers: IncomingHttpHeaders): string | undefined {
  const given = headers['payment-signature'] ?? headers['x-payment']
  return Array.isArray(given) ? given.join(',') : given
}
