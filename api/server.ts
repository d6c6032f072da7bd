import { randomUUID } from 'node:crypto'
import Fastify, {
  type FastifyBaseLogger,
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
  LogController,
} from 'fastify'
import { Problem } from '#kit'
import type { NamedRoute } from './catalog.ts'
import type { Floor } from './floor.ts'
import { registerBodies } from './intake/body.ts'
import { registerObjectDoors } from './intake/object-doors.ts'
import { operationDoor } from './intake/operation-door.ts'
import { replyProblem } from './intake/problems.ts'
import { addressBucket, rateProblem } from './intake/rate-limit.ts'
import { routeDoor } from './intake/route-door.ts'
import { knowPaths } from './intake/unknown-path.ts'
import { Offers } from './intake/x402/offers.ts'
import { carriesPayment } from './intake/x402/stranger.ts'
import { registerPages } from './pages/register.ts'

const EXPOSED_HEADERS = [
  'PAYMENT-REQUIRED',
  'PAYMENT-RESPONSE',
  'X-PAYMENT-RESPONSE',
  'Idempotency-Replayed',
  'Retry-After',
  'RateLimit',
  'RateLimit-Policy',
  'Location',
  'X-Request-Id',
  'X-Service-Charged-Micros',
  'X-Service-Job-Id',
].join(', ')
const ALLOWED_HEADERS =
  'payment-signature, x-payment, sign-in-with-x, idempotency-key, authorization, content-type, prefer, accept, access-control-expose-headers'

/** The front door: every operation and route of the catalogue, and what stands before all of them. */
export async function buildServer(floor: Floor): Promise<FastifyInstance> {
  const { config, log, catalog, store } = floor
  const app = Fastify({
    loggerInstance: log as FastifyBaseLogger,
    logController: new LogController({ disableRequestLogging: true }),
    genReqId: () => randomUUID(),
    requestTimeout: 120_000,
    connectionTimeout: 130_000,
    keepAliveTimeout: 65_000,
    bodyLimit: 64 * 2 ** 20,
    trustProxy: config.trustProxy.length > 0 ? [...config.trustProxy] : false,
    routerOptions: { maxParamLength: 512, ignoreTrailingSlash: true },
    http: { maxHeaderSize: 32 * 1024, headersTimeout: 15_000 },
  })
  app.decorate('publicUrl', config.publicUrl)
  app.decorate('offers', floor.payments && new Offers(floor.payments.network, catalog, config))
  app.decorateRequest('caller', undefined)
  registerBodies(app)
  registerHooks(app, floor)
  app.setErrorHandler(replyProblem)
  const problemOfPath = knowPaths(app)
  app.setNotFoundHandler((request, reply) => replyProblem(problemOfPath(request.url), request, reply))
  for (const operation of catalog.operations) {
    const { path: url, name: entry, summary } = operation
    app.route({
      method: 'POST',
      url,
      config: { entry, summary, isOperation: true, takesPayment: true },
      handler: operationDoor(floor, operation),
    })
  }
  for (const route of catalog.routes) {
    const [method, path] = route.at.split(' ') as ['GET' | 'POST' | 'PUT' | 'DELETE', string]
    const isUncounted = route.family === 'system'
    const settings = { entry: route.name, summary: route.summary, isUncounted, isRaw: route.rawBody, ...authOf(route) }
    app.route({ method, url: path.replaceAll(/\{(\w+)\}/g, ':$1'), config: settings, handler: routeDoor(floor, route) })
  }
  registerPages(app, floor)
  registerObjectDoors(app, store)
  return app
}

function authOf({ auth, ownAuth }: NamedRoute): { hasOwnAuth?: boolean; takesPayment: boolean } {
  return { hasOwnAuth: ownAuth, takesPayment: auth.includes('x402') }
}

function registerHooks(app: FastifyInstance, floor: Floor): void {
  app.addHook('onRequest', async (request, reply) => {
    reply.header('x-request-id', request.id)
    if (request.headers.origin !== undefined) allowOrigin(reply)
    if (request.method === 'OPTIONS') return preflight(reply)
    await identify(floor, request, reply)
  })
  app.addHook('onResponse', async (request, reply) => {
    const entry = request.routeOptions.config.entry ?? 'unknown'
    floor.meters.answered(entry, reply.statusCode, reply.elapsedTime / 1_000)
    if (!floor.log.isLevelEnabled('debug') && reply.statusCode < 500) return
    const told = { requestId: request.id, entry, status: reply.statusCode, ms: Math.round(reply.elapsedTime) }
    const line = { ...told, accountId: request.caller?.accountId, jobId: reply.getHeader('x-service-job-id') }
    if (reply.statusCode >= 500) floor.log.warn(line, 'answered')
    else floor.log.debug(line, 'answered')
  })
}

/** Whoever shows credentials that do not hold is counted by address, at every door: keys are not to be guessed. */
async function identify(floor: Floor, request: FastifyRequest, reply: FastifyReply): Promise<void> {
  const { isUncounted, hasOwnAuth, takesPayment } = request.routeOptions.config
  try {
    if (!hasOwnAuth) request.caller = await floor.keys.resolve(request.headers.authorization)
  } catch (error) {
    if (error instanceof Problem) countCall(floor, request, reply)
    throw error
  }
  if (isUncounted) return
  if (floor.payments && takesPayment && carriesPayment(request)) return refuseCrowd(floor, request)
  countCall(floor, request, reply)
}

/** A payment is counted when it has been verified, by its wallet; an address that sends bad ones is not verified for. */
function refuseCrowd({ limits, settings }: Floor, { ip }: FastifyRequest): void {
  const allowance = limits.look(addressBucket(ip), settings.get('rate.ip_per_minute'))
  if (allowance.isOver) throw rateProblem(allowance)
}

function countCall({ limits, settings }: Floor, { caller, ip }: FastifyRequest, reply: FastifyReply): void {
  const allowance = caller ? callerAllowance() : limits.take(addressBucket(ip), settings.get('rate.ip_per_minute'))
  const { limit, remaining, resetSeconds, isOver } = allowance
  reply.header('ratelimit-policy', `"default";q=${limit};w=60`)
  reply.header('ratelimit', `"default";r=${remaining};t=${resetSeconds}`)
  if (isOver) throw rateProblem(allowance)

  /** The tighter of two: what this key or wallet may, and what all of its account together may. */
  function callerAllowance() {
    const { credential, accountId, via } = caller!
    const own = limits.take(`${via}:${credential}`, settings.get(`rate.${via === 'key' ? 'key' : 'wallet'}_per_minute`))
    if (own.isOver) return own
    const whole = limits.take(`account:${accountId}`, settings.get('rate.account_per_minute'))
    return whole.isOver || whole.remaining < own.remaining ? whole : own
  }
}

function allowOrigin(reply: FastifyReply): void {
  reply.header('access-control-allow-origin', '*').header('access-control-expose-headers', EXPOSED_HEADERS)
}

function preflight(reply: FastifyReply): FastifyReply {
  return reply
    .code(204)
    .header('access-control-allow-methods', 'GET, HEAD, POST, PUT, DELETE')
    .header('access-control-allow-headers', ALLOWED_HEADERS)
    .header('access-control-max-age', '86400')
    .send()
}
