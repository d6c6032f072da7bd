import { timingSafeEqual } from 'node:crypto'
import { hashToken } from '../../../ops/secrets.ts'
import type { Caller } from '../identity/caller.ts'

/**
 * The key of an upload with a token that lets an unpaid call learn the price of its use. Standard x402 clients send the
 * same request unpaid first, when nobody knows yet whose it is; a stranger who has only the key learns nothing.
 */
function withPriceToken(secret: string, key: string): string {
  return `${key}.${tokenOf(secret, key)}`
}

/** How a caller is told the keys of stored files. Only wallets ask for prices unpaid, so only theirs have a token. */
export function keyNamer(secret: string, caller: Pick<Caller, 'via'> | undefined): (key: string) => string {
  const isWallet = caller?.via === 'x402' || caller?.via === 'wallet'
  return key => (isWallet ? withPriceToken(secret, key) : key)
}

export function splitPriceToken(inputKey: string): { key: string; token: string } {
  const dot = inputKey.lastIndexOf('.')
  return dot < 0 ? { key: inputKey, token: '' } : { key: inputKey.slice(0, dot), token: inputKey.slice(dot + 1) }
}

export function isPriceToken(secret: string, key: string, token: string): boolean {
  const [given, expected] = [Buffer.from(token), Buffer.from(tokenOf(secret, key))]
  return given.length === expected.length && timingSafeEqual(given, expected)
}

function tokenOf(secret: string, key: string): string {
  return hashToken(secret, 'price-token', key).toString('base64url').slice(0, 22)
}
