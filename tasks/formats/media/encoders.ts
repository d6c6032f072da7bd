import type { MediaStream } from '#kit'
import type { AudioCodec, VideoCodec } from './containers.ts'

export const QUALITIES = ['low', 'medium', 'high'] as const
export type Quality = (typeof QUALITIES)[number]
export const SPEED_PRESETS = ['ultrafast', 'veryfast', 'fast', 'medium', 'slow'] as const
export type SpeedPreset = (typeof SPEED_PRESETS)[number]

interface VideoEncoding {
  codec: VideoCodec
  quality: Quality
  crf?: number
  bitrateKbps?: number
  speedPreset: SpeedPreset
  /** High dynamic range that is kept. */
  hdr?: MediaStream['hdr']
  /** The smaller side of the output. */
  shortSide: number
  /** Of two passes, which one this is. */
  pass?: 1 | 2
}

const CRF: Record<VideoCodec, Record<Quality, number>> = {
  h264: { low: 28, medium: 23, high: 18 },
  h265: { low: 31, medium: 26, high: 21 },
  vp9: { low: 40, medium: 33, high: 24 },
  av1: { low: 45, medium: 35, high: 25 },
}
export const MAX_CRF: Record<VideoCodec, number> = { h264: 51, h265: 51, vp9: 63, av1: 63 }
const VP9_SPEEDS: Record<SpeedPreset, number> = { ultrafast: 8, veryfast: 6, fast: 4, medium: 3, slow: 2 }
const AV1_SPEEDS: Record<SpeedPreset, number> = { ultrafast: 12, veryfast: 11, fast: 10, medium: 8, slow: 6 }
/** SVT-AV1 refuses smaller pictures; the reference encoder does not. */
const MIN_SVT_SIDE = 64
const STANDARD_COLORS = [
  '-colorspace',
  'bt709',
  '-color_primaries',
  'bt709',
  '-color_trc',
  'bt709',
  '-color_range',
  'tv',
]

export function buildVideoEncoder(encoding: VideoEncoding): string[] {
  const { hdr } = encoding
  const transfer = hdr === 'hlg' ? 'arib-std-b67' : 'smpte2084'
  const wideColors = ['-colorspace', 'bt2020nc', '-color_primaries', 'bt2020', '-color_trc', transfer]
  const colors = hdr ? ['-pix_fmt', 'yuv420p10le', ...wideColors] : ['-pix_fmt', 'yuv420p', ...STANDARD_COLORS]
  return [...encoderOptions(encoding), ...rateOptions(encoding), ...colors]
}

function encoderOptions(encoding: VideoEncoding): string[] {
  const { codec, speedPreset, shortSide, pass } = encoding
  const passOptions = pass ? ['-pass', String(pass), '-passlogfile', './pass'] : []
  if (codec === 'h264') return ['-c:v', 'libx264', '-preset', speedPreset, ...passOptions]
  if (codec === 'h265') {
    const passes = pass ? `:pass=${pass}:stats=./pass.log` : ''
    return ['-c:v', 'libx265', '-preset', speedPreset, '-tag:v', 'hvc1', '-x265-params', `log-level=error${passes}`]
  }
  if (codec === 'vp9') {
    const speed = ['-deadline', 'good', '-cpu-used', String(VP9_SPEEDS[speedPreset]), '-row-mt', '1']
    return ['-c:v', 'libvpx-vp9', ...speed, ...passOptions]
  }
  if (shortSide < MIN_SVT_SIDE) return ['-c:v', 'libaom-av1', '-cpu-used', '8', '-row-mt', '1']
  return ['-c:v', 'libsvtav1', '-preset', String(AV1_SPEEDS[speedPreset])]
}

function rateOptions({ codec, crf, quality, bitrateKbps }: VideoEncoding): string[] {
  if (bitrateKbps !== undefined) {
    const limits =
      codec === 'av1' ? [] : ['-maxrate', `${Math.ceil(bitrateKbps * 1.5)}k`, '-bufsize', `${bitrateKbps * 2}k`]
    return ['-b:v', `${bitrateKbps}k`, ...limits]
  }
  const constant = codec === 'vp9' || codec === 'av1' ? ['-b:v', '0'] : []
  return ['-crf', String(crf ?? CRF[codec][quality]), ...constant]
}

interface AudioEncoding {
  codec: AudioCodec
  quality: Quality
  bitrateKbps?: number
  channels: number
  /** Of formats without loss. */
  bitDepth?: number
  isBigEndian?: boolean
}

const MP3_LEVELS: Record<Quality, string> = { low: '7', medium: '4', high: '0' }
const VORBIS_LEVELS: Record<Quality, string> = { low: '2', medium: '5', high: '8' }
/** Of each pair of channels. */
const AAC_KBPS: Record<Quality, number> = { low: 96, medium: 160, high: 256 }
const OPUS_KBPS: Record<Quality, number> = { low: 64, medium: 112, high: 192 }

export function buildAudioEncoder(encoding: AudioEncoding): string[] {
  const { codec, quality, bitrateKbps, channels } = encoding
  const rate = (levels: readonly string[]) => (bitrateKbps === undefined ? levels : ['-b:a', `${bitrateKbps}k`])
  const perPair = (kbps: number) => ['-b:a', `${Math.max(32, Math.round((kbps * channels) / 2))}k`]
  if (codec === 'mp3') return ['-c:a', 'libmp3lame', ...rate(['-q:a', MP3_LEVELS[quality]])]
  if (codec === 'vorbis') return ['-c:a', 'libvorbis', ...rate(['-q:a', VORBIS_LEVELS[quality]])]
  if (codec === 'aac') return ['-c:a', 'aac', ...rate(perPair(AAC_KBPS[quality]))]
  if (codec === 'opus') {
    const family = channels > 2 ? ['-mapping_family', '1'] : []
    return ['-c:a', 'libopus', ...rate(perPair(OPUS_KBPS[quality])), ...family]
  }
  return losslessOptions(encoding)
}

function losslessOptions({ codec, bitDepth = 16, isBigEndian }: AudioEncoding): string[] {
  if (codec === 'flac') {
    const sample = bitDepth > 16 ? ['-sample_fmt', 's32', '-bits_per_raw_sample', '24'] : ['-sample_fmt', 's16']
    return ['-c:a', 'flac', ...sample]
  }
  return ['-c:a', `pcm_s${bitDepth}${isBigEndian ? 'be' : 'le'}`]
}
