/** The lowest and the highest sample of each part of every channel, in turn: low, high, low, high. From -1 to 1. */
export interface Peaks {
  channels: number
  length: number
  data: Float32Array
}

const SAMPLE_BYTES = 2
const FULL = 32_768

/** Reduces samples of 16 bits to peaks as they come; only the peaks are kept. */
export class PeakReader {
  readonly #channels: number
  readonly #samplesPerPart: number
  #data: Float32Array
  #parts = 0
  #samples = 0
  #rest: Buffer = Buffer.alloc(0)
  #current: Float32Array

  constructor(channels: number, samplesPerPart: number) {
    this.#channels = channels
    this.#samplesPerPart = samplesPerPart
    this.#data = new Float32Array(4096 * channels)
    this.#current = emptyPart(channels)
  }

  add(chunk: Buffer): void {
    const bytes = this.#rest.length > 0 ? Buffer.concat([this.#rest, chunk]) : chunk
    const step = this.#channels * SAMPLE_BYTES
    const end = bytes.length - (bytes.length % step)
    for (let at = 0; at < end; at += step) this.#addSample(bytes, at)
    this.#rest = bytes.subarray(end)
  }

  end(): Peaks {
    if (this.#samples > 0) this.#endPart()
    const size = this.#parts * this.#channels * 2
    return { channels: this.#channels, length: this.#parts, data: this.#data.subarray(0, size) }
  }

  #addSample(bytes: Buffer, at: number): void {
    const current = this.#current
    for (let channel = 0; channel < this.#channels; channel++) {
      const value = bytes.readInt16LE(at + channel * SAMPLE_BYTES)
      if (value < current[channel * 2]!) current[channel * 2] = value
      if (value > current[channel * 2 + 1]!) current[channel * 2 + 1] = value
    }
    if (++this.#samples >= this.#samplesPerPart) this.#endPart()
  }

  #endPart(): void {
    const at = this.#parts * this.#channels * 2
    if (at + this.#current.length > this.#data.length) {
      const larger = new Float32Array(this.#data.length * 2)
      larger.set(this.#data)
      this.#data = larger
    }
    this.#data.set(
      this.#current.map(value => value / FULL),
      at,
    )
    this.#parts += 1
    this.#samples = 0
    this.#current = emptyPart(this.#channels)
  }
}

function emptyPart(channels: number): Float32Array {
  return Float32Array.from({ length: channels * 2 }, (_, at) => (at % 2 === 0 ? Infinity : -Infinity))
}

/** Joins or repeats parts until there are as many as asked for. */
export function resample({ channels, length, data }: Peaks, wanted: number): Peaks {
  const stride = channels * 2
  const joined = new Float32Array(wanted * stride)
  for (let part = 0; part < wanted; part++) {
    const from = Math.min(length - 1, Math.floor((part * length) / wanted))
    const to = Math.max(from + 1, Math.floor(((part + 1) * length) / wanted))
    for (let side = 0; side < stride; side++) {
      let value = data[from * stride + side]!
      for (let at = from + 1; at < to; at++) {
        const other = data[at * stride + side]!
        value = side % 2 === 0 ? Math.min(value, other) : Math.max(value, other)
      }
      joined[part * stride + side] = value
    }
  }
  return { channels, length: wanted, data: joined }
}

export type Scale = 'linear' | 'sqrt' | 'log'
/** What is quieter is drawn as silence by the logarithmic scale. */
const QUIETEST_DB = -60

/** Brings the loudest part to the full height if asked, and applies the scale. */
export function scalePeaks(peaks: Peaks, scale: Scale, normalize: boolean): Peaks {
  const loudest = peaks.data.reduce((most, value) => Math.max(most, Math.abs(value)), 0)
  const factor = normalize && loudest > 0 ? 1 / loudest : 1
  return { ...peaks, data: peaks.data.map(value => Math.sign(value) * applyScale(Math.abs(value) * factor, scale)) }
}

function applyScale(height: number, scale: Scale): number {
  if (scale === 'sqrt') return Math.sqrt(height)
  if (scale === 'linear' || height === 0) return height
  return Math.max(0, 1 - (20 * Math.log10(height)) / QUIETEST_DB)
}
