import { OsmParseError } from './element.ts'

const VARINT = 0
const FIXED_64 = 1
const BYTES = 2
const FIXED_32 = 5

/** Reads the fields of one message of protocol buffers. */
export class MessageReader {
  readonly #bytes: Uint8Array
  readonly #end: number
  #at: number
  #wireType = 0

  constructor(bytes: Uint8Array, start = 0, end = bytes.length) {
    this.#bytes = bytes
    this.#at = start
    this.#end = end
  }

  /** The number of the next field, or 0 at the end. Its value must be read or skipped before the next call. */
  next(): number {
    if (this.#at >= this.#end) return 0
    const key = this.varint()
    this.#wireType = key & 7
    return key >>> 3
  }

  hasMore(): boolean {
    return this.#at < this.#end
  }

  /** An unsigned number of at most 53 bits; longer ones are negative and lose their sign. */
  varint(): number {
    let [value, factor] = [0, 1]
    for (;;) {
      if (this.#at >= this.#end) throw new OsmParseError('a message ends within a number')
      const byte = this.#bytes[this.#at++]!
      value += (byte & 0x7f) * factor
      if (byte < 0x80) return value
      factor *= 128
      if (factor > 2 ** 63) throw new OsmParseError('a number is too long')
    }
  }

  /** A signed number in the zigzag form. */
  signed(): number {
    const value = this.varint()
    return value % 2 === 0 ? value / 2 : -(value + 1) / 2
  }

  bytes(): Uint8Array {
    const { start, end } = this.#range()
    return this.#bytes.subarray(start, end)
  }

  message(): MessageReader {
    const { start, end } = this.#range()
    return new MessageReader(this.#bytes, start, end)
  }

  skip(): void {
    if (this.#wireType === VARINT) this.varint()
    else if (this.#wireType === BYTES) this.#range()
    else if (this.#wireType === FIXED_64) this.#at += 8
    else if (this.#wireType === FIXED_32) this.#at += 4
    else throw new OsmParseError('a field has an unknown type')
  }

  #range(): { start: number; end: number } {
    if (this.#wireType !== BYTES) throw new OsmParseError('a field has the wrong type')
    const length = this.varint()
    const start = this.#at
    this.#at = start + length
    if (this.#at > this.#end) throw new OsmParseError('a message ends within a field')
    return { start, end: this.#at }
  }
}
