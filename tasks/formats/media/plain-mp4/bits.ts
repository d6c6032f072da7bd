/** Reads the bits of a header, with the numbers that H.264 writes in as few bits as they need. */
export class Bits {
  readonly #bytes: Uint8Array
  #at = 0

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes
  }

  read(count: number): number {
    let value = 0
    for (let index = 0; index < count; index += 1, this.#at += 1) {
      const byte = this.#bytes[this.#at >> 3]
      if (byte === undefined) throw new RangeError('the header is too short')
      value = value * 2 + ((byte >> (7 - (this.#at & 7))) & 1)
    }
    return value
  }

  /** Whether nothing follows but the one bit that marks the end. */
  isAtEnd(): boolean {
    const left = this.#bytes.length * 8 - this.#at
    return left > 0 && left <= 8 && this.read(left) === 2 ** (left - 1)
  }

  flag(): boolean {
    return this.read(1) === 1
  }

  unsigned(): number {
    let zeros = 0
    while (this.read(1) === 0) zeros += 1
    if (zeros > 31) throw new RangeError('a number has too many bits')
    return 2 ** zeros - 1 + this.read(zeros)
  }

  signed(): number {
    const value = this.unsigned()
    return value % 2 === 1 ? (value + 1) / 2 : -value / 2
  }
}
