import { findVideo, type InputFile, listAudio, type MediaStream, Problem, type Tools } from '#kit'
import { isStillType } from '../../formats/file-types/still.ts'
import { type AudioFormat, isAudioFormat, type VideoFormat } from '../../formats/media/containers.ts'
import type { Quality, SpeedPreset } from '../../formats/media/encoders.ts'
import { countAudioUnits, countVideoUnits } from '../../formats/media/price.ts'
import type { Ffmpeg } from '../../formats/media/result.ts'
import { chooseVideoCodec } from '../../formats/media/video-output.ts'
import { type Fit, planRate } from '../../formats/media/visual.ts'

export interface ConcatInput {
  files: InputFile[]
  format: VideoFormat | AudioFormat
  durationsSec?: (number | null)[]
  audioFadeMs: number
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
  isStill: boolean
}

export interface ConcatJob<Input = ConcatInput> {
  ffmpeg: Ffmpeg
  sharp: Tools['sharp']
  out(name: string): string
  input: Input
  clips: readonly Clip[]
}

/** What decides how the files are joined, once it is known that they are joined as a video. */
export interface VideoInput extends ConcatInput {
  format: VideoFormat
}

export function isVideoInput(input: ConcatInput): input is VideoInput {
  return !isAudioFormat(input.format)
}

/** The clips as they play: a picture is as long as its frames, whatever its sound says, and a still as long as asked for. */
export function listClips(input: ConcatInput): Clip[] {
  checkOptions(input)
  const { files, durationsSec } = input
  if (durationsSec && durationsSec.length !== files.length)
    throw new Problem('INVALID_PARAM', { field: 'durationsSec', expectedLength: files.length })
  return files.map((file, index) => {
    const wanted = durationsSec?.[index] ?? undefined
    if (isVideoInput(input) && isStillType(file.type)) return readStill(file, index, wanted)
    if (wanted !== undefined)
      throw new Problem('INVALID_PARAM', { field: 'durationsSec', index, detected: file.type, expected: 'null' })
    return isVideoInput(input) ? readClip(file, index) : readSound(file, index)
  })
}

/** Of a sound there is no picture to choose anything for. */
function checkOptions({ format, transition, audioFadeMs, ...input }: ConcatInput): void {
  if (transition !== 'none' && audioFadeMs > 0)
    throw new Problem('CONFLICTING_OPTIONS', { fields: ['transition', 'audioFadeMs'] })
  if (!isAudioFormat(format)) return
  const { size, fit, background, fps, crf, chapters } = input
  const isVisual = { size: size !== 'first', fit: fit !== 'pad', background: background !== '#000000' }
  const more = { fps: fps !== 'max', crf: crf !== undefined, chapters }
  const fields = Object.entries({ ...isVisual, ...more }).flatMap(([name, isGiven]) => (isGiven ? name : []))
  if (fields.length > 0) throw new Problem('CONFLICTING_OPTIONS', { fields: ['format', ...fields] })
}

function readStill(file: InputFile, index: number, seconds: number | undefined): Clip {
  if (seconds === undefined) throw new Problem('MISSING_FIELD', { field: 'durationsSec', index })
  const { width = EMPTY.width, height = EMPTY.height } = file.facts
  return { file, video: { ...EMPTY, width, height }, audio: undefined, seconds, isStill: true }
}

function readClip(file: InputFile, index: number): Clip {
  const media = file.facts.media
  const video = findVideo(media)
  if (media && !video) throw new Problem('NO_VIDEO_STREAM', { index })
  const [audio] = listAudio(media)
  const seconds = video?.seconds && video.seconds > 0 ? video.seconds : (file.facts.seconds ?? 0)
  return { file, video: video ?? EMPTY, audio, seconds, isStill: false }
}

function readSound(file: InputFile, index: number): Clip {
  const { media, seconds: length = 0 } = file.facts
  const [audio] = listAudio(media)
  if (!audio && (media || isStillType(file.type))) throw new Problem('NO_AUDIO_STREAM', { index })
  const seconds = audio?.seconds && audio.seconds > 0 ? audio.seconds : length
  return { file, video: EMPTY, audio, seconds, isStill: false }
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

/** How long the clips are together, and by how much each overlaps the next. */
export function planLength({ transition, transitionMs }: ConcatInput, clips: readonly Clip[]) {
  const overlap = transition === 'crossfade' ? transitionMs / 1000 : 0
  return { overlap, seconds: clips.reduce((sum, clip) => sum + clip.seconds, 0) - overlap * (clips.length - 1) }
}

export function planOutput(input: VideoInput, clips: readonly Clip[]) {
  const { size, fps } = input
  const rates = clips.filter(({ isStill }) => !isStill).map(({ video }) => planRate(video))
  const rate = fps !== 'max' ? fps : rates.length > 0 ? Math.max(...rates) : STILLS_RATE
  const codec = chooseVideoCodec(input.format, 'auto')
  return { ...planLength(input, clips), ...chooseSize(size, clips), fps: rate, codec }
}

const STILLS_RATE = 25

/**
 * Gives each clip whole frames, so that each begins at the frame nearest to its time: were each rounded by itself, the
 * whole would become longer or shorter. None has less than a frame, or than what it shares with its neighbour.
 */
export function alignToFrames<Each extends Clip>(clips: readonly Each[], fps: number, overlap: number): Each[] {
  const minFrames = Math.floor(overlap * fps) + 1
  let seconds = 0
  let start = 0
  return clips.map(clip => {
    seconds += clip.seconds
    const frames = Math.max(minFrames, Math.round(seconds * fps) - start)
    start += frames
    return { ...clip, seconds: frames / fps }
  })
}

function chooseSize(size: ConcatInput['size'], clips: readonly Clip[]) {
  if (typeof size === 'object') return { width: roundEven(size.width), height: roundEven(size.height) }
  const sizes = clips.map(fitLimits)
  const area = ({ width, height }: (typeof sizes)[number]) => width * height
  const model = size === 'first' ? sizes[0]! : sizes.reduce((best, other) => (area(other) > area(best) ? other : best))
  return { width: roundEven(model.width), height: roundEven(model.height) }
}

/** A photo may be larger than a video can be. */
function fitLimits({ video: { width = 2, height = 2 }, isStill }: Clip) {
  const scale = isStill ? Math.min(1, 4096 / Math.max(width, height), 2304 / Math.min(width, height)) : 1
  return { width: width * scale, height: height * scale }
}

function roundEven(length: number): number {
  return Math.max(2, Math.round(length / 2) * 2)
}

export function countUnits(input: ConcatInput): number {
  const clips = listClips(input)
  return isVideoInput(input) ? countVideoUnits(planOutput(input, clips)) : countSoundUnits(input)
}

export function countSoundUnits(input: ConcatInput): number {
  return countAudioUnits(planLength(input, listClips(input)).seconds)
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
  const { size, fps, transition, format, mode, crf, audioFadeMs } = input
  if (!isVideoInput(input) || audioFadeMs > 0 || input.files.some(({ type }) => isStillType(type))) return false
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
