import { get as getPlain, type IncomingMessage } from 'node:http'
import { get as getSecure } from 'node:https'
import {
  checkAddresses,
  createTrust,
  type DestinationRules,
  literalAddresses,
  parseDestination,
} from '../../../tasks/formats/web-address/destination.ts'
import { createCheckedLookup } from '../dns/checked-lookup.ts'
import { createHostResolver } from '../dns/resolve.ts'

/** Fetches the description that a client publishes of itself; throws an error that says why there is none. */
export type FetchClientDocument = (url: string) => Promise<unknown>

const MAX_BYTES = 16 * 1_024
const TIMEOUT_MS = 5_000
const HEADERS = { accept: 'application/json', 'accept-encoding': 'identity', 'user-agent': 'coinop' }

/**
 * Fetches over TLS from public addresses and from networks of the operator only. The addresses of a host are checked when it
 * is connected to, and redirects are not followed.
 */
export function createClientDocumentFetch(networks: readonly string[]): FetchClientDocument {
  const resolve = createHostResolver()
  const rules: DestinationRules = { isTrusted: createTrust(networks), allowsPlainHttp: false }
  return async text => {
    const url = parseDestination(text)
    const literal = literalAddresses(url, rules)
    if (literal) checkAddresses(url, literal, rules)
    const lookup = createCheckedLookup(url, literal ? async () => literal : resolve, rules)
    const signal = AbortSignal.timeout(TIMEOUT_MS)
    const get = url.protocol === 'https:' ? getSecure : getPlain
    const reply = await new Promise<IncomingMessage>((done, fail) => {
      get(url, { lookup, signal, headers: HEADERS, agent: false }, done).on('error', fail)
    })
    try {
      if (reply.statusCode !== 200) throw new Error(`its address answers with status ${reply.statusCode}`)
      return JSON.parse(await readText(reply))
    } finally {
      reply.destroy()
    }
  }
}

async function readText(reply: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = []
  let sizeBytes = 0
  for await (const chunk of reply as AsyncIterable<Buffer>) {
    sizeBytes += chunk.length
    if (sizeBytes > MAX_BYTES) throw new Error(`its description has more than ${MAX_BYTES} bytes`)
    chunks.push(chunk)
  }
  return new TextDecoder('utf-8', { fatal: true }).decode(Buffer.concat(chunks))
}
