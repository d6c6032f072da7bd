import { lookup } from 'node:dns'
import { get as getPlain, type IncomingMessage, type RequestOptions } from 'node:http'
import { get as getSecure } from 'node:https'
import { isIP, type LookupFunction } from 'node:net'
import { promisify } from 'node:util'
import { brotliDecompress, gunzip, inflate } from 'node:zlib'
import { isPublicAddress } from './public-address.ts'

export interface Fetched {
  status: number
  headers: Record<string, string>
  body: Uint8Array
}

/** Gets a file of a web server, and throws where that is not allowed or fails. Redirects are given back, not followed. */
export type Outbound = (url: string, limits: { bytes: number; signal: AbortSignal }) => Promise<Fetched>

export interface OutboundRules {
  isAllowed(address: string): boolean
  ports: readonly string[]
}

/** No port stands for the usual one. */
const PUBLIC: OutboundRules = { isAllowed: isPublicAddress, ports: ['', '80', '443', '8080', '8443'] }
const SLOWEST_MS = 15_000
const KEPT_HEADERS = ['content-type', 'location', 'access-control-allow-origin', 'access-control-allow-credentials']

/** The one way out: what a name stands for is looked at before it is connected to, and nothing else is connected to. */
export function openOutbound({ isAllowed, ports }: OutboundRules = PUBLIC): Outbound {
  return async (text, { bytes, signal }) => {
    const url = checked(text, { isAllowed, ports })
    const limited = AbortSignal.any([signal, AbortSignal.timeout(SLOWEST_MS)])
    const reply = await ask(url, { lookup: guarded(isAllowed), signal: limited, headers: HEADERS })
    const headers = Object.fromEntries(
      KEPT_HEADERS.flatMap(name => (typeof reply.headers[name] === 'string' ? [[name, reply.headers[name]]] : [])),
    )
    const { location } = headers
    if (location) checked(new URL(location, url).href, { isAllowed, ports })
    return { status: reply.statusCode ?? 502, headers, body: await bodyOf(reply, bytes) }
  }
}

/** A number in place of a name is never looked up, so that it is judged here. */
function checked(text: string, { isAllowed, ports }: OutboundRules): URL {
  const url = new URL(text)
  if (url.protocol !== 'http:' && url.protocol !== 'https:') throw new Error('not a web address')
  if (url.username !== '' || url.password !== '') throw new Error('an address with a password')
  if (!ports.includes(url.port)) throw new Error('not a port of the web')
  const host = url.hostname.replace(/^\[|\]$/g, '')
  if (isIP(host) !== 0 && !isAllowed(host)) throw new Error('not a public address')
  return url
}

const HEADERS = { 'user-agent': 'Mozilla/5.0 (compatible; coinop)', accept: '*/*', 'accept-encoding': 'identity' }

function ask(url: URL, options: RequestOptions): Promise<IncomingMessage> {
  const get = url.protocol === 'https:' ? getSecure : getPlain
  return new Promise((resolve, reject) => {
    get(url, { ...options, agent: false }, resolve).on('error', reject)
  })
}

/** All addresses of a name must be allowed; the connection is made to one of those that were looked at. */
function guarded(isAllowed: OutboundRules['isAllowed']): LookupFunction {
  return (host, options, done) => {
    lookup(host, { ...options, all: true }, (error, found) => {
      if (error) return void done(error, '', 0)
      const bad = found.length === 0 || found.some(({ address }) => !isAllowed(address))
      if (bad) return void done(new Error('not a public address'), '', 0)
      if (options.all) return void done(null, found)
      done(null, found[0]!.address, found[0]!.family)
    })
  }
}

async function bodyOf(reply: IncomingMessage, most: number): Promise<Uint8Array> {
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of reply as AsyncIterable<Buffer>) {
    size += chunk.length
    if (size > most) {
      reply.destroy()
      throw new Error('more bytes than a page may fetch')
    }
    chunks.push(chunk)
  }
  const decode = DECODERS[reply.headers['content-encoding'] ?? '']
  const body = Buffer.concat(chunks)
  return decode ? decode(body, { maxOutputLength: Math.max(1, most) }) : body
}

const DECODERS: Record<string, ((body: Buffer, limit: { maxOutputLength: number }) => Promise<Buffer>) | undefined> = {
  gzip: promisify(gunzip),
  deflate: promisify(inflate),
  br: promisify(brotliDecompress),
}
