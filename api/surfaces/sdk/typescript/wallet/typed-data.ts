import { concat, fromBigInt, fromHex, utf8 } from '../bytes.ts'
import type { TypedData } from '../types.ts'
import { keccak256 } from './keccak.ts'

const DOMAIN_FIELDS = [
  { name: 'name', type: 'string' },
  { name: 'version', type: 'string' },
  { name: 'chainId', type: 'uint256' },
  { name: 'verifyingContract', type: 'address' },
]

/** The digest that is signed of typed data (EIP-712), for structures without others inside, which is all that is signed here. */
export function hashTypedData({ domain, types, primaryType, message }: TypedData): Uint8Array<ArrayBuffer> {
  const domainFields = DOMAIN_FIELDS.filter(({ name }) => domain[name] !== undefined)
  const parts = [
    hashStructure('EIP712Domain', domainFields, domain),
    hashStructure(primaryType, types[primaryType]!, message),
  ]
  return keccak256(concat(Uint8Array.of(0x19, 0x01), ...parts))
}

type Fields = TypedData['types'][string]

function hashStructure(name: string, fields: Fields, values: Record<string, unknown>): Uint8Array {
  const type = `${name}(${fields.map(field => `${field.type} ${field.name}`).join(',')})`
  return keccak256(concat(keccak256(utf8(type)), ...fields.map(field => encodeValue(field.type, values[field.name]))))
}

function encodeValue(type: string, value: unknown): Uint8Array {
  if (type === 'string') return keccak256(utf8(String(value)))
  if (type === 'bytes32') return fromHex(String(value))
  if (type === 'address') return fromBigInt(BigInt(String(value)))
  if (type.startsWith('uint')) return fromBigInt(BigInt(value as string))
  throw new TypeError(`typed data with ${type} cannot be signed here: use an account of viem`)
}

/** The digest that is signed of a text (EIP-191). */
export function hashMessage(message: string): Uint8Array<ArrayBuffer> {
  const bytes = utf8(message)
  return keccak256(concat(utf8(`\x19Ethereum Signed Message:\n${bytes.length}`), bytes))
}
