import { randomUUID } from 'node:crypto'
import { createServer, type Server } from 'node:http'
import Fastify, {
  type FastifyBaseLogger,
  type FastifyHttpOptions,
  type FastifyInstance,
  type FastifyReply,
  type FastifyServerFactoryHandler,
  LogController,
} from 'fastify'
import { Problem } from '#kit'
import { runInTrace, trace } from '../ops/tracing/trace.ts'
import type { NamedOperation } from '../tasks/index.ts'
import type { ApiContext } from './context.ts'
import { BILLABLE_AUTH, billableOperation } from './intake/billable.ts'
import { registerBodies } from './intake/body/json.ts'
import { callHandler } from './intake/call-handler.ts'
import { identify } from './intake/identity/identify.ts'
import { answerClientError } from './intake/reply/client-error.ts'
import { compressJson } from './intake/reply/compress.ts'
import { replyProblem, toProblem } from './intake/reply/problem.ts'
import { indexParents, indexRoutes } from './intake/unknown-path.ts'
import type { Offers } from './intake/x402/offers.ts'
import { answerUnknownPath } from './pages/unknown-path.ts'
import { traceRequests } from './request-trace.ts'
import { buildCallGuide } from './surfaces/call-guide.ts'
import { buildCapabilities } from './surfaces/capabilities.ts'
import { version } from './surfaces/state.ts'

/** To compress less than about one packet is not worth the work. */
const MIN_COMPRESSED_CHARS = 1_024

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
  'X-Trace-Id',
  'X-Service-Charged-Micros',
  'X-Service-Original-Charged-Micros',
  'X-Service-Job-Id',
  'X-Service-Result',
  'X-Service-Output-Key',
  'Content-Disposition',
  'Content-Length',
]
const ALLOWED_HEADERS =
  'payment-signature, x-payment, sign-in-with-x, idempotency-key, authorization, content-type, prefer, x-max-price-micros, accept, access-control-expose-headers, ' +
  'x-filename, if-match, if-none-match, ' +
  'mcp-protocol-version, mcp-method, mcp-name, mcp-session-id, last-event-id, traceparent, tracestate'

const TIMES = { requestTimeout: 120_000, connectionTimeout: 130_000, keepAliveTimeout: 65_000 }
const HTTP = { maxHeaderSize: 32 * 1024, headersTimeout: 15_000 }

/** The intake checks what comes; those that Fastify has in their place load a hundred modules. */
const COMPILERS = { buildValidator: refuseSchema, buildSerializer: refuseSchema }

function refuseSchema(): never {
  throw new Error('routes of Fastify have no schema here: the intake checks what a route declares')
}

/** Finds the instance that answers an address in place of the one that listens. */
export type FindApp = (url: string) => FastifyInstance | undefined

/** An instance of Fastify with what comes before all routes, and no route. */
export function createApp(context: ApiContext, offers: Offers | undefined, findOther?: FindApp): FastifyInstance {
  const { config, log, catalog } = context
  const options: FastifyHttpOptions<Server> = {
    ...TIMES,
    loggerInstance: log as FastifyBaseLogger,
    logController: new LogController({ disableRequestLogging: true }),
    genReqId: () => randomUUID(),
    bodyLimit: 64 * 2 ** 20,
    trustProxy: config.trustProxy.length > 0 ? [...config.trustProxy] : false,
    schemaController: { compilersFactory: COMPILERS },
    routerOptions: { maxParamLength: 512, ignoreTrailingSlash: true },
    // Our own hook refuses what comes while the server stops, with a code and Retry-After.
    return503OnClosing: false,
    clientErrorHandler: answerClientError,
    frameworkErrors: (error, request, reply) => void replyProblem(error, request, reply),
    ...(findOther
      ? { serverFactory: (handler: FastifyServerFactoryHandler) => openServer(handler, findOther) }
      : { http: HTTP }),
  }
  const app = Fastify(options)
  app.decorate('publicUrl', config.publicUrl)
  app.decorate('offers', offers)
  app.decorateRequest('identity', undefined)
  app.decorateRequest('trace', undefined)
  app.decorateRequest('problem', undefined)
  registerBodies(app)
  traceRequests(app)
  registerHooks(app, context)
  app.setErrorHandler(replyProblem)
  const problemOfPath = indexRoutes(app, catalog)
  app.setNotFoundHandler((request, reply) =>
    answerUnknownPath(context, problemOfPath(request.url, request.method), request, reply),
  )
  return app
}

/** As Fastify makes it, but for requests that another instance answers. */
function openServer(handler: FastifyServerFactoryHandler, findOther: FindApp): Server {
  const server = createServer(HTTP, (request, response) => {
    const other = findOther(request.url ?? '')
    if (other) other.routing(request, response)
    else handler(request, response)
  })
  server.keepAliveTimeout = TIMES.keepAliveTimeout
  server.requestTimeout = TIMES.requestTimeout
  return server.setTimeout(TIMES.connectionTimeout)
}

export function registerOperation(app: FastifyInstance, context: ApiContext, operation: NamedOperation): void {
  const { path: url, name: entry, summary } = operation
  const { problemForm } = operation
  const connectorScope = 'mcp:write' as const
  const config = { entry, summary, isOperation: true, auth: BILLABLE_AUTH, connectorScope, problemForm }
  const handler = operation.composition ? latestHandler(context, operation) : handlerOf(context, operation)
  app.route({ method: 'POST', url, config, handler })
  const guideConfig = { entry: `${entry} guide`, summary, auth: ['none'] as const }
  app.route({ method: 'GET', url, config: guideConfig, handler: () => describeOperation(context, entry) })
}

function handlerOf(context: ApiContext, operation: NamedOperation) {
  return callHandler(context, billableOperation(operation))
}

type Handler = ReturnType<typeof handlerOf>

/** What an operation runs as its steps may change. */
function latestHandler(context: ApiContext, { name }: NamedOperation): Handler {
  const handlers = new WeakMap<NamedOperation, Handler>()
  return (request, reply) => {
    const operation = context.catalog.operation(name)!
    const handle = handlers.get(operation) ?? handlerOf(context, operation)
    handlers.set(operation, handle)
    return handle(request, reply)
  }
}

function describeOperation({ catalog, config, settings, availability }: ApiContext, name: string) {
  const entry = catalog.entries.find(candidate => candidate.name === name)!
  const { operations } = buildCapabilities([entry], availability.tools())
  return buildCallGuide(entry, {
    publicUrl: config.publicUrl,
    version,
    ratesOf: operation => settings.ratesOf(operation),
    isAvailable: operation => operations[operation]?.available ?? true,
    canFetch: config.outbound === 'public',
  })
}

const ENDS_IN_SLASH = /\/(?:\?|$)/

function registerHooks(app: FastifyInstance, context: ApiContext): void {
  let isStopping = false
  const refuseEmptyParameter = indexParents(app)
  app.addHook('preClose', async () => {
    isStopping = true
  })
  app.addHook('onRequest', async (request, reply) => {
    reply.header('x-request-id', request.id)
    if (isStopping) throw new Problem('BUSY')
    if (request.headers.origin !== undefined) reply.header('access-control-allow-origin', '*')
    if (request.method === 'OPTIONS') return preflight(reply)
    if (ENDS_IN_SLASH.test(request.url)) refuseEmptyParameter(request)
    request.identity = await runInTrace(request.trace, () =>
      trace('identify', undefined, () => identify(context, request, reply)),
    )
  })
  app.addHook('onSend', async ({ headers }, reply) => {
    if (headers.origin !== undefined) exposeHeaders(reply)
  })
  app.addHook('onSend', async (request, reply, payload) =>
    typeof payload === 'string' && payload.length > MIN_COMPRESSED_CHARS
      ? compressJson(request, reply, payload)
      : payload,
  )
  app.addHook('onError', async (request, _reply, error) => {
    request.problem = toProblem(error).code
  })
  app.addHook('onResponse', async (request, reply) => {
    const entry = request.routeOptions.config.entry ?? 'unknown'
    context.meters.answered({
      ...{ entry, status: reply.statusCode, seconds: reply.elapsedTime / 1_000 },
      ...{ problem: request.problem, trace: request.trace },
    })
    if (!context.log.isLevelEnabled('debug') && reply.statusCode < 500) return
    const facts = { requestId: request.id, entry, status: reply.statusCode, ms: Math.round(reply.elapsedTime) }
    const traceId = request.trace?.traceId
    const line = {
      ...facts,
      accountId: request.identity?.caller?.accountId,
      jobId: reply.getHeader('x-service-job-id'),
      ...(traceId !== undefined && { traceId }),
    }
    if (reply.statusCode >= 500) context.log.warn(line, 'answered')
    else context.log.debug(line, 'answered')
  })
}

/** A page of another origin may read our headers, and whatever else this answer carries. */
function exposeHeaders(reply: FastifyReply): void {
  const names = [...EXPOSED_HEADERS.map(name => name.toLowerCase()), ...Object.keys(reply.getHeaders())]
  const exposed = names.filter(name => !name.startsWith('access-control-'))
  reply.header('access-control-expose-headers', [...new Set(exposed)].map(toHeaderCase).join(', '))
}

const HEADER_CASE = new Map(EXPOSED_HEADERS.map(name => [name.toLowerCase(), name]))

function toHeaderCase(name: string): string {
  return HEADER_CASE.get(name) ?? name
}

function preflight(reply: FastifyReply): FastifyReply {
  return reply
    .code(204)
    .header('access-control-allow-methods', 'GET, HEAD, POST, PUT, PATCH, DELETE')
    .header('access-control-allow-headers', ALLOWED_HEADERS)
    .header('access-control-max-age', '86400')
    .send()
}
