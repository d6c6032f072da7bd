import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { instantiateSecp256k1Bytes } from '@bitauth/libauth/build/lib/crypto/secp256k1.js'
import { keccak_256 } from '@noble/hashes/sha3.js'

// Decision 0042: recover signers in WebAssembly.

// Only this part of the package is loaded: all of it takes six times as long and 25 MB more.
const WASM_FILE = createRequire(import.meta.url).resolve('@bitauth/libauth/build/lib/bin/secp256k1/secp256k1.wasm')
const secp256k1 = await instantiateSecp256k1Bytes(Uint8Array.from(readFileSync(WASM_FILE)).buffer)

/** One check as bytes, which cost a thread's message less than objects: 32 of the digest, 64 of r and s, v, 20 of the address. */
export const CHECK_BYTES = 117

/** Whether the key of the check's address signed its digest. */
export function isSignedByKey(check: Uint8Array): boolean {
  const [digest, compact, address] = [check.subarray(0, 32), check.subarray(32, 96), check.subarray(97)]
  const key = secp256k1.recoverPublicKeyUncompressed(compact, check[96] as 0 | 1, digest)
  return typeof key !== 'string' && Buffer.compare(keccak_256(key.subarray(1)).subarray(12), address) === 0
}
