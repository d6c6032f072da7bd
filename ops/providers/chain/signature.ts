import { type Address, decodeAbiParameters, type Hex } from 'viem'

/** How a wallet that does not exist on the chain yet is deployed (ERC-6492). */
export interface Deployment {
  factory: Address
  data: Hex
}

const ERC6492_SUFFIX = '6492649264926492649264926492649264926492649264926492649264926492'

/** The signature itself and, for an ERC-6492 signature, the deployment of its wallet. */
export function unwrapSignature(signature: string): { inner: Hex; deployment?: Deployment } {
  if (!signature.toLowerCase().endsWith(ERC6492_SUFFIX)) return { inner: signature as Hex }
  try {
    const parameters = [{ type: 'address' }, { type: 'bytes' }, { type: 'bytes' }] as const
    const [factory, data, inner] = decodeAbiParameters(parameters, signature.slice(0, -ERC6492_SUFFIX.length) as Hex)
    return { inner, deployment: { factory, data } }
  } catch {
    return { inner: signature as Hex }
  }
}
