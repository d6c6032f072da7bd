import { type Address, encodeFunctionData, type Hex, parseAbi } from 'viem'
import type { SignedPayment } from './contract.ts'
import { parseKeySignature } from './key-signature.ts'
import { unwrapSignature } from './signature.ts'

/** The functions and events that we use of a token with signed transfers (EIP-3009). */
export const TOKEN_ABI = parseAbi([
  'function balanceOf(address) view returns (uint256)',
  'function authorizationState(address authorizer, bytes32 nonce) view returns (bool)',
  'function transferWithAuthorization(address from, address to, uint256 value, uint256 validAfter, uint256 validBefore, bytes32 nonce, uint8 v, bytes32 r, bytes32 s)',
  'function transferWithAuthorization(address from, address to, uint256 value, uint256 validAfter, uint256 validBefore, bytes32 nonce, bytes signature)',
  'event Transfer(address indexed from, address indexed to, uint256 value)',
  'event AuthorizationUsed(address indexed authorizer, bytes32 indexed nonce)',
  'event AuthorizationCanceled(address indexed authorizer, bytes32 indexed nonce)',
])

/** The signature check of a contract wallet (EIP-1271). */
export const WALLET_ABI = parseAbi(['function isValidSignature(bytes32 hash, bytes signature) view returns (bytes4)'])
export const VALID_SIGNATURE = '0x1626ba7e'

export interface ContractCall {
  to: Address
  data: Hex
}

/** Encodes the call that moves the money. The token asks contract wallets, so it gets their signature unchanged. */
export function encodeTransfer(payment: SignedPayment, isContract: boolean): ContractCall {
  const { from, to, value, validAfter, validBefore, nonce } = payment.authorization
  const terms = [from as Address, to as Address, value, validAfter, validBefore, nonce as Hex] as const
  const { inner } = unwrapSignature(payment.signature)
  const keySignature = isContract ? undefined : parseKeySignature(inner)
  const functionName = 'transferWithAuthorization'
  const data = keySignature
    ? encodeFunctionData({
        abi: TOKEN_ABI,
        functionName,
        args: [...terms, keySignature.v, keySignature.r, keySignature.s],
      })
    : encodeFunctionData({ abi: TOKEN_ABI, functionName, args: [...terms, inner] })
  return { to: payment.asset as Address, data }
}
