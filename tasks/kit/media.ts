/** What a recording holds, as the probe found it. Plain data with the names that `media/probe` answers with. */
export interface MediaFacts {
  /** A short name of ours such as `mp4`, or that of the reader. */
  container: string
  seconds: number
  startSeconds: number
  bitrate?: number
  streams: MediaStream[]
  chapters: MediaChapter[]
  tags: Record<string, string>
  issues: MediaIssue[]
}

export interface MediaChapter {
  start: number
  end: number
  title?: string
}

/** Why a file is usable only in part, or not by every player. */
export interface MediaIssue {
  code: string
  message: string
}

export interface MediaStream {
  /** The position in the file, from 0. */
  index: number
  type: 'video' | 'audio' | 'subtitle' | 'data' | 'attachment'
  codec: string
  profile?: string
  /** Pixels as they are displayed: after rotation, and with square pixels. */
  width?: number
  height?: number
  /** Pixels as they are stored. */
  codedWidth?: number
  codedHeight?: number
  displayAspect?: string
  rotation?: number
  hasSquarePixels?: boolean
  fps?: number
  avgFps?: number
  vfr?: boolean
  pixFmt?: string
  bitDepth?: number
  hdr?: 'pq' | 'hlg' | 'dolby-vision'
  colorSpace?: string
  isInterlaced?: boolean
  hasBFrames?: boolean
  /** A cover picture, which is stored as a video stream of one frame. */
  isCover?: boolean
  frames?: number
  sampleRate?: number
  sampleFormat?: string
  channels?: number
  layout?: string
  bitrate?: number
  timeBase?: string
  seconds?: number
  startSeconds?: number
  language?: string
  title?: string
  default: boolean
  forced: boolean
  tags: Record<string, string>
}

/** The picture of a recording: its first video stream that is not a cover. */
export function findVideo(media: MediaFacts | undefined): MediaStream | undefined {
  return media?.streams.find(({ type, isCover }) => type === 'video' && !isCover)
}

export function listAudio(media: MediaFacts | undefined): MediaStream[] {
  return media?.streams.filter(({ type }) => type === 'audio') ?? []
}
