import type { MediaStream } from '#kit'

export const FITS = ['inside', 'pad', 'crop', 'stretch'] as const
export type Fit = (typeof FITS)[number]

export const TURNS = [90, 180, 270] as const
export const FLIPS = ['horizontal', 'vertical'] as const

export interface VisualOptions {
  /** Clockwise, before anything else but a flip. */
  rotate?: (typeof TURNS)[number]
  flip?: (typeof FLIPS)[number]
  width?: number
  height?: number
  fit?: Fit
  /** What fills the space around the picture with `pad`, as #rrggbb. */
  background?: string
  fps?: number
  /** Keep high dynamic range instead of mapping it to the standard one. */
  keepsHdr?: boolean
  /** The output is a picture of this format instead of a video. */
  still?: StillFormat
}

export const STILL_FORMATS = ['jpeg', 'png', 'webp'] as const
export type StillFormat = (typeof STILL_FORMATS)[number]

interface Size {
  width: number
  height: number
}

/** The size of the output. Codecs of video store colours at half the resolution, so both sides are even. */
export function planSize(source: Partial<Size>, options: VisualOptions): Size {
  const { width = 2, height = 2 } = turnSize(source, options)
  const { width: wide, height: high, fit = 'inside', still } = options
  const step = still ? 1 : 2
  if (wide === undefined && high === undefined) return roundSize(width, height, step)
  if (wide !== undefined && high !== undefined && fit !== 'inside') return roundSize(wide, high, step)
  const scale = Math.min((wide ?? Infinity) / width, (high ?? Infinity) / height)
  return roundSize(width * scale, height * scale, step)
}

function turnSize({ width, height }: Partial<Size>, { rotate }: VisualOptions): Partial<Size> {
  return rotate === 90 || rotate === 270 ? { width: height, height: width } : { width, height }
}

function roundSize(width: number, height: number, step: number): Size {
  const round = (length: number) => Math.max(step, Math.round(length / step) * step)
  return { width: round(width), height: round(height) }
}

const EXACT_RATES: readonly (readonly [fps: number, exact: string])[] = [
  [23.976, '24000/1001'],
  [29.97, '30000/1001'],
  [47.952, '48000/1001'],
  [59.94, '60000/1001'],
]
const MAX_FPS = 60

/** The constant rate of the output. A recording of a screen may claim a thousand frames a second and hold ten. */
export function planRate({ fps = 30, avgFps = fps, vfr = false }: MediaStream): number {
  if (!vfr && fps <= MAX_FPS + 1) return fps
  return fps <= MAX_FPS + 1 ? fps : Math.max(1, Math.min(MAX_FPS, Math.ceil(avgFps)))
}

export function formatRate(fps: number): string {
  return EXACT_RATES.find(([rate]) => Math.abs(rate - fps) < 0.006)?.[1] ?? String(Math.round(fps * 1000) / 1000)
}

/**
 * The filters that every encoded picture passes: progressive frames, standard dynamic range, square pixels, even sides
 * and, with `fps`, a constant rate that begins at zero. ffmpeg itself has applied the rotation.
 */
export function buildVisualFilters(video: MediaStream, options: VisualOptions): string[] {
  const size = planSize(video, options)
  return [
    ...(video.isInterlaced ? ['yadif=deint=interlaced'] : []),
    ...(video.hdr && !options.keepsHdr ? toneMapFilters(video.hdr) : []),
    ...turnFilters(options),
    ...fitFilters(video, size, options),
    'setsar=1',
    ...(options.fps ? [`fps=${formatRate(options.fps)}:start_time=0`] : []),
  ]
}

const TURN_FILTERS = { 90: 'transpose=clock', 180: 'hflip,vflip', 270: 'transpose=cclock' }
const FLIP_FILTERS = { horizontal: 'hflip', vertical: 'vflip' }

function turnFilters({ rotate, flip }: VisualOptions): string[] {
  return [...(rotate ? [TURN_FILTERS[rotate]] : []), ...(flip ? [FLIP_FILTERS[flip]] : [])]
}

/** A whole picture of unknown tags is mapped by what such recordings are: BT.2020 at up to 1000 nits. */
function toneMapFilters(hdr: NonNullable<MediaStream['hdr']>): string[] {
  const transfer = hdr === 'hlg' ? 'arib-std-b67' : 'smpte2084'
  return [
    `zscale=tin=${transfer}:pin=bt2020:min=bt2020nc:rin=tv:t=linear:npl=100`,
    'format=gbrpf32le',
    'zscale=p=bt709',
    'tonemap=tonemap=hable:desat=0',
    'zscale=t=bt709:m=bt709:r=tv',
    'format=yuv420p',
  ]
}

/** How the colours of the output are stored. A JPEG is of the full range, and png has colours without a matrix. */
const COLOR_TARGETS: Record<StillFormat | 'video', string> = {
  video: ':out_color_matrix=bt709:out_range=tv',
  jpeg: ':out_color_matrix=bt601:out_range=pc',
  webp: ':out_color_matrix=bt601:out_range=tv',
  png: '',
}

function fitFilters(video: MediaStream, { width, height }: Size, options: VisualOptions) {
  const { fit = 'inside', background, keepsHdr, still } = options
  const colors = keepsHdr ? '' : `:in_color_matrix=${findMatrix(video)}${COLOR_TARGETS[still ?? 'video']}`
  const scale = (to: string) => `scale=${to}${colors}:flags=bicubic+accurate_rnd`
  const turned = turnSize(video, options)
  const source = { width: turned.width ?? width, height: turned.height ?? height }
  if (fit === 'inside' || fit === 'stretch') return [scale(`${width}:${height}`)]
  const factors = [width / source.width, height / source.height]
  const factor = fit === 'pad' ? Math.min(...factors) : Math.max(...factors)
  const inner = roundSize(source.width * factor, source.height * factor, still ? 1 : 2)
  const color = (background ?? '#000000').replace('#', '0x')
  if (fit === 'pad') {
    const [w, h] = [Math.min(inner.width, width), Math.min(inner.height, height)]
    return [scale(`${w}:${h}`), `pad=${width}:${height}:-1:-1:color=${color}`]
  }
  const [w, h] = [Math.max(inner.width, width), Math.max(inner.height, height)]
  return [scale(`${w}:${h}`), `crop=${width}:${height}`]
}

/** Without a tag, small pictures are of the old television standard, as every player assumes. */
function findMatrix({ colorSpace, hdr, height = 0 }: MediaStream): string {
  if (hdr || colorSpace === 'bt709') return 'bt709'
  if (colorSpace?.startsWith('bt2020')) return 'bt2020'
  if (colorSpace === 'smpte170m' || colorSpace === 'bt470bg') return 'bt601'
  return height >= 720 ? 'bt709' : 'bt601'
}

/** Quality 1 to 100 as the encoder of each format counts it. */
export function buildStillEncoder(format: StillFormat, quality: number): string[] {
  const pixels = { jpeg: 'yuvj420p', png: 'rgb24', webp: 'yuv420p' }[format]
  if (format === 'jpeg')
    return ['-c:v', 'mjpeg', '-q:v', String(Math.round(31 - (quality / 100) * 29)), '-pix_fmt', pixels]
  if (format === 'png') return ['-c:v', 'png', '-pix_fmt', pixels]
  return ['-c:v', 'libwebp', '-quality', String(quality), '-pix_fmt', pixels]
}

export const STILL_FILES: Record<StillFormat, { contentType: string; extension: string }> = {
  jpeg: { contentType: 'image/jpeg', extension: 'jpg' },
  png: { contentType: 'image/png', extension: 'png' },
  webp: { contentType: 'image/webp', extension: 'webp' },
}
