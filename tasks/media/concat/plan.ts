import { findVideo, type InputFile, listAudio, type MediaStream, Problem } from '#kit'
import type { VideoFormat } from '../../formats/media/containers.ts'
import type { Quality, SpeedPreset } from '../../formats/media/encoders.ts'
import { countVideoUnits } from '../../formats/media/price.ts'
import { chooseVideoCodec } from '../../formats/media/video-output.ts'
import { type Fit, planRate } from '../../formats/media/visual.ts'

export interface ConcatInput {
  files: InputFile[]
  format: VideoFormat
  size: 'first' | 'largest' | { width: number; height: number }
  fit: Exclude<Fit, 'inside'>
  background: string
  fps: 'max' | number
  transition: 'none' | 'crossfade' | 'fade-black'
  transitionMs: number
  mode: 'auto' | 'copy' | 'encode'
  chapters: boolean
  quality: Quality
  crf?: number
  speedPreset: SpeedPreset
}

export interface Clip {
  file: InputFile
  video: MediaStream
  audio: MediaStream | undefined
  seconds: number
}

/** The clips as they play: a picture is as long as its frames, whatever its sound says. */
export function listClips({ files }: ConcatInput): Clip[] {
  return files.map((file, index) => {
    const media = file.facts.media
    const video = findVideo(media)
    if (media && !video) throw new Problem('NO_VIDEO_STREAM', { index })
    const [audio] = listAudio(media)
    const seconds = video?.seconds && video.seconds > 0 ? video.seconds : (file.facts.seconds ?? 0)
    return { file, video: video ?? EMPTY, audio, seconds }
  })
}

const EMPTY: MediaStream = {
  index: 0,
  type: 'video',
  codec: '',
  width: 4096,
  height: 2304,
  fps: 60,
  default: true,
  forced: false,
  tags: {},
}

export function planOutput(input: ConcatInput, clips: readonly Clip[]) {
  const { transition, transitionMs, size, fps } = input
  const overlap = transition === 'crossfade' ? transitionMs / 1000 : 0
  const seconds = clips.reduce((sum, clip) => sum + clip.seconds, 0) - overlap * (clips.length - 1)
  const rate = fps === 'max' ? Math.max(...clips.map(({ video }) => planRate(video))) : fps
  return { ...chooseSize(size, clips), fps: rate, seconds, overlap, codec: chooseVideoCodec(input.format, 'auto') }
}

function chooseSize(size: ConcatInput['size'], clips: readonly Clip[]) {
  if (typeof size === 'object') return { width: roundEven(size.width), height: roundEven(size.height) }
  const area = ({ video: { width = 2, height = 2 } }: Clip) => width * height
  const model = size === 'first' ? clips[0]! : clips.reduce((best, clip) => (area(clip) > area(best) ? clip : best))
  return { width: roundEven(model.video.width ?? 2), height: roundEven(model.video.height ?? 2) }
}

function roundEven(length: number): number {
  return Math.max(2, Math.round(length / 2) * 2)
}

export function countUnits(input: ConcatInput): number {
  const clips = listClips(input)
  return countVideoUnits(planOutput(input, clips))
}

const SAME = [
  'codec',
  'profile',
  'codedWidth',
  'codedHeight',
  'fps',
  'rotation',
  'pixFmt',
  'timeBase',
  'displayAspect',
] as const

/** Whether the clips can follow each other without being encoded, because all about them is the same. */
export function copiesClips(input: ConcatInput): boolean {
  const { size, fps, transition, format, mode, crf } = input
  if (size !== 'first' || fps !== 'max' || transition !== 'none' || mode === 'encode' || crf !== undefined) return false
  if (input.files.some(file => !findVideo(file.facts.media))) return false
  const clips = listClips(input)
  const [first] = clips
  return clips.every(
    ({ file, video, audio }) =>
      file.facts.media?.container === format &&
      SAME.every(name => video[name] === first!.video[name]) &&
      audio?.codec === first!.audio?.codec &&
      audio?.sampleRate === first!.audio?.sampleRate &&
      audio?.channels === first!.audio?.channels &&
      !video.vfr,
  )
}
