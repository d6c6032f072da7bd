import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { parseTraceparent } from '../ops/tracing/context.ts'
import { beginTrace, endSpan, isTracing, recordSpan, runInTrace } from '../ops/tracing/trace.ts'

/**
 * Makes each request a span, or a part of the trace that its caller has begun. Nothing is registered where nothing is traced.
 * The name is the route, never the address: that may hold a token.
 */
export function traceRequests(app: FastifyInstance): void {
  if (!isTracing()) return
  app.addHook('onRequest', async (request, reply) => {
    const parent = parseTraceparent(request.headers.traceparent)
    request.trace = beginTrace(nameRequest(request), 'server', { parent })
    if (request.trace) reply.header('x-trace-id', request.trace.traceId)
  })
  const readFromMs = new WeakMap<FastifyRequest, number>()
  app.addHook('preParsing', async request => {
    if (request.trace?.isSampled) readFromMs.set(request, performance.timeOrigin + performance.now())
  })
  app.addHook('onRoute', route => {
    const { handler } = route
    route.handler = function (request, reply) {
      return runInTrace(request.trace, () => {
        recordBody(request, readFromMs.get(request))
        return handler.call(this, request, reply)
      })
    }
  })
  app.addHook('onResponse', async (request, reply) => {
    const error = reply.statusCode < 500 ? undefined : (request.problem ?? 'Error')
    endSpan(request.trace, { attributes: describe(request, reply), error })
  })
}

/** The body was read before the handler was called, outside of the trace. A stream is read by the handler. */
function recordBody({ body }: FastifyRequest, startedAtMs: number | undefined): void {
  if (startedAtMs !== undefined && body !== undefined && body !== null)
    recordSpan('read body', 'internal', { startedAtMs })
}

function nameRequest({ method, routeOptions }: FastifyRequest): string {
  return `${method} ${routeOptions.url ?? 'unknown path'}`
}

function describe(request: FastifyRequest, reply: FastifyReply) {
  const { method, routeOptions } = request
  const jobId = reply.getHeader('x-service-job-id')
  return {
    'http.request.method': method,
    'http.route': routeOptions.url,
    'http.response.status_code': reply.statusCode,
    'coinop.entry': routeOptions.config.entry,
    'coinop.problem': request.problem,
    'coinop.account_id': request.identity?.caller?.accountId,
    'coinop.job_id': typeof jobId === 'string' ? jobId : undefined,
  }
}
