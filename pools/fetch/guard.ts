import { type IncomingMessage, type OutgoingHttpHeaders, Agent as PlainAgent, request as requestPlain } from 'node:http'
import { request as requestSecure, Agent as SecureAgent } from 'node:https'
import type { LookupFunction } from 'node:net'
import { createCheckedLookup } from '../../ops/providers/dns/checked-lookup.ts'
import { createHostResolver, type ResolveHost } from '../../ops/providers/dns/resolve.ts'
import {
  checkAddresses,
  type DestinationRules,
  literalAddresses,
  parseDestination,
} from '../../tasks/formats/web-address/destination.ts'

// Decision 0131: reach the web through one guard.

export interface GuardOptions {
  /** Addresses that may be reached although they are not public. */
  isTrusted?: DestinationRules['isTrusted']
  resolve?: ResolveHost
  /** Connections to one host; by default, any number. */
  maxSockets?: number
}

interface GuardedRequest {
  method?: string
  headers?: OutgoingHttpHeaders
  body?: Uint8Array
  signal: AbortSignal
}

/** The one way by which calls reach the web. */
export interface Guard {
  /** Checks all of an address that needs no look-up. Throws DestinationRefused. */
  parse(text: string): URL
  /** Throws DestinationRefused if the host has an address that must not be reached. Redirects are not followed. */
  request(url: URL, request: GuardedRequest): Promise<IncomingMessage>
}

const IDLE_MS = 4_000
/** Pages with long policies and many cookies send more than the 16 kB that Node takes. */
const MAX_HEADER_BYTES = 2 ** 17
const HEADERS = {
  'user-agent': 'Mozilla/5.0 (compatible; coinop)',
  accept: '*/*',
  'accept-encoding': 'gzip, deflate, br',
}

/**
 * Connects to public addresses and trusted ones only. A host's addresses are checked when a connection to it is opened,
 * and the connection is made to one of those that were checked, so a name that changes its mind gains nothing.
 */
export function createGuard(options: GuardOptions = {}): Guard {
  const { isTrusted = () => false, resolve = createHostResolver(), maxSockets = Infinity } = options
  const rules: DestinationRules = { isTrusted, allowsPlainHttp: true }
  const kept = { keepAlive: true, timeout: IDLE_MS, maxSockets }
  const agents = { 'http:': new PlainAgent(kept), 'https:': new SecureAgent(kept) }
  return {
    parse(text) {
      const url = parseDestination(text)
      const literal = literalAddresses(url, rules)
      if (literal) checkAddresses(url, literal, rules)
      return url
    },
    async request(url, request) {
      const literal = literalAddresses(url, rules)
      const lookup = createCheckedLookup(url, literal ? async () => literal : resolve, rules)
      const connection = { agent: agents[url.protocol as 'http:' | 'https:'], lookup }
      try {
        return await send(url, request, connection)
      } catch (error) {
        if (!(error instanceof StaleConnection)) throw error
        return await send(url, request, { ...connection, agent: false })
      }
    },
  }
}

/** A connection that was used again was closed before an answer. The second try opens one of its own. */
class StaleConnection extends Error {}

function send(
  url: URL,
  { method = 'GET', headers, body, signal }: GuardedRequest,
  connection: { agent: PlainAgent | false; lookup: LookupFunction },
): Promise<IncomingMessage> {
  const open = url.protocol === 'https:' ? requestSecure : requestPlain
  return new Promise((resolve, reject) => {
    const options = {
      ...connection,
      method,
      signal,
      headers: { ...HEADERS, ...headers },
      maxHeaderSize: MAX_HEADER_BYTES,
    }
    const sent = open(url, options, resolve)
    sent.on('error', error => {
      const isReset = (error as NodeJS.ErrnoException).code === 'ECONNRESET'
      reject(sent.reusedSocket && isReset ? new StaleConnection() : error)
    })
    sent.end(body)
  })
}
