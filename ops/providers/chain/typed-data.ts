import type { TypedDataDefinition } from 'viem'
import { parseKeySignature } from './key-signature.ts'

// viem is loaded with the first signature, because it takes more memory than all else that an api without payments loads.

/** The digest that a wallet signs of typed data (EIP-712). */
export async function digestTypedData(data: TypedDataDefinition): Promise<Uint8Array> {
  const { hashTypedData, hexToBytes } = await import('viem')
  return hexToBytes(hashTypedData(data))
}

/** Whether the key of a plain account signed the digest. A signature in its other form, with a high `s`, does not count. */
export async function isDigestSigned(signed: {
  address: string
  digest: Uint8Array
  signature: string
}): Promise<boolean> {
  const parsed = parseKeySignature(signed.signature)
  if (!parsed) return false
  const { recoverAddress } = await import('viem')
  const { r, s, v } = parsed
  try {
    const signer = await recoverAddress({ hash: signed.digest, signature: { r, s, v: BigInt(v) } })
    return signer.toLowerCase() === signed.address.toLowerCase()
  } catch {
    return false
  }
}
