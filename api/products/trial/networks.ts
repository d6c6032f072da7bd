import { hashToken } from '../../../ops/secrets.ts'
import { addressBucket } from '../../intake/identity/rate-limit.ts'

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
  const address = addressBucket(ip).slice('ip:'.length)
  const isOld = address.includes('.')
  const parts = address.split(isOld ? '.' : ':')
  return [parts.slice(0, 3), parts.slice(0, 2)].map((kept, index) => {
    const name = kept.join(isOld ? '.' : ':')
    return { name, hash: hashToken(secret, 'trial network', name), limit: index === 0 ? limit : limit * WIDER }
  })
}
