import { promisify } from 'node:util'
import { gzip } from 'node:zlib'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { ApiContext } from '../context.ts'
import { acceptsGzip } from '../intake/reply/compress.ts'
import type { Html } from './parts/html.ts'

/** No foreign or inline content, and no framing. A form of ours may lead to Stripe's page. */
export function setSecurityHeaders({ config, stripe }: ApiContext, reply: FastifyReply): void {
  setFormTargets(reply, stripe ? ['https://checkout.stripe.com'] : [])
  reply
    .header('x-content-type-options', 'nosniff')
    .header('x-frame-options', 'DENY')
    .header('referrer-policy', 'same-origin')
    .header('cross-origin-opener-policy', 'same-origin')
    .header('cache-control', 'no-store')
    .removeHeader('access-control-allow-origin')
  if (config.publicUrl.startsWith('https://')) reply.header('strict-transport-security', 'max-age=31536000')
}

/** Besides pages of ours, where the forms of a page may lead. */
export function setFormTargets(reply: FastifyReply, targets: readonly string[]): void {
  setPolicy(reply, targets, [])
}

/** Whose pages may show a page in a frame. */
export function setFrameAncestors(reply: FastifyReply, origins: readonly string[]): void {
  setPolicy(reply, [], origins)
  if (origins.length > 0) reply.removeHeader('x-frame-options')
}

function setPolicy(reply: FastifyReply, targets: readonly string[], origins: readonly string[]): void {
  const ancestors = origins.length > 0 ? origins.join(' ') : "'none'"
  const policy = `default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self'; connect-src 'self'; form-action ${["'self'", ...targets].join(' ')}; base-uri 'none'; frame-ancestors ${ancestors}`
  reply.header('content-security-policy', policy)
}

const compress = promisify(gzip)

/** For pages without secrets: beside what others have chosen, a secret could be guessed from the size. */
export async function sendCompressed(request: FastifyRequest, reply: FastifyReply, page: Html): Promise<FastifyReply> {
  reply.header('vary', 'accept-encoding').type('text/html; charset=utf-8')
  if (!acceptsGzip(request.headers['accept-encoding'])) return reply.send(page.text)
  return reply.header('content-encoding', 'gzip').send(await compress(page.text))
}

export function sendPage(reply: FastifyReply, page: Html): FastifyReply {
  return reply.type('text/html; charset=utf-8').send(page.text)
}
