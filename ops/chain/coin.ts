import { type Address, encodeFunctionData, type Hex, parseAbi } from 'viem'
import type { SignedPayment } from '#kit'
import { plainSignature, unwrapped } from './signature.ts'

/** What is used of a token that takes signed transfers (EIP-3009). */
export const COIN = parseAbi([
  'function balanceOf(address) view returns (uint256)',
  'function authorizationState(address authorizer, bytes32 nonce) view returns (bool)',
  'function transferWithAuthorization(address from, address to, uint256 value, uint256 validAfter, uint256 validBefore, bytes32 nonce, uint8 v, bytes32 r, bytes32 s)',
  'function transferWithAuthorization(address from, address to, uint256 value, uint256 validAfter, uint256 validBefore, bytes32 nonce, bytes signature)',
  'event Transfer(address indexed from, address indexed to, uint256 value)',
  'event AuthorizationUsed(address indexed authorizer, bytes32 indexed nonce)',
  'event AuthorizationCanceled(address indexed authorizer, bytes32 indexed nonce)',
])

/** What a contract wallet answers to whether it has signed (EIP-1271). */
export const WALLET = parseAbi(['function isValidSignature(bytes32 hash, bytes signature) view returns (bytes4)'])
export const SIGNED = '0x1626ba7e'

export interface Call {
  to: Address
  data: Hex
}

/** The call that moves the money. Wallets with code are asked by the contract, so theirs goes as it is. */
export function transferOf(payment: SignedPayment, isContract: boolean): Call {
  const { from, to, value, validAfter, validBefore, nonce } = payment.authorization
  const terms = [from as Address, to as Address, value, validAfter, validBefore, nonce as Hex] as const
  const { inner } = unwrapped(payment.signature)
  const plain = isContract ? undefined : plainSignature(inner)
  const functionName = 'transferWithAuthorization'
  const data = plain
    ? encodeFunctionData({ abi: COIN, functionName, args: [...terms, plain.v, plain.r, plain.s] })
    : encodeFunctionData({ abi: COIN, functionName, args: [...terms, inner] })
  return { to: payment.asset as Address, data }
}
