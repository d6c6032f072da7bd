import { fromBase64, sha256, toHex, utf8 } from './bytes.ts'

/** The published keys, as `client.system.jwks()` answers them. */
export interface Jwks {
  keys: ReadonlyArray<PublishedKey>
}

type PublishedKey = JsonWebKey & { kid?: string; svc_not_after?: string }

/** The key that the head of a compact JWS names; undefined if it is none of these. */
export function findKey(head: string, { keys }: Jwks): PublishedKey | undefined {
  const { kid, alg } = readHead(head)
  return alg === 'EdDSA' ? keys.find(one => one.kid === kid) : undefined
}

/** What cannot be read names no key. */
function readHead(head: string): { kid?: string; alg?: string } {
  try {
    return (JSON.parse(new TextDecoder().decode(fromBase64(head))) as { kid?: string } | null) ?? {}
  } catch {
    return {}
  }
}

export async function isSignedBy({ kty, crv, x }: PublishedKey, signed: string, signature: string): Promise<boolean> {
  if (!/^[\w-]{86}$/.test(signature)) return false
  const imported = await crypto.subtle.importKey('jwk', { kty, crv, x }, 'Ed25519', false, ['verify'])
  return crypto.subtle.verify('Ed25519', imported, fromBase64(signature), utf8(signed))
}

/** Whether something is said to be signed later than its key was in use. */
export function isTooLate(signedAt: string, { svc_not_after: end }: PublishedKey): boolean {
  return end !== undefined && Date.parse(signedAt) > Date.parse(end)
}

export async function hexSha256(bytes: Uint8Array<ArrayBuffer>): Promise<string> {
  return toHex(await sha256(bytes))
}
