import { createPublicKey } from 'node:crypto'
import { Problem, type Warning } from '#kit'

/** The key type for each algorithm, as in a JWK; for elliptic curves, the curve. */
const KEY_TYPES = {
  HS256: 'oct',
  HS384: 'oct',
  HS512: 'oct',
  RS256: 'RSA',
  RS384: 'RSA',
  RS512: 'RSA',
  PS256: 'RSA',
  PS384: 'RSA',
  PS512: 'RSA',
  ES256: 'P-256',
  ES384: 'P-384',
  ES512: 'P-521',
  EdDSA: 'Ed25519',
  Ed25519: 'Ed25519',
} as const

type JwtAlgorithm = keyof typeof KEY_TYPES
export const ALGORITHMS = Object.keys(KEY_TYPES) as JwtAlgorithm[]

/** Rejects a key of the wrong type before the token is verified. */
export function checkKeyFits(
  given: 'secret' | 'publicKey' | 'jwks',
  publicKey: string | object | undefined,
  algorithms: readonly JwtAlgorithm[],
): void {
  const wrong = algorithms.filter(algorithm => (KEY_TYPES[algorithm] === 'oct') !== (given === 'secret'))
  if (wrong.length > 0) throw new Problem('KEY_TYPE', { field: given, algorithms: wrong })
  if (given !== 'publicKey') return
  const type = detectKeyType(publicKey!)
  const unfit = algorithms.filter(algorithm => KEY_TYPES[algorithm] !== type)
  if (unfit.length > 0) throw new Problem('KEY_TYPE', { field: given, keyType: type, algorithms: unfit })
}

const CURVES: Record<string, string> = { prime256v1: 'P-256', secp384r1: 'P-384', secp521r1: 'P-521' }

function detectKeyType(publicKey: string | object): string {
  const isPrivate = typeof publicKey === 'string' ? publicKey.includes('PRIVATE KEY-----') : 'd' in publicKey
  if (isPrivate) throw new Problem('KEY_TYPE', { field: 'publicKey', keyType: 'private' })
  if (typeof publicKey === 'object' && 'kty' in publicKey && publicKey.kty === 'oct') {
    throw new Problem('KEY_TYPE', { field: 'publicKey', keyType: 'oct' })
  }
  const { asymmetricKeyType = '', asymmetricKeyDetails } = readPublicKey(publicKey)
  if (asymmetricKeyType.startsWith('rsa')) return 'RSA'
  if (asymmetricKeyType === 'ed25519') return 'Ed25519'
  const curve = asymmetricKeyDetails?.namedCurve ?? asymmetricKeyType
  return CURVES[curve] ?? curve
}

function readPublicKey(key: string | object) {
  try {
    return typeof key === 'string' ? createPublicKey(key) : createPublicKey({ key: { ...key }, format: 'jwk' })
  } catch {
    throw new Problem('KEY_INVALID', { field: 'publicKey' })
  }
}

/** Rejects a public key as a secret, because anyone who knows it could sign tokens. */
export function checkSecret(secret: Buffer, algorithms: readonly JwtAlgorithm[]): Warning[] | undefined {
  if (isAsymmetric(secret)) throw new Problem('KEY_TYPE', { field: 'secret', keyType: 'asymmetric' })
  const neededBytes = Math.min(...algorithms.map(algorithm => Number(algorithm.slice(2)) / 8))
  if (secret.length >= neededBytes) return undefined
  const message = `A secret for ${algorithms.join(', ')} should have ${neededBytes} bytes or more.`
  return [{ code: 'WEAK_SECRET', message }]
}

function isAsymmetric(secret: Buffer): boolean {
  const text = secret.toString('latin1').trim()
  if (/-----BEGIN |^(ssh-(rsa|ed25519)|ecdsa-sha2-\S+) /.test(text) || /^\{[\s\S]*"kty"\s*:/.test(text)) return true
  try {
    createPublicKey({ key: secret, format: 'der', type: 'spki' })
    return true
  } catch {
    return false
  }
}
