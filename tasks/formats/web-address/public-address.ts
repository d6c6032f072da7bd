const OCTET = '(25[0-5]|2[0-4]\\d|1\\d\\d|[1-9]?\\d)'
const V4 = new RegExp(`^${OCTET}\\.${OCTET}\\.${OCTET}\\.${OCTET}$`)

/** IPv4 networks that are local, private, reserved or multicast. */
const NON_PUBLIC_V4 = [
  '0.0.0.0/8',
  '10.0.0.0/8',
  '100.64.0.0/10',
  '127.0.0.0/8',
  '169.254.0.0/16',
  '172.16.0.0/12',
  '192.0.0.0/24',
  '192.0.2.0/24',
  '192.88.99.0/24',
  '192.168.0.0/16',
  '198.18.0.0/15',
  '198.51.100.0/24',
  '203.0.113.0/24',
  '224.0.0.0/4',
  '240.0.0.0/4',
].map(parseNetwork)

/** Global unicast IPv6, except ranges that map to other addresses or are reserved. */
const GLOBAL_V6 = parseNetwork('2000::/3')
const NON_PUBLIC_V6 = ['2001::/23', '2001:db8::/32', '2002::/16', '3fff::/20'].map(parseNetwork)

interface Network {
  bits: 32 | 128
  start: bigint
  prefix: number
}

/** Whether an address belongs to the public internet. */
export function isPublicAddress(address: string): boolean {
  const parsed = parseAddress(address)
  if (!parsed) return false
  if (parsed.bits === 32) return !NON_PUBLIC_V4.some(network => contains(network, address))
  return contains(GLOBAL_V6, address) && !NON_PUBLIC_V6.some(network => contains(network, address))
}

/** Whether the text is an IP address in its usual notation. */
export function isIpAddress(text: string): boolean {
  return parseAddress(text) !== undefined
}

export function contains({ bits, start, prefix }: Network, address: string): boolean {
  const parsed = parseAddress(address)
  if (parsed?.bits !== bits) return false
  const shift = BigInt(bits - prefix)
  return parsed.value >> shift === start >> shift
}

/** Reads `10.0.0.0/8`, or a single address. Throws a RangeError. */
export function parseNetwork(text: string): Network {
  const [address = '', prefixText] = text.split('/')
  const parsed = parseAddress(address)
  const prefix = prefixText === undefined ? parsed?.bits : Number(prefixText)
  if (!parsed || prefix === undefined || !Number.isInteger(prefix) || prefix < 0 || prefix > parsed.bits)
    throw new RangeError(`${text} is not a network such as 10.0.0.0/8`)
  return { bits: parsed.bits, start: parsed.value, prefix }
}

function parseAddress(text: string): { bits: 32 | 128; value: bigint } | undefined {
  const v4 = parseV4(text)
  if (v4 !== undefined) return { bits: 32, value: v4 }
  const v6 = text.includes(':') ? parseV6(text) : undefined
  return v6 === undefined ? undefined : { bits: 128, value: v6 }
}

function parseV4(text: string): bigint | undefined {
  const octets = V4.exec(text)?.slice(1)
  return octets?.reduce((value, octet) => (value << 8n) | BigInt(octet), 0n)
}

/** The URL parser brings every notation of an IPv6 address into the same one. */
function parseV6(text: string): bigint | undefined {
  let host: string
  try {
    host = new URL(`http://[${text}]/`).hostname.slice(1, -1)
  } catch {
    return undefined
  }
  const [head = '', tail] = host.split('::')
  const [left, right] = [splitGroups(head), splitGroups(tail ?? '')]
  const zeros = Array.from({ length: 8 - left.length - right.length }, () => '0')
  return [...left, ...zeros, ...right].reduce((value, group) => (value << 16n) | BigInt(`0x${group}`), 0n)
}

function splitGroups(text: string): string[] {
  return text === '' ? [] : text.split(':')
}
