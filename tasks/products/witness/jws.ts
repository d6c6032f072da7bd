import { type KeyObject, sign } from 'node:crypto'
import { canonicalize } from './canonical.ts'

/** `EdDSA` and not the newer `Ed25519`, because older libraries know only that. */
const ALGORITHM = 'EdDSA'

/** Canonical JSON as a part of a JWS. */
export function encodePart(value: object): string {
  return Buffer.from(canonicalize(value)).toString('base64url')
}

/** Signs canonical JSON as a compact JWS. */
export function signJws(header: object, payload: object, privateKey: KeyObject): string {
  const signed = `${encodePart({ alg: ALGORITHM, ...header })}.${encodePart(payload)}`
  return `${signed}.${sign(null, Buffer.from(signed), privateKey).toString('base64url')}`
}
