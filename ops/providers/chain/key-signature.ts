import type { Hex } from 'viem'

/** A signature by a private key, in the form the token accepts. */
interface KeySignature {
  v: 27 | 28
  r: Hex
  s: Hex
}

/** Half the order of the curve. A higher `s` is another form of the same signature, which tokens reject. */
const MAX_S = 0x7fffffffffffffffffffffffffffffff5d576e7357a4501ddfe92f46681b20a0n
const KEY_SIGNATURE = /^0x[0-9a-fA-F]{130}$/
/** Some hardware wallets write 0 and 1 for 27 and 28. */
const RECOVERY_VALUES = new Map<number, 27 | 28>([
  [0, 27],
  [1, 28],
  [27, 27],
  [28, 28],
])

export function parseKeySignature(signature: string): KeySignature | undefined {
  if (!KEY_SIGNATURE.test(signature)) return undefined
  const v = RECOVERY_VALUES.get(Number.parseInt(signature.slice(130), 16))
  const [r, s]: [Hex, Hex] = [`0x${signature.slice(2, 66)}`, `0x${signature.slice(66, 130)}`]
  return v !== undefined && BigInt(s) <= MAX_S ? { v, r, s } : undefined
}
