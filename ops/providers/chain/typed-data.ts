import { hashTypedData, hexToBytes, recoverAddress, type TypedDataDefinition } from 'viem'
import { parseKeySignature } from './signature.ts'

/** The digest that a wallet signs of typed data (EIP-712). */
export function digestTypedData(data: TypedDataDefinition): Uint8Array {
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
  const { r, s, v } = parsed
  try {
    const signer = await recoverAddress({ hash: signed.digest, signature: { r, s, v: BigInt(v) } })
    return signer.toLowerCase() === signed.address.toLowerCase()
  } catch {
    return false
  }
}
