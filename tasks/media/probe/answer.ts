import { Type } from 'typebox'
import type { MediaFacts, MediaStream } from '#kit'
import { defined, isAnimatedImage } from '../../formats/media/description.ts'
import { readTags } from '../../formats/media/tags.ts'
import { roundSeconds } from '../../formats/media/times.ts'

const text = Type.Optional(Type.String())
const number = Type.Optional(Type.Number())
const whole = Type.Optional(Type.Integer())
const flag = Type.Optional(Type.Boolean())
export const Tags = Type.Record(Type.String(), Type.String())

export const Chapter = Type.Object({ start: Type.Number(), end: Type.Number(), title: text })

const Stream = Type.Object({
  index: Type.Integer(),
  type: Type.String({ description: 'video, audio, subtitle, data or attachment.' }),
  codec: Type.String(),
  profile: text,
  width: Type.Optional(Type.Integer({ description: 'As displayed: after rotation, with square pixels.' })),
  height: whole,
  codedWidth: whole,
  codedHeight: whole,
  displayAspect: text,
  rotation: Type.Optional(Type.Integer({ description: 'Degrees clockwise by which players turn the picture.' })),
  fps: number,
  avgFps: number,
  vfr: Type.Optional(Type.Boolean({ description: 'The frames are not evenly spaced.' })),
  pixFmt: text,
  bitDepth: whole,
  hdr: Type.Optional(Type.String({ description: 'pq, hlg or dolby-vision.' })),
  colorSpace: text,
  isInterlaced: flag,
  isCover: flag,
  frames: whole,
  sampleRate: whole,
  channels: whole,
  layout: text,
  bitrate: whole,
  language: text,
  title: text,
  default: Type.Boolean(),
  forced: Type.Boolean(),
})

export const ProbeAnswer = Type.Object({
  container: Type.String(),
  durationSec: Type.Number(),
  sizeBytes: Type.Integer(),
  bitrate: whole,
  streams: Type.Array(Stream),
  chapters: Type.Array(Chapter),
  tags: Tags,
  isAnimatedImage: Type.Boolean(),
  hasBFrames: Type.Boolean(),
  faststart: Type.Optional(Type.Boolean({ description: 'The index is before the media; for mp4 and mov.' })),
  issues: Type.Array(Type.Object({ code: Type.String(), message: Type.String() })),
})

export function describe(media: MediaFacts, sizeBytes: number) {
  return {
    container: media.container,
    durationSec: roundSeconds(media.seconds),
    sizeBytes,
    ...defined({ bitrate: media.bitrate }),
    streams: media.streams.map(describeStream),
    chapters: media.chapters,
    tags: readTags(media),
    isAnimatedImage: isAnimatedImage(media),
    hasBFrames: media.streams.some(({ hasBFrames }) => hasBFrames),
    issues: [...media.issues, ...listIssues(media)],
  }
}

function describeStream(stream: MediaStream) {
  const {
    tags: _,
    hasBFrames: __,
    timeBase: ___,
    sampleFormat: ____,
    hasSquarePixels,
    seconds: _____,
    ...rest
  } = stream
  const { startSeconds: ______, width = 0, height = 0, ...shown } = rest
  if (width === 0) return shown
  const aspect = hasSquarePixels === undefined ? {} : { displayAspect: reduceRatio(width, height) }
  return { ...shown, width, height, ...aspect }
}

function reduceRatio(width: number, height: number): string {
  const divide = (one: number, other: number): number => (other === 0 ? one : divide(other, one % other))
  const common = divide(width, height)
  return `${width / common}:${height / common}`
}

/** A start this late is heard and seen: picture and sound do not begin together. */
const NOTABLE_OFFSET_SECONDS = 0.1

function listIssues({ streams, seconds }: MediaFacts) {
  const starts = streams.flatMap(({ type, startSeconds, isCover }) =>
    (type === 'video' || type === 'audio') && !isCover && startSeconds !== undefined ? [startSeconds] : [],
  )
  const offset = Math.max(...starts) - Math.min(...starts)
  const issues = []
  if (starts.length > 1 && offset > NOTABLE_OFFSET_SECONDS)
    issues.push({ code: 'STREAMS_OFFSET', message: `Visual and sound begin ${offset.toFixed(2)} s apart.` })
  if (streams.length > 0 && seconds === 0)
    issues.push({ code: 'NO_DURATION', message: 'The file holds no frames, or does not tell when they are shown.' })
  return issues
}
