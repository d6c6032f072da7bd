import { type Boxes, expect, readTable, requireFirstVersion } from './boxes.ts'

/** Where a part of the file lies that holds pictures and sound. */
export interface MediaPart {
  start: number
  end: number
}

interface Samples {
  count: number
  sizeBytes: number
  /** How long each is shown or heard, in ticks of the track. */
  ticks: number
  /** How long all are. */
  totalTicks: number
  /** When the first is shown after its place in the file. */
  firstDelay: number
}

/**
 * Reads the index of a track whose samples all take equally long, but for the last one of sound, and checks that the file
 * has them all.
 */
export function readSamples(table: Boxes, media: readonly MediaPart[]): Samples {
  const sizes = readSizes(requireFirstVersion(table.get('stsz')))
  const [equal, ticks, last = 0, lastTicks = 0, ...others] = readTable(requireFirstVersion(table.get('stts')), 2)
  const count = sizes.length
  expect(others.length === 0 && equal !== undefined && equal > 0 && ticks !== undefined && ticks > 0)
  expect(equal + last === count && last <= 1 && lastTicks < ticks)
  requireWithin(media, readChunks(table), sizes)
  const delays = table.find('ctts')
  const firstDelay = delays ? readTable(requireFirstVersion(delays), 2)[1]! : 0
  const sizeBytes = sizes.reduce((sum, size) => sum + size, 0)
  return { count, sizeBytes, ticks, totalTicks: equal * ticks + last * lastTicks, firstDelay }
}

function readSizes(box: DataView): number[] {
  const size = box.getUint32(4)
  expect(size === 0)
  return readTable(box, 1, 8)
}

interface Chunk {
  start: number
  samples: number
}

function readChunks(table: Boxes): Chunk[] {
  const starts = readStarts(table)
  const runs = readTable(requireFirstVersion(table.get('stsc')), 3)
  const chunks: Chunk[] = []
  for (let at = 0; at < runs.length; at += 3) {
    const [first, samples, description] = runs.slice(at, at + 3)
    const end = (runs[at + 3] ?? starts.length + 1) - 1
    expect(first === chunks.length + 1 && description === 1 && end > chunks.length && end <= starts.length)
    for (const start of starts.slice(chunks.length, end)) chunks.push({ start, samples: samples! })
  }
  expect(chunks.length === starts.length)
  return chunks
}

function readStarts(table: Boxes): number[] {
  const starts = table.find('stco')
  if (starts) return readTable(requireFirstVersion(starts), 1)
  const halves = readTable(requireFirstVersion(table.get('co64')), 2)
  return halves.flatMap((high, at) => (at % 2 === 0 ? [high * 2 ** 32 + halves[at + 1]!] : []))
}

function requireWithin(media: readonly MediaPart[], chunks: readonly Chunk[], sizes: readonly number[]): void {
  let next = 0
  for (const { start, samples } of chunks) {
    let end = start
    for (const last = next + samples; next < last; next += 1) end += sizes[next] ?? Number.NaN
    expect(media.some(part => start >= part.start && end <= part.end))
  }
  expect(next === sizes.length)
}
