import { contains, isIpAddress, isPublicAddress, parseNetwork } from './public-address.ts'

export interface DestinationRules {
  /** Addresses of the operator's own networks, which may be reached on any port and without TLS. */
  isTrusted(address: string): boolean
  /** Whether `http:` will do for public addresses. */
  allowsPlainHttp: boolean
}

/** A URL to which nothing is sent; the message is the reason. */
export class DestinationRefused extends Error {
  override readonly name = 'DestinationRefused'
}

/** What the operator can allow: an address of a network that is not public. */
export class PrivateDestination extends DestinationRefused {}

/** The empty port is the default port of the protocol. */
const PORTS = ['', '80', '443', '8080', '8443']
const MAX_URL_CHARS = 2_048

/** Checks all of a URL that needs no look-up. Throws DestinationRefused. */
export function parseDestination(text: string): URL {
  if (text.length > MAX_URL_CHARS) throw new DestinationRefused(`the URL has more than ${MAX_URL_CHARS} characters`)
  if (!URL.canParse(text)) throw new DestinationRefused('not a URL')
  const url = new URL(text)
  if (url.protocol !== 'http:' && url.protocol !== 'https:') throw new DestinationRefused('not an http or https URL')
  if (url.username !== '' || url.password !== '')
    throw new DestinationRefused('the URL contains a user name or password')
  if (url.port === '0') throw new DestinationRefused('not a port for web servers')
  url.hash = ''
  return url
}

const LOOPBACK = ['127.0.0.1', '::1']

/**
 * The address in the URL itself, or those that every resolver must give for its host; undefined if it must be looked up.
 * Of the two that `localhost` has, one that is trusted is enough.
 */
export function literalAddresses(
  { hostname }: URL,
  { isTrusted }: Pick<DestinationRules, 'isTrusted'>,
): string[] | undefined {
  const host = hostname.replace(/^\[|\]$/g, '')
  if (isIpAddress(host)) return [host]
  if (!/(^|\.)localhost\.?$/.test(host)) return undefined
  const trusted = LOOPBACK.filter(isTrusted)
  return trusted.length > 0 ? trusted : LOOPBACK
}

/** Checks the addresses of a URL's host: one that must not be reached is reason enough. Throws DestinationRefused. */
export function checkAddresses(url: URL, addresses: readonly string[], rules: DestinationRules): void {
  if (addresses.length === 0) throw new DestinationRefused('the host has no address')
  if (addresses.every(address => rules.isTrusted(address))) return
  if (!addresses.every(address => isPublicAddress(address) || rules.isTrusted(address)))
    throw new PrivateDestination('not a public address')
  if (!PORTS.includes(url.port)) throw new DestinationRefused('not a port for web servers')
  if (url.protocol !== 'https:' && !rules.allowsPlainHttp) throw new DestinationRefused('not an https URL')
}

/** Whether an address is in one of these networks. */
export function createTrust(networks: readonly string[]): DestinationRules['isTrusted'] {
  const parsed = networks.map(parseNetwork)
  return address => parsed.some(network => contains(network, address))
}
