import { Problem } from '#kit'
import type { Ffmpeg } from '../../formats/media/result.ts'
import { seekOptions } from '../../formats/media/times.ts'
import { drawPng, drawSvg, parseColor, planBars, type WaveStyle } from './draw.ts'
import { countChannels, measurePeaks, rateOf, type SoundPart } from './measure.ts'
import { type Scale, scalePeaks } from './peaks.ts'

interface Options {
  format: 'png' | 'svg' | 'json'
  kind: 'waveform' | 'spectrogram'
  width?: number
  height?: number
  samplesPerPixel?: number
  pixelsPerSecond?: number
  style?: WaveStyle
  barWidth?: number
  barGap?: number
  color?: string
  background?: string
  scale: Scale
  normalize?: boolean
  bits?: 8 | 16
}

const [USUAL_WIDTH, USUAL_HEIGHT] = [1800, 280]
const [MIN_WIDTH, MAX_WIDTH] = [50, 8000]
/** So that the answer stays below 4 MiB. */
const MAX_POINTS = 300_000
/** Parts are read finer than they are drawn, because the length is known exactly only at the end. */
const PARTS_PER_PIXEL = 8

const DRAWING_FIELDS = ['style', 'barWidth', 'barGap', 'color', 'background'] as const
const LENGTH_FIELDS = ['width', 'samplesPerPixel', 'pixelsPerSecond'] as const

/** An option that would have no effect is refused. */
export function checkOptions(options: Options): void {
  const { format, kind, style } = options
  const given = (names: readonly (keyof Options)[]) => names.filter(name => options[name] !== undefined)
  const refuse = (reason: string, names: readonly string[]) => {
    if (names.length > 0) throw new Problem('CONFLICTING_OPTIONS', { fields: [reason, ...names] })
  }
  if (given(LENGTH_FIELDS).length > 1) throw new Problem('CONFLICTING_OPTIONS', { fields: given(LENGTH_FIELDS) })
  if (kind === 'spectrogram') {
    refuse('kind', given([...DRAWING_FIELDS, 'normalize', 'samplesPerPixel', 'pixelsPerSecond', 'bits']))
    refuse('kind', format === 'png' ? [] : ['format'])
  } else if (format === 'json') refuse('format', given([...DRAWING_FIELDS, 'height']))
  else refuse('format', given(['bits']))
  if (style === 'line') refuse('style', given(['barWidth', 'barGap']))
}

export async function listPeaks(ffmpeg: Ffmpeg, part: SoundPart, options: Options) {
  const { scale, normalize = true, bits = 8 } = options
  const samples = countSamples(part)
  const samplesPerPixel =
    findSamplesPerPixel(part, options) ?? Math.max(1, Math.ceil(samples / (options.width ?? USUAL_WIDTH)))
  const points = Math.ceil(samples / samplesPerPixel) * countChannels(part)
  if (points > MAX_POINTS)
    throw new Problem('INVALID_PARAM', { field: lengthField(options), limit: MAX_POINTS, actual: points })
  const peaks = scalePeaks(await measurePeaks(ffmpeg, part, samplesPerPixel), scale, normalize)
  const full = 2 ** (bits - 1)
  const data = Array.from(peaks.data, value => Math.max(-full, Math.min(full - 1, Math.round(value * full))))
  const { channels, length } = peaks
  return { version: 2, channels, sampleRate: rateOf(part.audio), samplesPerPixel, bits, length, data }
}

export async function drawWaveform(ffmpeg: Ffmpeg, part: SoundPart, options: Options) {
  const { format, scale, normalize = true, height = USUAL_HEIGHT, style = 'mirror' } = options
  const samples = countSamples(part)
  const perPixel = findSamplesPerPixel(part, options)
  const width = perPixel === undefined ? (options.width ?? USUAL_WIDTH) : Math.ceil(samples / perPixel)
  if (width < MIN_WIDTH || width > MAX_WIDTH)
    throw new Problem('INVALID_PARAM', { field: lengthField(options), min: MIN_WIDTH, max: MAX_WIDTH, actual: width })
  const measured = await measurePeaks(ffmpeg, part, Math.max(1, Math.floor(samples / (width * PARTS_PER_PIXEL))))
  const colors = {
    color: parseColor(options.color ?? '#3b82f6'),
    background: parseColor(options.background ?? 'transparent'),
  }
  const drawing = { width, height, style, barWidth: options.barWidth ?? 3, barGap: options.barGap ?? 1, ...colors }
  const bars = planBars(scalePeaks(measured, scale, normalize), drawing)
  const output =
    format === 'svg'
      ? { bytes: Buffer.from(drawSvg(bars, drawing)), contentType: 'image/svg+xml', name: 'waveform.svg' }
      : { bytes: drawPng(bars, drawing), contentType: 'image/png', name: 'waveform.png' }
  return { output, width, height }
}

/** Time goes from left to right and the frequency from bottom to top. */
export async function drawSpectrogram(ffmpeg: Ffmpeg, part: SoundPart, options: Options, path: string) {
  const { file, audio, range } = part
  const { width = USUAL_WIDTH, height = USUAL_HEIGHT, scale } = options
  const isSplit = countChannels(part) > 1
  const mode = isSplit ? 'separate' : 'combined'
  const layout = isSplit ? 'stereo' : 'mono'
  const draw = `aformat=channel_layouts=${layout},showspectrumpic=s=${width}x${height}:legend=0:mode=${mode}:scale=${scale === 'linear' ? 'lin' : scale}`
  await ffmpeg.run({
    inputs: [{ path: file.path, options: seekOptions(range, file.facts.seconds ?? range.end) }],
    graph: `[0:${audio.index}]${draw}[drawing]`,
    outputs: [
      { path, options: ['-map', '[drawing]', '-frames:v', '1', '-c:v', 'png', '-update', '1', '-f', 'image2'] },
    ],
    seconds: range.end - range.start,
  })
  return { output: { path, contentType: 'image/png', name: 'spectrogram.png' }, width, height }
}

function countSamples({ audio, range }: SoundPart): number {
  return Math.max(1, Math.round((range.end - range.start) * rateOf(audio)))
}

function findSamplesPerPixel({ audio }: SoundPart, { samplesPerPixel, pixelsPerSecond }: Options): number | undefined {
  if (pixelsPerSecond === undefined) return samplesPerPixel
  return Math.max(1, Math.round(rateOf(audio) / pixelsPerSecond))
}

function lengthField(options: Options): string {
  return LENGTH_FIELDS.find(name => options[name] !== undefined) ?? 'width'
}
