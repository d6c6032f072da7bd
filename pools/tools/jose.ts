import { createPublicKey, type JsonWebKey, type KeyObject } from 'node:crypto'
import { createLocalJWKSet, decodeProtectedHeader, errors, type JSONWebKeySet, type JWTPayload, jwtVerify } from 'jose'
import { Problem } from '#kit'

export function bind() {
  return { verify }
}

type VerifyKey = { secret: Uint8Array } | { publicKey: string | JsonWebKey } | { jwks: JSONWebKeySet }

interface VerifyRequest {
  token: string
  key: VerifyKey
  /** Chosen by the caller; the algorithm named in the token's header is not trusted. */
  algorithms: string[]
  issuer?: string | string[]
  audience?: string | string[]
  subject?: string
  /** Seconds, or a duration such as `2h`. */
  maxTokenAge?: string | number
  clockToleranceSec?: number
  requiredClaims?: string[]
  currentDate?: Date
}

type VerifyReason = 'signature' | 'expired' | 'not-before' | 'claim' | 'alg' | 'key'

interface VerifyResult {
  valid: boolean
  reason?: VerifyReason
  claim?: string
  header: Record<string, unknown>
  /** Present if the signature is valid, even if a claim is not. */
  payload?: JWTPayload
}

async function verify(request: VerifyRequest): Promise<VerifyResult> {
  const header = decodeHeader(request.token)
  const key = prepareKey(request)
  if (!request.algorithms.includes(String(header.alg))) return { valid: false, reason: 'alg', header }
  if (isHmac(String(header.alg)) !== 'secret' in request.key) return { valid: false, reason: 'key', header }
  try {
    const { payload } = await verifyWithAny(request, key)
    return { valid: true, header, payload }
  } catch (error) {
    return { valid: false, header, ...explainFailure(error) }
  }
}

function decodeHeader(token: string): Record<string, unknown> {
  try {
    return decodeProtectedHeader(token) as Record<string, unknown>
  } catch {
    throw new Problem('JWT_MALFORMED', { part: 'header' })
  }
}

type PreparedKey = Uint8Array | KeyObject | ReturnType<typeof createLocalJWKSet>

/** A key that fits none of the allowed algorithms is an input error and says nothing about the token. */
function prepareKey({ key, algorithms }: VerifyRequest): PreparedKey {
  const isSymmetric = 'secret' in key
  if (!algorithms.some(alg => isHmac(alg) === isSymmetric)) throw new Problem('KEY_TYPE', { algorithms })
  if ('secret' in key) return checkSecret(key.secret)
  if ('publicKey' in key) return importPublicKey(key.publicKey)
  try {
    return createLocalJWKSet(key.jwks)
  } catch {
    throw new Problem('KEY_INVALID', { field: 'jwks' })
  }
}

function checkSecret(secret: Uint8Array): Uint8Array {
  const start = Buffer.from(secret.buffer, secret.byteOffset, Math.min(secret.length, 64)).toString('latin1')
  if (start.trimStart().startsWith('-----BEGIN')) throw new Problem('KEY_TYPE', { field: 'secret' })
  if (secret.length === 0) throw new Problem('KEY_INVALID', { field: 'secret' })
  return secret
}

function importPublicKey(publicKey: string | JsonWebKey): KeyObject {
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

async function verifyWithAny(request: VerifyRequest, key: PreparedKey): Promise<{ payload: JWTPayload }> {
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
    return verifyWithFirstMatch(token, error, options)
  }
}

/** Several keys of a set without key ids may match; the first that verifies the signature decides. */
async function verifyWithFirstMatch(
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

function explainFailure(error: unknown): Pick<VerifyResult, 'reason' | 'claim' | 'payload'> {
  if (error instanceof errors.JWTExpired) return { reason: 'expired', claim: error.claim, payload: error.payload }
  if (error instanceof errors.JWTClaimValidationFailed) {
    const { claim, payload } = error
    return { reason: claim === 'nbf' ? 'not-before' : 'claim', claim, payload }
  }
  if (error instanceof errors.JWSSignatureVerificationFailed) return { reason: 'signature' }
  if (error instanceof errors.JOSEAlgNotAllowed) return { reason: 'alg' }
  if (error instanceof errors.JWSInvalid || error instanceof errors.JWTInvalid) throw new Problem('JWT_MALFORMED')
  const isKeyError = error instanceof errors.JWKSNoMatchingKey || error instanceof TypeError
  if (isKeyError || error instanceof errors.JOSENotSupported) return { reason: 'key' }
  throw error
}
