import { lookup } from 'node:dns'
import { get as getPlain, type IncomingMessage, type RequestOptions } from 'node:http'
import { get as getSecure } from 'node:https'
import { isIP, type LookupFunction } from 'node:net'
import { promisify } from 'node:util'
import { brotliDecompress, gunzip, inflate } from 'node:zlib'
import { isPublicAddress } from '../../tasks/formats/web-address/public-address.ts'

export interface FetchResponse {
  status: number
  headers: Record<string, string>
  body: Uint8Array
}

/** Fetches a URL; throws if that is not allowed or fails. Redirects are returned, not followed. */
export type OutboundFetch = (url: string, limits: { bytes: number; signal: AbortSignal }) => Promise<FetchResponse>

interface OutboundRules {
  isAllowed(address: string): boolean
  ports: readonly string[]
}

/** The empty port is the default port of the protocol. */
export const PUBLIC_WEB: OutboundRules = { isAllowed: isPublicAddress, ports: ['', '80', '443', '8080', '8443'] }
/** The address itself is refused; another try would be refused too. */
export class UrlNotAllowed extends Error {
  override readonly name = 'UrlNotAllowed'
}

const TIMEOUT_MS = 15_000
const KEPT_HEADERS = ['content-type', 'location', 'access-control-allow-origin', 'access-control-allow-credentials']

/** Fetches from public addresses only: the addresses of a host name are checked before one of them is connected to. */
export function createOutboundFetch({ isAllowed, ports }: OutboundRules = PUBLIC_WEB): OutboundFetch {
  return async (text, { bytes: limitBytes, signal }) => {
    const url = parseAllowedUrl(text, { isAllowed, ports })
    const reply = await request(url, isAllowed, AbortSignal.any([signal, AbortSignal.timeout(TIMEOUT_MS)]))
    const headers = Object.fromEntries(
      KEPT_HEADERS.flatMap(name => (typeof reply.headers[name] === 'string' ? [[name, reply.headers[name]]] : [])),
    )
    const { location } = headers
    if (location) parseAllowedUrl(new URL(location, url).href, { isAllowed, ports })
    return { status: reply.statusCode ?? 502, headers, body: await readBody(reply, limitBytes) }
  }
}

/** Checks an IP address in the URL here, because it is never looked up. */
export function parseAllowedUrl(text: string, { isAllowed, ports }: OutboundRules): URL {
  const url = new URL(text)
  if (url.protocol !== 'http:' && url.protocol !== 'https:') throw new UrlNotAllowed('not an http or https URL')
  if (url.username !== '' || url.password !== '') throw new UrlNotAllowed('the URL contains a user name or password')
  if (!ports.includes(url.port)) throw new UrlNotAllowed('not a port for web servers')
  const host = url.hostname.replace(/^\[|\]$/g, '')
  if (isIP(host) !== 0 && !isAllowed(host)) throw new UrlNotAllowed('not a public address')
  return url
}

const HEADERS = { 'user-agent': 'Mozilla/5.0 (compatible; coinop)', accept: '*/*', 'accept-encoding': 'identity' }

/** Connects to none but allowed addresses. */
export function request(
  url: URL,
  isAllowed: OutboundRules['isAllowed'],
  signal: AbortSignal,
): Promise<IncomingMessage> {
  return sendRequest(url, { lookup: createGuardedLookup(isAllowed), signal, headers: HEADERS })
}

function sendRequest(url: URL, options: RequestOptions): Promise<IncomingMessage> {
  const get = url.protocol === 'https:' ? getSecure : getPlain
  return new Promise((resolve, reject) => {
    get(url, { ...options, agent: false }, resolve).on('error', reject)
  })
}

/** All addresses of a host must be allowed, and the connection is made to one of these. */
function createGuardedLookup(isAllowed: OutboundRules['isAllowed']): LookupFunction {
  return (host, options, done) => {
    lookup(host, { ...options, all: true }, (error, addresses) => {
      if (error) return void done(error, '', 0)
      const isForbidden = addresses.length === 0 || addresses.some(({ address }) => !isAllowed(address))
      if (isForbidden) return void done(new UrlNotAllowed('not a public address'), '', 0)
      if (options.all) return void done(null, addresses)
      done(null, addresses[0]!.address, addresses[0]!.family)
    })
  }
}

async function readBody(reply: IncomingMessage, limitBytes: number): Promise<Uint8Array> {
  const chunks: Buffer[] = []
  let sizeBytes = 0
  for await (const chunk of reply as AsyncIterable<Buffer>) {
    sizeBytes += chunk.length
    if (sizeBytes > limitBytes) {
      reply.destroy()
      throw new Error('more bytes than a page may fetch')
    }
    chunks.push(chunk)
  }
  const decode = DECODERS[reply.headers['content-encoding'] ?? '']
  const body = Buffer.concat(chunks)
  return decode ? decode(body, { maxOutputLength: Math.max(1, limitBytes) }) : body
}

const DECODERS: Record<string, ((body: Buffer, limit: { maxOutputLength: number }) => Promise<Buffer>) | undefined> = {
  gzip: promisify(gunzip),
  deflate: promisify(inflate),
  br: promisify(brotliDecompress),
}
