import { createPublicKey, type JsonWebKey, type KeyObject } from 'node:crypto'
import { createLocalJWKSet, decodeProtectedHeader, errors, type JSONWebKeySet, type JWTPayload, jwtVerify } from 'jose'
import { Problem } from '#kit'

export function bind() {
  return { verify }
}

export type VerifyKey = { secret: Uint8Array } | { publicKey: string | JsonWebKey } | { jwks: JSONWebKeySet }

export interface VerifyRequest {
  token: string
  key: VerifyKey
  /** Pinned by the caller; the token's own word is never enough. */
  algorithms: string[]
  issuer?: string | string[]
  audience?: string | string[]
  subject?: string
  /** Seconds, or words such as `2h`. */
  maxTokenAge?: string | number
  clockToleranceSec?: number
  requiredClaims?: string[]
  currentDate?: Date
}

export type VerifyReason = 'signature' | 'expired' | 'not-before' | 'claim' | 'alg' | 'key'

export interface Verdict {
  valid: boolean
  reason?: VerifyReason
  claim?: string
  header: Record<string, unknown>
  /** Present once the signature holds, also where a claim does not. */
  payload?: JWTPayload
}

async function verify(request: VerifyRequest): Promise<Verdict> {
  const header = headerOf(request.token)
  const key = keyOf(request)
  if (!request.algorithms.includes(String(header.alg))) return { valid: false, reason: 'alg', header }
  if (isHmac(String(header.alg)) !== 'secret' in request.key) return { valid: false, reason: 'key', header }
  try {
    const { payload } = await verifyWithAny(request, key)
    return { valid: true, header, payload }
  } catch (error) {
    return { valid: false, header, ...reasonOf(error) }
  }
}

function headerOf(token: string): Record<string, unknown> {
  try {
    return decodeProtectedHeader(token) as Record<string, unknown>
  } catch {
    throw new Problem('JWT_MALFORMED', { part: 'header' })
  }
}

type ReadyKey = Uint8Array | KeyObject | ReturnType<typeof createLocalJWKSet>

/** A key that fits none of the pinned algorithms is the caller's mistake, not a verdict on the token. */
function keyOf({ key, algorithms }: VerifyRequest): ReadyKey {
  const isSymmetric = 'secret' in key
  if (!algorithms.some(alg => isHmac(alg) === isSymmetric)) throw new Problem('KEY_TYPE', { algorithms })
  if ('secret' in key) return secretOf(key.secret)
  if ('publicKey' in key) return publicKeyOf(key.publicKey)
  try {
    return createLocalJWKSet(key.jwks)
  } catch {
    throw new Problem('KEY_INVALID', { field: 'jwks' })
  }
}

function secretOf(secret: Uint8Array): Uint8Array {
  const start = Buffer.from(secret.buffer, secret.byteOffset, Math.min(secret.length, 64)).toString('latin1')
  if (start.trimStart().startsWith('-----BEGIN')) throw new Problem('KEY_TYPE', { field: 'secret' })
  if (secret.length === 0) throw new Problem('KEY_INVALID', { field: 'secret' })
  return secret
}

function publicKeyOf(publicKey: string | JsonWebKey): KeyObject {
  const isPrivate = typeof publicKey === 'string' ? publicKey.includes('PRIVATE KEY') : 'd' in publicKey
  if (isPrivate) throw new Problem('KEY_TYPE', { field: 'publicKey', given: 'private key' })
  if (typeof publicKey === 'object' && publicKey.kty === 'oct') throw new Problem('KEY_TYPE', { field: 'publicKey' })
  try {
    return typeof publicKey === 'string'
      ? createPublicKey(publicKey)
      : createPublicKey({ key: publicKey, format: 'jwk' })
  } catch {
    throw new Problem('KEY_INVALID', { field: 'publicKey' })
  }
}

function isHmac(algorithm: string): boolean {
  return algorithm.startsWith('HS')
}

async function verifyWithAny(request: VerifyRequest, key: ReadyKey): Promise<{ payload: JWTPayload }> {
  const { token, algorithms, issuer, audience, subject, maxTokenAge, requiredClaims, currentDate } = request
  const clockTolerance = request.clockToleranceSec ?? 5
  const options = {
    algorithms,
    clockTolerance,
    issuer,
    audience,
    subject,
    maxTokenAge,
    requiredClaims,
    currentDate,
  }
  if (typeof key !== 'function') return jwtVerify(token, key, options)
  try {
    return await jwtVerify(token, key, options)
  } catch (error) {
    if (!(error instanceof errors.JWKSMultipleMatchingKeys)) throw error
    return firstThatVerifies(token, error, options)
  }
}

/** A key set without key ids may hold several keys that fit; the first whose signature holds decides. */
async function firstThatVerifies(
  token: string,
  candidates: errors.JWKSMultipleMatchingKeys,
  options: Parameters<typeof jwtVerify>[2],
): Promise<{ payload: JWTPayload }> {
  for await (const candidate of candidates) {
    try {
      return await jwtVerify(token, candidate, options)
    } catch (error) {
      if (!(error instanceof errors.JWSSignatureVerificationFailed)) throw error
    }
  }
  throw new errors.JWSSignatureVerificationFailed()
}

function reasonOf(error: unknown): Pick<Verdict, 'reason' | 'claim' | 'payload'> {
  if (error instanceof errors.JWTExpired) return { reason: 'expired', claim: error.claim, payload: error.payload }
  if (error instanceof errors.JWTClaimValidationFailed) {
    const { claim, payload } = error
    return { reason: claim === 'nbf' ? 'not-before' : 'claim', claim, payload }
  }
  if (error instanceof errors.JWSSignatureVerificationFailed) return { reason: 'signature' }
  if (error instanceof errors.JOSEAlgNotAllowed) return { reason: 'alg' }
  if (error instanceof errors.JWSInvalid || error instanceof errors.JWTInvalid) throw new Problem('JWT_MALFORMED')
  const isKeyFault = error instanceof errors.JWKSNoMatchingKey || error instanceof TypeError
  if (isKeyFault || error instanceof errors.JOSENotSupported) return { reason: 'key' }
  throw error
}
