import { keccak_256 } from '@noble/hashes/sha3.js'
import { domainSeparator, type Hex, hexToBytes } from 'viem'
import type { Authorization, PaymentAsset } from '#kit'
import type { PaymentNetwork } from './contract.ts'

/** keccak256 of `TransferWithAuthorization(address from,address to,uint256 value,…)`, as in the token contract. */
const TYPE_HASH = '7c7c6cdb67a18743f49ec6fa9b35f50d52ed05cbed4cc592e13b44501c1a2267'
const PREFIX = Uint8Array.of(0x19, 0x01)

/** Keyed by the token's address in lower case. */
export function computeDomains(network: PaymentNetwork): Map<string, Uint8Array> {
  return new Map(network.assets.map(asset => [asset.address.toLowerCase(), computeDomain(asset, network.chainId)]))
}

/** The EIP-712 domain of a token: the hash of its name, version, chain and address. */
function computeDomain(asset: PaymentAsset, chainId: number): Uint8Array {
  const verifyingContract = asset.address as Hex
  const domain = { name: asset.domainName, version: asset.domainVersion, chainId, verifyingContract }
  return hexToBytes(domainSeparator({ domain }))
}

/** The 32 bytes to sign (EIP-712). Written out because viem's general function takes six times as long. */
export function computeDigest(domain: Uint8Array, authorization: Authorization): Uint8Array {
  const { from, to, value, validAfter, validBefore, nonce } = authorization
  const words = [from, to, value, validAfter, validBefore, nonce].map(encodeWord).join('')
  const message = keccak_256(Buffer.from(TYPE_HASH + words, 'hex'))
  return keccak_256(Buffer.concat([PREFIX, domain, message]))
}

function encodeWord(value: string | bigint): string {
  const digits = typeof value === 'bigint' ? value.toString(16) : value.slice(2)
  return digits.padStart(64, '0')
}
