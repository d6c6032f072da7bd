const LOCAL_HOSTS = new Set(['localhost', '127.0.0.1'])

/**
 * The did:web of an address. Those who look it up use https, or http on their own machine; other addresses, and those with a
 * path, where its document would have to be elsewhere, have none.
 */
export function findWebDid(publicUrl: string): string | undefined {
  const { protocol, hostname, host, pathname } = new URL(publicUrl)
  const isLocal = LOCAL_HOSTS.has(hostname)
  if (pathname !== '/' || hostname.startsWith('[') || protocol !== (isLocal ? 'http:' : 'https:')) return undefined
  return `did:web:${encodeURIComponent(host)}`
}

interface PublicKey {
  kid: string
  x: string
}

/** How a signature names the key that it was made with: by the address that publishes it, else by the key itself. */
export function nameKey(publicUrl: string, { kid, x }: PublicKey): string {
  const did = findWebDid(publicUrl)
  if (did) return `${did}#${kid}`
  const jwk = JSON.stringify({ kty: 'OKP', crv: 'Ed25519', x })
  return `did:jwk:${Buffer.from(jwk).toString('base64url')}#0`
}

/** The document of a did:web: all keys, so that old signatures can be checked, and the one that signs now. */
export function describeDid(did: string, keys: readonly (PublicKey & { svc_not_after?: string })[]) {
  const nameOf = ({ kid }: PublicKey) => `${did}#${kid}`
  return {
    '@context': ['https://www.w3.org/ns/did/v1', 'https://w3id.org/security/suites/jws-2020/v1'],
    id: did,
    verificationMethod: keys.map(key => ({
      id: nameOf(key),
      type: 'JsonWebKey2020',
      controller: did,
      publicKeyJwk: { kty: 'OKP', crv: 'Ed25519', x: key.x, kid: key.kid, alg: 'EdDSA' },
    })),
    assertionMethod: keys.filter(({ svc_not_after: end }) => end === undefined).map(nameOf),
  }
}
