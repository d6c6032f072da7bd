const ROUNDS = 24
const LANES = 25
/** Bytes taken in between two permutations: 1600 bits of state less twice the 256 bits of digest. */
const RATE_BYTES = 136

/** Where each lane moves (above eight bits) and by how far it turns, in the order of one walk that starts at lane 1. */
const WALK = walkOfLanes()
const CONSTANTS = roundConstants()

function walkOfLanes(): Int32Array {
  let [x, y] = [1, 0]
  return Int32Array.from({ length: LANES - 1 }, (_, step) => {
    ;[x, y] = [y, (2 * x + 3 * y) % 5]
    const firstWord = 2 * (x + 5 * y)
    return (firstWord << 8) | ((((step + 1) * (step + 2)) / 2) % 64)
  })
}

/** Low and high words of the round constants, made by the shift register that the specification gives. */
function roundConstants(): Int32Array {
  const words = new Int32Array(2 * ROUNDS)
  let register = 1
  for (let round = 0; round < ROUNDS; round++) {
    for (let power = 0; power < 7; power++) {
      const bit = 2 ** power - 1
      if (register & 1) words[2 * round + (bit >> 5)]! ^= 1 << (bit & 31)
      register = ((register << 1) ^ ((register >> 7) * 0x171)) & 0xff
    }
  }
  return words
}

/** Keccak-256 as Ethereum uses it: SHA3-256 before the padding changed. OpenSSL as Node builds it has none. */
export class Keccak256 {
  readonly #state = new Int32Array(2 * LANES)
  readonly #bytes = new Uint8Array(this.#state.buffer)
  readonly #sums = new Int32Array(10)
  #filled = 0

  update(data: Uint8Array): this {
    for (let index = 0; index < data.length; index++) {
      this.#bytes[this.#filled++]! ^= data[index]!
      if (this.#filled === RATE_BYTES) this.#permute()
    }
    return this
  }

  digest(): Buffer {
    this.#bytes[this.#filled]! ^= 0x01
    this.#bytes[RATE_BYTES - 1]! ^= 0x80
    this.#permute()
    return Buffer.from(this.#bytes.slice(0, 32))
  }

  #permute(): void {
    for (let round = 0; round < ROUNDS; round++) {
      this.#mixColumns()
      this.#turnLanes()
      this.#mixRows()
      this.#state[0]! ^= CONSTANTS[2 * round]!
      this.#state[1]! ^= CONSTANTS[2 * round + 1]!
    }
    this.#filled = 0
  }

  #mixColumns(): void {
    const state = this.#state
    const sums = this.#sums
    for (let word = 0; word < 10; word++) {
      sums[word] = state[word]! ^ state[word + 10]! ^ state[word + 20]! ^ state[word + 30]! ^ state[word + 40]!
    }
    for (let column = 0; column < 10; column += 2) {
      const before = (column + 8) % 10
      const after = (column + 2) % 10
      const low = sums[before]! ^ ((sums[after]! << 1) | (sums[after + 1]! >>> 31))
      const high = sums[before + 1]! ^ ((sums[after + 1]! << 1) | (sums[after]! >>> 31))
      for (let word = column; word < 50; word += 10) {
        state[word]! ^= low
        state[word + 1]! ^= high
      }
    }
  }

  #turnLanes(): void {
    const state = this.#state
    let low = state[2]!
    let high = state[3]!
    for (let step = 0; step < WALK.length; step++) {
      const at = WALK[step]! >> 8
      const turn = WALK[step]! & 63
      const bits = turn & 31
      const one = turn & 32 ? high : low
      const two = turn & 32 ? low : high
      low = state[at]!
      high = state[at + 1]!
      state[at] = (one << bits) | ((two >>> 1) >>> (31 - bits))
      state[at + 1] = (two << bits) | ((one >>> 1) >>> (31 - bits))
    }
  }

  #mixRows(): void {
    const state = this.#state
    const row = this.#sums
    for (let start = 0; start < 50; start += 10) {
      for (let word = 0; word < 10; word++) row[word] = state[start + word]!
      for (let word = 0; word < 10; word++) {
        const next = word < 8 ? word + 2 : word - 8
        const afterNext = word < 6 ? word + 4 : word - 6
        state[start + word] = row[word]! ^ (~row[next]! & row[afterNext]!)
      }
    }
  }
}
