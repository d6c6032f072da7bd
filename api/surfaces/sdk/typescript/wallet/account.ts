import type { TypedData, WalletAccount } from '../types.ts'
import { addressOf, readPrivateKey, signDigest } from './curve.ts'
import { hashMessage, hashTypedData } from './typed-data.ts'

/** A wallet of a private key, which signs in this process. */
export function openWallet(privateKey: string): WalletAccount {
  const key = readPrivateKey(privateKey)
  return {
    address: addressOf(key),
    signTypedData: (data: TypedData) => signDigest(hashTypedData(data), key),
    signMessage: ({ message }) => signDigest(hashMessage(message), key),
  }
}
