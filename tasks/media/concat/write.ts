import { Problem } from '#kit'
import { type Ffmpeg, readResult } from '../../formats/media/result.ts'
import { renderChapters } from '../../formats/media/tags.ts'
import { formatSeconds } from '../../formats/media/times.ts'
import { encodeSound, encodeVisual, muxOptions, nameVideo } from '../../formats/media/video-output.ts'
import { alignToFrames, type Clip, type ConcatInput, type ConcatJob, planOutput, type VideoInput } from './plan.ts'
import { buildSound, findCommonSound, planFades } from './sound.ts'

const MAX_RATE = 48_000

/** Encodes the clips into one. The sound of each is cut or filled to the length of its picture, so that no drift adds up. */
export async function encodeClips({ ffmpeg, sharp, out, input, clips: given }: ConcatJob<VideoInput>) {
  const plan = planOutput(input, given)
  const whole = alignToFrames(given, plan.fps, plan.overlap)
  const clips = await Promise.all(whole.map((clip, at) => drawStill({ ffmpeg, sharp, input }, clip, at, plan)))
  const path = out(`joined.${input.format}`)
  const { width, height, fps } = plan
  const options = { ...input, videoCodec: 'auto', width, height, fps } as const
  const hasSound = clips.some(({ audio }) => audio)
  // Opus, which is in WebM, has one rate.
  const found = findCommonSound(clips, MAX_RATE)
  const common = input.format === 'webm' ? { ...found, sampleRate: MAX_RATE } : found
  const { encoder } = encodeVisual(clips[0]!.video, input.format, options)
  const pieces = clips.flatMap((clip, at) => {
    const { filters } = encodeVisual(clip.video, input.format, options)
    const length = formatSeconds(clip.seconds)
    const hold = [
      `tpad=stop_mode=clone:stop_duration=${length}`,
      `trim=0:${length}`,
      'setpts=PTS-STARTPTS',
      'settb=AVTB',
      'format=yuv420p',
    ]
    const fades = planFades(input, clip, at, clips.length)
    const repeat = clip.isStill ? ['loop=loop=-1:size=1:start=0'] : []
    const visual = `[${at}:${clip.video.index}]${[...repeat, ...filters, ...hold, ...fades.visual].join(',')}[v${at}]`
    return hasSound ? [visual, buildSound(clip, at, fades.sound, common)] : [visual]
  })
  const joined = plan.overlap > 0 ? crossfade(clips, plan.overlap, hasSound) : joinPlain(clips.length, fps, hasSound)
  const sound = hasSound ? ['-map', '[sound]', ...encodeSound(common, input.format).encoder] : []
  const chapters = await planChapters(ffmpeg, input, clips, plan.overlap)
  await ffmpeg.run({
    inputs: [...clips.map(({ path }) => ({ path })), ...chapters.inputs],
    graph: [...pieces, joined].join(';'),
    outputs: [
      {
        path,
        options: [
          '-map',
          '[visual]',
          ...encoder,
          ...sound,
          ...chapters.options,
          '-map_metadata',
          '-1',
          ...muxOptions(input.format),
        ],
      },
    ],
    seconds: plan.seconds,
  })
  return readResult(ffmpeg, path, nameVideo(input.format))
}

interface DrawnClip extends Clip {
  path: string
}

/** Draws a still as one upright picture of the output's size, which is then held. */
async function drawStill(
  { ffmpeg, sharp, input }: Pick<ConcatJob<VideoInput>, 'ffmpeg' | 'sharp' | 'input'>,
  clip: Clip,
  index: number,
  { width, height }: { width: number; height: number },
): Promise<DrawnClip> {
  const { path: source } = clip.file
  if (!clip.isStill) return { ...clip, path: source }
  const fit = ({ pad: 'contain', crop: 'cover', stretch: 'fill' } as const)[input.fit]
  const options = { ...STILL_OPTIONS, width, height, fit, background: input.background }
  const { bytes } = await sharp.resize(source, options).catch((error: unknown) => {
    throw error instanceof Problem ? new Problem(error.code, { ...error.hints, index }) : error
  })
  // Without an extension, by which ffmpeg would take it for one of many numbered images.
  const path = await ffmpeg.write(`still-${index}`, bytes!)
  return { ...clip, path, video: { ...clip.video, width, height, colorSpace: 'bt470bg' } }
}

const STILL_OPTIONS = {
  format: 'jpeg',
  quality: 97,
  encoder: { chroma: '444' },
  enlarge: true,
  position: 'center',
  dpr: 1,
  kernel: 'lanczos3',
  sharpen: false,
  linear: false,
  lossless: false,
  animation: 'first',
  metadata: 'strip',
  icc: 'srgb',
  tolerant: false,
} as const

/** Numbers the frames anew, because the filter does not know how long a clip of a single frame is. */
function joinPlain(count: number, fps: number, hasSound: boolean): string {
  const names = Array.from({ length: count }, (_, at) => (hasSound ? `[v${at}][a${at}]` : `[v${at}]`)).join('')
  const joined = `${names}concat=n=${count}:v=1:a=${hasSound ? 1 : 0}[frames]${hasSound ? '[sound]' : ''}`
  return `${joined};[frames]setpts=N/${fps}/TB[visual]`
}

function crossfade(clips: readonly Clip[], overlap: number, hasSound: boolean): string {
  let length = clips[0]!.seconds
  const last = clips.length - 1
  return clips
    .slice(1)
    .flatMap((clip, index) => {
      const at = index + 1
      const [from, to] = [index === 0 ? '[v0]' : `[x${index}]`, at === last ? '[visual]' : `[x${at}]`]
      const offset = formatSeconds(length - overlap)
      length += clip.seconds - overlap
      const visual = `${from}[v${at}]xfade=transition=fade:duration=${overlap}:offset=${offset}${to}`
      const [soundFrom, soundTo] = [index === 0 ? '[a0]' : `[y${index}]`, at === last ? '[sound]' : `[y${at}]`]
      return hasSound ? [visual, `${soundFrom}[a${at}]acrossfade=d=${overlap}${soundTo}`] : [visual]
    })
    .join(';')
}

async function planChapters(ffmpeg: Ffmpeg, { chapters }: ConcatInput, clips: readonly Clip[], overlap: number) {
  if (!chapters) return { inputs: [], options: ['-map_chapters', '-1'] }
  let start = 0
  const marks = clips.map(({ file, seconds }, index) => {
    const mark = {
      start,
      end: start + seconds - (index < clips.length - 1 ? overlap : 0),
      title: file.name ?? `Clip ${index + 1}`,
    }
    start = mark.end
    return mark
  })
  const path = await ffmpeg.write('chapters.txt', renderChapters(marks))
  return { inputs: [{ path }], options: ['-map_chapters', String(clips.length)] }
}

/** Puts the packets of the clips one after another. */
export async function copyClips({ ffmpeg, out, input, clips }: ConcatJob<VideoInput>) {
  const names = await Promise.all(clips.map(({ file }) => ffmpeg.addInput(file.path)))
  const list = await ffmpeg.write('clips.txt', names.map(name => `file '${name.slice(2)}'\n`).join(''))
  const path = out(`joined.${input.format}`)
  const chapters = await planChapters(ffmpeg, input, clips, 0)
  const at = chapters.inputs.length > 0 ? ['-map_chapters', '1'] : chapters.options
  await ffmpeg.run({
    inputs: [{ path: list, isList: true }, ...chapters.inputs],
    outputs: [{ path, options: ['-map', '0:v:0', '-map', '0:a:0?', '-c', 'copy', ...at, ...muxOptions(input.format)] }],
  })
  return readResult(ffmpeg, path, nameVideo(input.format))
}
