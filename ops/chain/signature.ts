import { recover } from 'tiny-secp256k1'
import { type Address, decodeAbiParameters, type Hex, keccak256 } from 'viem'

/** A signature by a private key, as the token takes it. */
export interface PlainSignature {
  v: 27 | 28
  r: Hex
  s: Hex
}

/** Half the order of the curve: a higher `s` is the same signature written another way, and tokens refuse it. */
const HIGHEST_S = 0x7fffffffffffffffffffffffffffffff5d576e7357a4501ddfe92f46681b20a0n
const PLAIN = /^0x[0-9a-fA-F]{130}$/
/** 0 and 1 are what some hardware wallets write for 27 and 28. */
const V = new Map<number, 27 | 28>([
  [0, 27],
  [1, 28],
  [27, 27],
  [28, 28],
])

export function plainSignature(signature: string): PlainSignature | undefined {
  if (!PLAIN.test(signature)) return undefined
  const v = V.get(Number.parseInt(signature.slice(130), 16))
  const [r, s]: [Hex, Hex] = [`0x${signature.slice(2, 66)}`, `0x${signature.slice(66, 130)}`]
  return v !== undefined && BigInt(s) <= HIGHEST_S ? { v, r, s } : undefined
}

/** Whether the key behind this address signed these 32 bytes. */
export function isSignedByKey(address: string, digest: Uint8Array, signature: string): boolean {
  const plain = plainSignature(signature)
  return plain !== undefined && signerOf(digest, plain) === address.toLowerCase()
}

/** Whose key it was, in lower case; nothing where it can be no key's. */
function signerOf(digest: Uint8Array, { v, r, s }: PlainSignature): string | undefined {
  const key = recovered(digest, Buffer.from(r.slice(2) + s.slice(2), 'hex'), v === 27 ? 0 : 1)
  return key && `0x${keccak256(key.subarray(1)).slice(-40)}`
}

/** It throws where r or s is zero or past the order of the curve, and gives nothing where r is on no point. */
function recovered(digest: Uint8Array, compact: Uint8Array, side: 0 | 1): Uint8Array | undefined {
  try {
    return recover(digest, compact, side, false) ?? undefined
  } catch {
    return undefined
  }
}

/** How a wallet that is not on the chain yet comes there (ERC-6492). */
export interface Deployment {
  factory: Address
  data: Hex
}

const WRAPPED = '6492649264926492649264926492649264926492649264926492649264926492'

/** The signature itself and, where it is wrapped, how its wallet is deployed. */
export function unwrapped(signature: string): { inner: Hex; deployment?: Deployment } {
  if (!signature.toLowerCase().endsWith(WRAPPED)) return { inner: signature as Hex }
  try {
    const parameters = [{ type: 'address' }, { type: 'bytes' }, { type: 'bytes' }] as const
    const [factory, data, inner] = decodeAbiParameters(parameters, signature.slice(0, -WRAPPED.length) as Hex)
    return { inner, deployment: { factory, data } }
  } catch {
    return { inner: signature as Hex }
  }
}
