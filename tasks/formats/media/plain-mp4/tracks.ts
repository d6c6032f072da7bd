import type { ProbeStream } from '../description.ts'
import { readAac } from './aac.ts'
import { Boxes, expect, part, readName, readTable, readText, requireFirstVersion } from './boxes.ts'
import { readH264 } from './h264.ts'
import { type MediaPart, readSamples } from './samples.ts'
import { readCreation } from './tags.ts'

const TABLES = ['stsd', 'stts', 'stss', 'ctts', 'stsc', 'stsz', 'stco', 'co64', 'sdtp', 'sgpd', 'sbgp']
/** Upright, and not scaled. */
const MATRIX = [65_536, 0, 0, 0, 65_536, 0, 0, 0, 2 ** 30]
const MAX_FPS = 120
const MIN_FRAMES = 10

interface Timing {
  timeScale: number
  ticks: number
  count: number
}

/** Describes a track as ffprobe does. `movieScale` is how many parts of a second edits are counted in. */
export function readTrack(
  track: DataView,
  index: number,
  movieScale: number,
  media: readonly MediaPart[],
): ProbeStream {
  const boxes = new Boxes(track, ['tkhd', 'edts', 'mdia'])
  const isEnabled = readHeader(requireFirstVersion(boxes.get('tkhd')))
  const mediaBoxes = new Boxes(boxes.get('mdia'), ['mdhd', 'hdlr', 'minf'])
  const header = requireFirstVersion(mediaBoxes.get('mdhd'))
  const timeScale = header.getUint32(12)
  const information = new Boxes(mediaBoxes.get('minf'), ['vmhd', 'smhd', 'dinf', 'stbl'])
  requireOwnData(information.get('dinf'))
  const table = new Boxes(information.get('stbl'), TABLES)
  const { firstDelay, sizeBytes, totalTicks, ...samples } = readSamples(table, media)
  const handler = mediaBoxes.get('hdlr')
  const kind = readText(handler, 8, 4)
  expect(kind === 'soun' || kind === 'vide')
  expect(timeScale > 0 && header.getUint32(16) === totalTicks)
  expect(kind === 'soun' || totalTicks === samples.ticks * samples.count)
  // Pictures are put in order before they are shown; of sound, what an encoder added before it is left out.
  const edit = { skipped: kind === 'vide' ? firstDelay : undefined, movieScale, timeScale, totalTicks }
  const duration = readEdit(boxes.find('edts'), edit)
  const { tags, ...facts } = readEntry(kind, requireFirstVersion(table.get('stsd')), { timeScale, ...samples })
  return {
    index,
    ...facts,
    disposition: { default: isEnabled ? 1 : 0 },
    time_base: `1/${timeScale}`,
    start_time: '0.000000',
    duration: (duration / timeScale).toFixed(6),
    bit_rate: String(Math.floor((sizeBytes * 8 * timeScale) / totalTicks)),
    nb_frames: String(samples.count),
    tags: { language: readLanguage(header), handler_name: readName(handler, 24), ...readCreation(header), ...tags },
  }
}

function readHeader(box: DataView): boolean {
  expect(MATRIX.every((value, at) => box.getUint32(40 + at * 4) === value))
  return (box.getUint8(3) & 1) === 1
}

/** The samples must be in this file. */
function requireOwnData(box: DataView): void {
  const table = new Boxes(box, ['dref']).get('dref')
  expect(table.getUint32(4) === 1 && table.byteLength === 20)
  expect(readText(table, 12, 4) === 'url ' && table.getUint32(16) === 1)
}

interface Edit {
  /** What must be left out at the beginning, if that is known. */
  skipped: number | undefined
  movieScale: number
  timeScale: number
  totalTicks: number
}

/** How long a track is played that is shown as a whole. */
function readEdit(edits: DataView | undefined, { skipped, movieScale, timeScale, totalTicks }: Edit): number {
  if (!edits) {
    expect(!skipped)
    return totalTicks
  }
  const list = requireFirstVersion(new Boxes(edits, ['elst']).get('elst'))
  const [length, start, rate, ...others] = readTable(list, 3)
  expect(others.length === 0 && rate === 65_536 && length !== undefined && start !== undefined && start < totalTicks)
  expect(skipped === undefined || skipped === start)
  const whole = skipped === undefined ? totalTicks - start : totalTicks
  expect(Math.abs(length / movieScale - whole / timeScale) <= 1.5 / movieScale)
  return Math.min(totalTicks, Math.round((length * timeScale) / movieScale))
}

function readLanguage(header: DataView): string {
  const code = header.getUint16(20)
  const language = String.fromCharCode(...[10, 5, 0].map(shift => ((code >> shift) & 31) + 96))
  expect(/^[a-z]{3}$/.test(language))
  return language
}

type EntryFacts = Partial<ProbeStream> & { tags: Record<string, string> }

function readEntry(kind: 'soun' | 'vide', box: DataView, timing: Timing): EntryFacts {
  expect(box.getUint32(4) === 1)
  const entries = new Boxes(part(box, 8), ['avc1', 'mp4a'])
  return kind === 'vide' ? readVisual(entries.get('avc1'), timing) : readSound(entries.get('mp4a'), timing)
}

const VENDOR = { vendor_id: '[0][0][0][0]' }
const VISUAL_BYTES = 78
const SOUND_BYTES = 28

function readVisual(entry: DataView, { timeScale, ticks, count }: Timing): EntryFacts {
  expect(entry.getUint32(12) === 0)
  const [width, height, nameBytes] = [entry.getUint16(24), entry.getUint16(26), entry.getUint8(42)]
  const boxes = new Boxes(part(entry, VISUAL_BYTES), ['avcC', 'colr', 'pasp', 'btrt'])
  const { fps, reordersFrames, hasSquarePixels, ...stream } = readH264(boxes.get('avcC'))
  const rate = timeScale / ticks
  expect(width === stream.width && height === stream.height && nameBytes < 32 && count >= MIN_FRAMES)
  expect(rate <= MAX_FPS && rate >= 1 && (fps === undefined || Math.abs(fps / rate - 1) < 0.001))
  requireSameColors(boxes.find('colr'), stream)
  const hasAspect = requireSquare(boxes.find('pasp')) || hasSquarePixels
  return {
    ...{ codec_type: 'video', codec_name: 'h264', profile: stream.profile, width, height },
    ...{ pix_fmt: 'yuv420p', bits_per_raw_sample: '8', has_b_frames: reordersFrames ? 1 : 0 },
    ...{ r_frame_rate: `${timeScale}/${ticks}`, avg_frame_rate: `${timeScale}/${ticks}`, field_order: 'progressive' },
    ...(hasAspect && { sample_aspect_ratio: '1:1', display_aspect_ratio: reduceRatio(width, height) }),
    ...(stream.colorSpace && { color_space: stream.colorSpace }),
    ...(stream.colorTransfer && { color_transfer: stream.colorTransfer }),
    tags: { ...VENDOR, ...(nameBytes > 0 && { encoder: readName(entry, 43, nameBytes) }) },
  }
}

const COLORS: Record<number, string> = { 1: 'bt709', 5: 'bt470bg', 6: 'smpte170m' }

function requireSameColors(box: DataView | undefined, { colorSpace }: { colorSpace?: string }): void {
  if (!box) return
  expect(readText(box, 0, 4) === 'nclx' && box.getUint8(10) === 0)
  expect(COLORS[box.getUint16(8)] === colorSpace)
}

function requireSquare(box: DataView | undefined): boolean {
  expect(!box || (box.getUint32(0) === 1 && box.getUint32(4) === 1))
  return box !== undefined
}

function reduceRatio(width: number, height: number): string {
  const divide = (one: number, other: number): number => (other === 0 ? one : divide(other, one % other))
  const common = divide(width, height)
  return `${width / common}:${height / common}`
}

function readSound(entry: DataView, { timeScale }: Timing): EntryFacts {
  expect(entry.getUint16(8) === 0 && entry.getUint32(12) === 0)
  const boxes = new Boxes(part(entry, SOUND_BYTES), ['esds', 'btrt'])
  const { sampleRate, channels } = readAac(requireFirstVersion(boxes.get('esds')))
  expect(sampleRate === timeScale && entry.getUint32(24) === sampleRate * 65_536)
  return {
    ...{ codec_type: 'audio', codec_name: 'aac', profile: 'LC', sample_fmt: 'fltp', bits_per_sample: 0 },
    ...{ sample_rate: String(sampleRate), channels, channel_layout: channels === 1 ? 'mono' : 'stereo' },
    tags: VENDOR,
  }
}
