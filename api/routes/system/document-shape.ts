import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { promisify } from 'node:util'
import { gzip } from 'node:zlib'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Entry } from '#kit'
import type { Floor } from '../../floor.ts'
import { capabilities } from '../../surfaces/capabilities.ts'
import type { SurfaceOptions } from '../../surfaces/surface.ts'

/** Text that is the same for everybody, with what HTTP needs to send it cheaply. */
export interface Document {
  contentType: string
  plain: Buffer
  gzipped: Buffer
  etag: string
}

type Make = (entries: readonly Entry[], options: SurfaceOptions) => { contentType: string; text: string }

export const { version } = JSON.parse(readFileSync(new URL('../../../package.json', import.meta.url), 'utf8')) as {
  version: string
}

const squeeze = promisify(gzip)
const kept = new WeakMap<Floor, Map<Make, { of: string; document: Promise<Document> }>>()

/** A document of the whole catalogue, made again only when a price or the tools of the workers have changed. */
export function surfaceOf(floor: Floor, make: Make): Promise<Document> {
  const { catalog, config, settings } = floor
  const missing = unavailable(floor)
  const of = JSON.stringify([settings.version, [...missing]])
  const known = kept.get(floor) ?? new Map()
  kept.set(floor, known)
  const found = known.get(make)
  if (found?.of === of) return found.document
  const options: SurfaceOptions = {
    publicUrl: config.publicUrl,
    version,
    rateOf: name => settings.rateOf(name),
    available: name => !missing.has(name),
  }
  const { contentType, text } = make(catalog.entries, options)
  const document = documentOf(contentType, text)
  known.set(make, { of, document })
  return document
}

function unavailable({ availability, catalog }: Floor): Set<string> {
  const { operations } = capabilities(catalog.entries, availability.tools())
  return new Set(Object.keys(operations).filter(name => !operations[name]?.available))
}

export async function documentOf(contentType: string, content: string | Buffer): Promise<Document> {
  const plain = Buffer.from(content)
  const etag = `W/"${createHash('sha256').update(plain).digest('base64url').slice(0, 22)}"`
  return { contentType, plain, gzipped: await squeeze(plain), etag }
}

/** Sends it whole, squeezed, or not at all to whoever has it already. */
export function sendDocument({ request, reply }: Asker, document: Document, maxAgeSeconds: number): FastifyReply {
  reply
    .header('cache-control', `public, max-age=${maxAgeSeconds}`)
    .header('etag', document.etag)
    .header('vary', 'Accept-Encoding')
    .header('x-content-type-options', 'nosniff')
  if (has(request, 'if-none-match', document.etag)) return reply.code(304).send()
  reply.type(document.contentType)
  if (!has(request, 'accept-encoding', 'gzip')) return reply.send(document.plain)
  return reply.header('content-encoding', 'gzip').send(document.gzipped)
}

interface Asker {
  request: FastifyRequest
  reply: FastifyReply
}

function has({ headers }: FastifyRequest, header: string, word: string): boolean {
  const words = String(headers[header] ?? '').split(',')
  return words.some(item => item.trim().split(';')[0] === word)
}
