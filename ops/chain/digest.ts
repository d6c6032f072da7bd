import { domainSeparator, type Hex, hexToBytes, keccak256 } from 'viem'
import type { Authorization, PaymentAsset, PaymentNetwork } from '#kit'

/** keccak256 of `TransferWithAuthorization(address from,address to,uint256 value,…)`, as the contract has it. */
const TYPE_HASH = '7c7c6cdb67a18743f49ec6fa9b35f50d52ed05cbed4cc592e13b44501c1a2267'
const PREFIX = Uint8Array.of(0x19, 0x01)

/** By the address of the token in lower case. */
export function domainsOf(network: PaymentNetwork): Map<string, Uint8Array> {
  return new Map(network.assets.map(asset => [asset.address.toLowerCase(), domainOf(asset, network.chainId)]))
}

/** What a token's payers sign under: its name, version, chain and address in one hash. */
function domainOf(asset: PaymentAsset, chainId: number): Uint8Array {
  const verifyingContract = asset.address as Hex
  const domain = { name: asset.domainName, version: asset.domainVersion, chainId, verifyingContract }
  return hexToBytes(domainSeparator({ domain }))
}

/** The 32 bytes that are signed (EIP-712); written out, because the general form takes six times as long. */
export function digestOf(domain: Uint8Array, authorization: Authorization): Uint8Array {
  const { from, to, value, validAfter, validBefore, nonce } = authorization
  const words = [from, to, value, validAfter, validBefore, nonce].map(wordOf).join('')
  const message = keccak256(Buffer.from(TYPE_HASH + words, 'hex'), 'bytes')
  return keccak256(Buffer.concat([PREFIX, domain, message]), 'bytes')
}

function wordOf(value: string | bigint): string {
  const digits = typeof value === 'bigint' ? value.toString(16) : value.slice(2)
  return digits.padStart(64, '0')
}
