import { promisify } from 'node:util'
import { constants, gzip } from 'node:zlib'
import type { FastifyReply, FastifyRequest } from 'fastify'

const compress = promisify(gzip)

/** Compresses JSON for clients that accept it; outside the event loop, and fast rather than small. */
export async function compressJson(request: FastifyRequest, reply: FastifyReply, payload: string): Promise<unknown> {
  if (!isJson(reply)) return payload
  reply.header('vary', 'accept-encoding')
  if (!acceptsGzip(request.headers['accept-encoding']) || reply.hasHeader('content-encoding')) return payload
  reply.header('content-encoding', 'gzip').removeHeader('content-length')
  return compress(payload, { level: constants.Z_BEST_SPEED })
}

function isJson(reply: FastifyReply): boolean {
  return /^application\/([\w.-]+\+)?json\b/.test(String(reply.getHeader('content-type')))
}

export function acceptsGzip(accepted: string | string[] | undefined): boolean {
  return /\bgzip\b(?!\s*;\s*q=0(\.0*)?\s*(,|$))/.test(String(accepted ?? ''))
}
