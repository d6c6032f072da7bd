export const VIDEO_FORMATS = ['mp4', 'webm', 'mov', 'mkv', 'avi'] as const
export const AUDIO_FORMATS = ['mp3', 'm4a', 'aac', 'ogg', 'opus', 'flac', 'wav', 'aiff'] as const
export type VideoFormat = (typeof VIDEO_FORMATS)[number]
export type AudioFormat = (typeof AUDIO_FORMATS)[number]
export type VideoCodec = 'h264' | 'h265' | 'vp9' | 'av1'
export type AudioCodec = 'aac' | 'opus' | 'mp3' | 'vorbis' | 'flac' | 'pcm'

interface VideoContainer {
  contentType: string
  muxer: string
  /** What its players play, by ffmpeg's names; the first of each is what is encoded if nothing is asked for. */
  video: readonly string[]
  audio: readonly string[]
  /** The codec of text subtitles; none can be kept without one. */
  subtitle?: string
  encodes: { video: readonly VideoCodec[]; audio: readonly AudioCodec[] }
}

const ISO_VIDEO = ['h264', 'hevc', 'av1', 'mpeg4', 'vp9']
const ISO_AUDIO = ['aac', 'mp3', 'ac3', 'eac3', 'alac', 'opus']

export const VIDEO_CONTAINERS: Record<VideoFormat, VideoContainer> = {
  mp4: {
    contentType: 'video/mp4',
    muxer: 'mp4',
    video: ISO_VIDEO,
    audio: ISO_AUDIO,
    subtitle: 'mov_text',
    encodes: { video: ['h264', 'h265', 'av1', 'vp9'], audio: ['aac', 'mp3', 'opus'] },
  },
  mov: {
    contentType: 'video/quicktime',
    muxer: 'mov',
    video: ['h264', 'hevc', 'mpeg4', 'prores', 'mjpeg'],
    audio: ['aac', 'mp3', 'ac3', 'alac', 'pcm_s16le', 'pcm_s16be', 'pcm_s24le'],
    subtitle: 'mov_text',
    encodes: { video: ['h264', 'h265'], audio: ['aac', 'mp3'] },
  },
  webm: {
    contentType: 'video/webm',
    muxer: 'webm',
    video: ['vp9', 'vp8', 'av1'],
    audio: ['opus', 'vorbis'],
    subtitle: 'webvtt',
    encodes: { video: ['vp9', 'av1'], audio: ['opus'] },
  },
  mkv: {
    contentType: 'video/matroska',
    muxer: 'matroska',
    video: [...ISO_VIDEO, 'vp8', 'mpeg2video', 'mpeg1video', 'theora', 'prores', 'mjpeg', 'ffv1', 'vc1'],
    audio: [...ISO_AUDIO, 'flac', 'vorbis', 'dts', 'truehd', 'pcm_s16le', 'pcm_s24le', 'mp2'],
    subtitle: 'srt',
    encodes: { video: ['h264', 'h265', 'vp9', 'av1'], audio: ['aac', 'opus', 'mp3'] },
  },
  avi: {
    contentType: 'video/vnd.avi',
    muxer: 'avi',
    video: ['mpeg4', 'mjpeg', 'msmpeg4v3'],
    audio: ['mp3', 'ac3', 'pcm_s16le', 'mp2'],
    encodes: { video: ['h264'], audio: ['mp3'] },
  },
}

interface AudioContainer {
  contentType: string
  muxer: string
  codec: AudioCodec
  /** What can be copied into it, by ffmpeg's names. */
  copies: RegExp
  hasCover: boolean
  /** The rates that its encoder takes; without a list any up to `maxRate`. */
  rates?: readonly number[]
  maxRate: number
  maxChannels: number
}

const MP3_RATES = [8000, 11_025, 12_000, 16_000, 22_050, 24_000, 32_000, 44_100, 48_000]
const AAC_RATES = [...MP3_RATES, 64_000, 88_200, 96_000]
const OPUS_RATES = [8000, 12_000, 16_000, 24_000, 48_000]

const aac = { codec: 'aac', copies: /^aac$/, rates: AAC_RATES, maxRate: 96_000, maxChannels: 8 } as const
const pcm = { codec: 'pcm', copies: /^pcm_/, hasCover: false, maxRate: 192_000, maxChannels: 8 } as const

export const AUDIO_CONTAINERS: Record<AudioFormat, AudioContainer> = {
  mp3: {
    contentType: 'audio/mpeg',
    muxer: 'mp3',
    codec: 'mp3',
    copies: /^mp3$/,
    hasCover: true,
    rates: MP3_RATES,
    maxRate: 48_000,
    maxChannels: 2,
  },
  m4a: { ...aac, contentType: 'audio/x-m4a', muxer: 'ipod', hasCover: true, copies: /^(aac|alac)$/ },
  aac: { ...aac, contentType: 'audio/aac', muxer: 'adts', hasCover: false },
  ogg: {
    contentType: 'audio/ogg',
    muxer: 'ogg',
    codec: 'vorbis',
    copies: /^(vorbis|opus|flac|speex)$/,
    hasCover: false,
    maxRate: 192_000,
    maxChannels: 8,
  },
  opus: {
    contentType: 'audio/ogg',
    muxer: 'opus',
    codec: 'opus',
    copies: /^opus$/,
    hasCover: false,
    rates: OPUS_RATES,
    maxRate: 48_000,
    maxChannels: 8,
  },
  flac: {
    contentType: 'audio/flac',
    muxer: 'flac',
    codec: 'flac',
    copies: /^flac$/,
    hasCover: true,
    maxRate: 192_000,
    maxChannels: 8,
  },
  wav: { ...pcm, contentType: 'audio/wav', muxer: 'wav', copies: /^pcm_(s16le|s24le|s32le|u8|f32le)$/ },
  aiff: { ...pcm, contentType: 'audio/aiff', muxer: 'aiff', copies: /^pcm_(s16be|s24be|s32be)$/ },
}

export function isAudioFormat(name: string): name is AudioFormat {
  return Object.hasOwn(AUDIO_CONTAINERS, name)
}

export const AUDIO_CONTENT_TYPES = [...new Set(Object.values(AUDIO_CONTAINERS).map(({ contentType }) => contentType))]
export const VIDEO_CONTENT_TYPES = Object.values(VIDEO_CONTAINERS).map(({ contentType }) => contentType)
