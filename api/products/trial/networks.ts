import { hashToken } from '../../../ops/secrets.ts'
import { bucketsOf } from '../../intake/identity/rate-limit.ts'

/** How many times the limit of its smallest network a wider one has. */
const WIDER = 10

interface Network {
  name: string
  hash: Buffer
  limit: number
}

/**
 * The networks of an address: an IPv4 /24 and its /16, or an IPv6 /48 and its /32, because one visitor can have any number of
 * addresses. Only keyed hashes of them are stored.
 */
export function networksOf(ip: string, secret: string, limit: number): Network[] {
  const network = bucketsOf('', ip).network.slice(':net:'.length)
  const separator = network.includes('.') ? '.' : ':'
  const parts = network.split(separator)
  return [parts, parts.slice(0, 2)].map((kept, index) => {
    const name = kept.join(separator)
    return { name, hash: hashToken(secret, 'trial network', name), limit: index === 0 ? limit : limit * WIDER }
  })
}
