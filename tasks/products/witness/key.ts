import { createHash, createPrivateKey, createPublicKey, generateKeyPairSync, type KeyObject } from 'node:crypto'
import { canonicalize } from './canonical.ts'

/** The public part of an Ed25519 key, as RFC 8037 writes it. */
interface PublicJwk {
  kty: 'OKP'
  crv: 'Ed25519'
  x: string
}

/** A key that signs. Its id is the RFC 7638 thumbprint of its public part. */
export interface SigningKey {
  kid: string
  x: string
  privateKey: KeyObject
}

export function publicJwk(x: string): PublicJwk {
  return { kty: 'OKP', crv: 'Ed25519', x }
}

export function newSigningKey(): SigningKey {
  return describeKey(generateKeyPairSync('ed25519').privateKey)
}

/** Reads a private key as PEM (PKCS #8) or as a JWK in JSON. Throws a RangeError if it is not an Ed25519 key. */
export function parseSigningKey(text: string): SigningKey {
  try {
    const isJson = text.trimStart().startsWith('{')
    const privateKey = isJson
      ? createPrivateKey({ key: JSON.parse(text) as Record<string, string>, format: 'jwk' })
      : createPrivateKey(text)
    if (privateKey.asymmetricKeyType === 'ed25519') return describeKey(privateKey)
  } catch {
    // OpenSSL's messages help nobody here, and JSON.parse quotes the key.
  }
  throw new RangeError('This is not an Ed25519 private key as PEM (PKCS #8) or JWK.')
}

export function writeSigningKey({ privateKey }: SigningKey): string {
  return privateKey.export({ format: 'pem', type: 'pkcs8' }).toString()
}

function describeKey(privateKey: KeyObject): SigningKey {
  const { x } = createPublicKey(privateKey).export({ format: 'jwk' }) as { x: string }
  const kid = createHash('sha256')
    .update(canonicalize(publicJwk(x)))
    .digest('base64url')
  return { kid, x, privateKey }
}
