import { toHex, utf8 } from '../bytes.ts'

const ROUNDS = 24
const RATE_BYTES = 136
const MASK = (1n << 64n) - 1n

/** The constants of the rounds, from the shift register that FIPS 202 defines. */
const ROUND_CONSTANTS = Array.from({ length: ROUNDS }, (_, round) => {
  let constant = 0n
  for (let bit = 0; bit <= 6; bit++) {
    if (registerBit(bit + 7 * round)) constant |= 1n << ((1n << BigInt(bit)) - 1n)
  }
  return constant
})

function registerBit(time: number): boolean {
  let register = 1
  for (let step = 0; step < time % 255; step++) {
    register <<= 1
    if (register & 0x100) register ^= 0x171
  }
  return (register & 1) === 1
}

/** How far each lane is turned, in the order in which the lanes take each other's place. */
const TURNS = Array.from({ length: ROUNDS }, (_, step) => BigInt((((step + 1) * (step + 2)) / 2) % 64))

function turn(lane: bigint, by: bigint): bigint {
  return ((lane << by) | (lane >> (64n - by))) & MASK
}

function permute(state: bigint[]): void {
  for (const constant of ROUND_CONSTANTS) {
    mixColumns(state)
    moveLanes(state)
    mixRows(state)
    state[0]! ^= constant
  }
}

function mixColumns(state: bigint[]): void {
  const columns = [0, 1, 2, 3, 4].map(x => state[x]! ^ state[x + 5]! ^ state[x + 10]! ^ state[x + 15]! ^ state[x + 20]!)
  for (let lane = 0; lane < 25; lane++) {
    state[lane]! ^= columns[(lane + 4) % 5]! ^ turn(columns[(lane + 1) % 5]!, 1n)
  }
}

function moveLanes(state: bigint[]): void {
  let [x, y] = [1, 0]
  let moving = state[1]!
  for (const by of TURNS) {
    ;[x, y] = [y, (2 * x + 3 * y) % 5]
    const place = x + 5 * y
    const next = state[place]!
    state[place] = turn(moving, by)
    moving = next
  }
}

function mixRows(state: bigint[]): void {
  for (let row = 0; row < 25; row += 5) {
    const lanes = state.slice(row, row + 5)
    for (let x = 0; x < 5; x++) state[row + x] = lanes[x]! ^ (~lanes[(x + 1) % 5]! & MASK & lanes[(x + 2) % 5]!)
  }
}

/** Keccak-256, as Ethereum uses it: with the padding from before SHA-3. */
export function keccak256(bytes: Uint8Array): Uint8Array<ArrayBuffer> {
  const padded = new Uint8Array((Math.floor(bytes.length / RATE_BYTES) + 1) * RATE_BYTES)
  padded.set(bytes)
  padded[bytes.length]! |= 1
  padded[padded.length - 1]! |= 0x80
  const view = new DataView(padded.buffer)
  const state = Array.from({ length: 25 }, () => 0n)
  for (let block = 0; block < padded.length; block += RATE_BYTES) {
    for (let lane = 0; lane < RATE_BYTES / 8; lane++) state[lane]! ^= view.getBigUint64(block + lane * 8, true)
    permute(state)
  }
  const digest = new DataView(new ArrayBuffer(32))
  for (let lane = 0; lane < 4; lane++) digest.setBigUint64(lane * 8, state[lane]!, true)
  return new Uint8Array(digest.buffer)
}

/** The address with the capitals that check it (EIP-55). */
export function toChecksumAddress(address: string): string {
  const digits = address.toLowerCase().replace(/^0x/, '')
  const hash = toHex(keccak256(utf8(digits)))
  const letters = Array.from(digits, (digit, at) => (Number.parseInt(hash[at]!, 16) >= 8 ? digit.toUpperCase() : digit))
  return `0x${letters.join('')}`
}
