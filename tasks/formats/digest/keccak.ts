import { keccak_256 } from '@noble/hashes/sha3.js'

interface RunningDigest {
  update(chunk: Uint8Array): unknown
  digest(): Buffer
}

/** Keccak-256 as Ethereum uses it: SHA3-256 with its padding from before the standard. Node's OpenSSL lacks it. */
export function startKeccak256(): RunningDigest {
  const hash = keccak_256.create()
  return { update: chunk => hash.update(chunk), digest: () => Buffer.from(hash.digest()) }
}
