import type { MediaChapter, MediaFacts, MediaStream } from '#kit'

/** What ffprobe writes as JSON. */
export interface ProbeOutput {
  format?: { format_name?: string; duration?: string; start_time?: string; bit_rate?: string; tags?: Tags }
  streams?: ProbeStream[]
  chapters?: { start_time?: string; end_time?: string; tags?: Tags }[]
}

type Tags = Record<string, string>

export interface ProbeStream {
  index: number
  codec_type?: string
  codec_name?: string
  codec_tag_string?: string
  profile?: string
  width?: number
  height?: number
  sample_aspect_ratio?: string
  display_aspect_ratio?: string
  r_frame_rate?: string
  avg_frame_rate?: string
  pix_fmt?: string
  bits_per_raw_sample?: string
  bits_per_sample?: number
  color_space?: string
  color_transfer?: string
  field_order?: string
  has_b_frames?: number
  nb_frames?: string
  nb_read_packets?: string
  sample_rate?: string
  sample_fmt?: string
  channels?: number
  channel_layout?: string
  bit_rate?: string
  time_base?: string
  duration?: string
  start_time?: string
  disposition?: Record<string, number>
  tags?: Tags
  side_data_list?: { side_data_type?: string; rotation?: number }[]
}

/** Names of ours for the readers that ffprobe names by several formats. */
const CONTAINERS: Record<string, string> = {
  'matroska,webm': 'mkv',
  mpegts: 'ts',
  jpeg_pipe: 'jpeg',
  png_pipe: 'png',
  webp_pipe: 'webp',
  bmp_pipe: 'bmp',
  asf: 'wmv',
}
const STREAM_TYPES = ['video', 'audio', 'subtitle', 'data', 'attachment'] as const
const IMAGE_READERS = new Set(['gif', 'apng'])

export function parseMediaFacts({ format = {}, streams = [], chapters = [] }: ProbeOutput): MediaFacts {
  const parsed = streams.map(parseStream)
  const longest = Math.max(0, ...parsed.map(({ seconds = 0 }) => seconds))
  return {
    container: nameContainer(format, parsed),
    seconds: toNumber(format.duration) ?? longest,
    startSeconds: toNumber(format.start_time) ?? 0,
    ...defined({ bitrate: toNumber(format.bit_rate) }),
    streams: parsed,
    chapters: chapters.map(parseChapter),
    tags: format.tags ?? {},
    issues: [],
  }
}

export function isAnimatedImage({ container, streams }: MediaFacts): boolean {
  return IMAGE_READERS.has(container) && (streams[0]?.frames ?? 2) > 1
}

function nameContainer(
  { format_name: name = '', tags = {} }: NonNullable<ProbeOutput['format']>,
  streams: MediaStream[],
) {
  if (name.startsWith('mov,')) return nameIsoFile(tags.major_brand?.trim() ?? '', streams)
  if (name === 'matroska,webm') return streams.every(isWebmStream) ? 'webm' : 'mkv'
  return CONTAINERS[name] ?? name.split(',', 1)[0]!
}

function nameIsoFile(brand: string, streams: MediaStream[]): string {
  if (brand === 'qt' || brand === '') return 'mov'
  if (brand.startsWith('3g')) return '3gp'
  const isAudio = brand.startsWith('M4A') || streams.every(({ type, isCover }) => type === 'audio' || isCover)
  return isAudio ? 'm4a' : 'mp4'
}

function isWebmStream({ type, codec }: MediaStream): boolean {
  return type !== 'attachment' && ['vp8', 'vp9', 'av1', 'opus', 'vorbis', 'webvtt'].includes(codec)
}

function parseChapter({
  start_time: start,
  end_time: end,
  tags = {},
}: NonNullable<ProbeOutput['chapters']>[number]): MediaChapter {
  return { start: toNumber(start) ?? 0, end: toNumber(end) ?? 0, ...defined({ title: tags.title }) }
}

function parseStream(stream: ProbeStream): MediaStream {
  const { tags = {}, disposition = {} } = stream
  const type = isDecodable(stream) ? (STREAM_TYPES.find(name => name === stream.codec_type) ?? 'data') : 'data'
  return {
    index: stream.index,
    type,
    codec: stream.codec_name ?? stream.codec_tag_string ?? 'unknown',
    default: disposition.default === 1,
    forced: disposition.forced === 1,
    tags,
    ...defined({
      profile: stream.profile,
      bitrate: toNumber(stream.bit_rate),
      timeBase: stream.time_base,
      seconds: toNumber(stream.duration) ?? parseClock(tags.DURATION),
      startSeconds: toNumber(stream.start_time),
      language: normalizeLanguage(tags.language),
      title: tags.title,
      frames: toNumber(stream.nb_frames),
    }),
    ...(type === 'video' ? parseVisual(stream) : {}),
    ...(type === 'audio' ? parseSound(stream) : {}),
  }
}

function parseVisual(stream: ProbeStream): Partial<MediaStream> {
  const { width = 0, height = 0, side_data_list: sideData = [] } = stream
  const rotation = readRotation(stream)
  const aspect = parseRatio(stream.sample_aspect_ratio) ?? 1
  const upright = { width: Math.round(width * aspect), height }
  const isSideways = rotation % 180 === 90
  const [fps, statedFps] = [parseRate(stream.r_frame_rate), parseRate(stream.avg_frame_rate)]
  // Matroska of a few frames states the rate of its clock as the average.
  const avgFps = fps && statedFps && statedFps > fps ? fps : statedFps
  const isDolby = sideData.some(({ side_data_type: kind }) => kind?.startsWith('DOVI'))
  return defined({
    width: isSideways ? upright.height : upright.width,
    height: isSideways ? upright.width : upright.height,
    codedWidth: width,
    codedHeight: height,
    displayAspect: stream.display_aspect_ratio,
    rotation,
    hasSquarePixels: aspect === 1,
    fps: fps && avgFps && fps > 1000 ? avgFps : (fps ?? avgFps),
    avgFps,
    vfr: fps !== undefined && avgFps !== undefined && Math.abs(fps - avgFps) / fps > 0.01,
    pixFmt: stream.pix_fmt,
    bitDepth: toNumber(stream.bits_per_raw_sample) ?? readBitDepth(stream.pix_fmt),
    hdr: findHdr(stream.color_transfer, isDolby),
    colorSpace: stream.color_space,
    isInterlaced: ['tt', 'bb', 'tb', 'bt'].includes(stream.field_order ?? ''),
    hasBFrames: (stream.has_b_frames ?? 0) > 0,
    isCover: stream.disposition?.attached_pic === 1,
  })
}

/** ffprobe names a codec by its tag alone; of a stream that no decoder of ours reads, it finds neither rate nor size. */
function isDecodable({ codec_type: type, sample_rate: rate, width, height }: ProbeStream): boolean {
  if (type === 'audio') return rate !== '0'
  return type !== 'video' || (width !== 0 && height !== 0)
}

function parseSound(stream: ProbeStream): Partial<MediaStream> {
  return defined({
    sampleRate: toNumber(stream.sample_rate),
    sampleFormat: stream.sample_fmt,
    channels: stream.channels,
    layout: stream.channel_layout,
    bitDepth: stream.bits_per_sample || toNumber(stream.bits_per_raw_sample) || undefined,
  })
}

/** Clockwise, as a player turns the picture. */
function readRotation({ side_data_list: sideData = [], tags = {} }: ProbeStream): number {
  const matrix = sideData.find(({ rotation }) => rotation !== undefined)?.rotation
  const degrees = matrix === undefined ? Number(tags.rotate ?? 0) : -matrix
  return Number.isFinite(degrees) ? (((Math.round(degrees / 90) * 90) % 360) + 360) % 360 : 0
}

function findHdr(transfer: string | undefined, isDolby: boolean): MediaStream['hdr'] {
  if (isDolby) return 'dolby-vision'
  if (transfer === 'smpte2084') return 'pq'
  return transfer === 'arib-std-b67' ? 'hlg' : undefined
}

function readBitDepth(pixelFormat = ''): number {
  return Number(/(?:p|gray|gbrp)(9|10|12|14|16)(?:le|be)$/.exec(pixelFormat)?.[1] ?? 8)
}

function parseRate(rate: string | undefined): number | undefined {
  const value = parseRatio(rate?.replace('/', ':'))
  return value === undefined ? undefined : Math.round(value * 1000) / 1000
}

function parseRatio(ratio: string | undefined): number | undefined {
  const [over, under] = (ratio ?? '').split(':').map(Number)
  return over && under ? over / under : undefined
}

/** `00:00:01.500000000`, as Matroska tags have it. */
function parseClock(text: string | undefined): number | undefined {
  const match = /^(\d+):(\d\d):(\d\d(?:\.\d+)?)$/.exec(text ?? '')
  return match ? Number(match[1]) * 3600 + Number(match[2]) * 60 + Number(match[3]) : undefined
}

function normalizeLanguage(language: string | undefined): string | undefined {
  return language === undefined || language === 'und' ? undefined : language.toLowerCase()
}

function toNumber(text: string | undefined): number | undefined {
  const value = Number(text ?? Number.NaN)
  return Number.isFinite(value) ? value : undefined
}

/** Drops the fields without a value. */
export function defined<Fields extends object>(
  fields: Fields,
): { [Name in keyof Fields]: Exclude<Fields[Name], undefined> } {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as never
}
