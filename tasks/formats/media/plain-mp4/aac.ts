import { Bits } from './bits.ts'
import { expect } from './boxes.ts'

const RATES = [96_000, 88_200, 64_000, 48_000, 44_100, 32_000, 24_000, 22_050, 16_000, 12_000, 11_025, 8000]
/** At lower rates a stream may double its rate without saying so in its header. */
const MIN_CERTAIN_RATE = 32_000
const [DESCRIPTOR, DECODER, CONFIGURATION] = [3, 4, 5]
const AAC = 0x40
const LOW_COMPLEXITY = 2

/** Reads the rate and the channels of plain AAC, mono or stereo. */
export function readAac(box: DataView): { sampleRate: number; channels: number } {
  const reader = new DescriptorReader(box)
  reader.open(DESCRIPTOR)
  reader.skip(2)
  expect(reader.byte() === 0)
  reader.open(DECODER)
  expect(reader.byte() === AAC)
  reader.skip(12)
  const length = reader.open(CONFIGURATION)
  const bits = new Bits(reader.bytes(length))
  const [kind, rate, channels] = [bits.read(5), bits.read(4), bits.read(4)]
  const sampleRate = RATES[rate]
  expect(kind === LOW_COMPLEXITY && sampleRate !== undefined)
  expect((channels === 1 || channels === 2) && bits.read(3) === 0)
  if (length > PLAIN_BYTES) requireNoExtension(bits)
  else expect(sampleRate >= MIN_CERTAIN_RATE)
  return { sampleRate, channels }
}

const PLAIN_BYTES = 2
const EXTENSION = 0x2b7
const BAND_REPLICATION = 5

/** Says of most streams that there is none. */
function requireNoExtension(bits: Bits): void {
  expect(bits.read(11) === EXTENSION && bits.read(5) === BAND_REPLICATION && !bits.flag())
}

const VERSION_BYTES = 4

class DescriptorReader {
  readonly #view: DataView
  #at = VERSION_BYTES

  constructor(view: DataView) {
    this.#view = view
  }

  byte(): number {
    this.#at += 1
    return this.#view.getUint8(this.#at - 1)
  }

  skip(count: number): void {
    this.#at += count
  }

  /** Begins a descriptor and gives its length. */
  open(tag: number): number {
    expect(this.byte() === tag)
    let length = 0
    for (let index = 0; index < 4; index += 1) {
      const byte = this.byte()
      length = length * 128 + (byte & 127)
      if (byte < 128) break
    }
    return length
  }

  bytes(length: number): Uint8Array {
    expect(this.#at + length <= this.#view.byteLength)
    return new Uint8Array(this.#view.buffer, this.#view.byteOffset + this.#at, length)
  }
}
