import type { MediaStream } from '#kit'
import { type Ffmpeg, readResult } from '../../formats/media/result.ts'
import { renderChapters } from '../../formats/media/tags.ts'
import { formatSeconds } from '../../formats/media/times.ts'
import { encodeSound, encodeVisual, muxOptions, nameVideo } from '../../formats/media/video-output.ts'
import { type Clip, type ConcatInput, planOutput } from './plan.ts'

interface ConcatJob {
  ffmpeg: Ffmpeg
  out(name: string): string
  input: ConcatInput
  clips: readonly Clip[]
}

const SILENCE: MediaStream = {
  index: 0,
  type: 'audio',
  codec: 'none',
  sampleRate: 48_000,
  channels: 2,
  default: true,
  forced: false,
  tags: {},
}
const LAYOUT = 'aformat=sample_fmts=fltp:sample_rates=48000:channel_layouts=stereo'

/** Encodes the clips into one. The sound of each is cut or filled to the length of its picture, so that no drift adds up. */
export async function encodeClips({ ffmpeg, out, input, clips }: ConcatJob) {
  const plan = planOutput(input, clips)
  const path = out(`joined.${input.format}`)
  const { width, height, fps } = plan
  const options = { ...input, videoCodec: 'auto', width, height, fps } as const
  const hasSound = clips.some(({ audio }) => audio)
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
    const fades = fadeFilters(input, clip, at, clips.length)
    const visual = `[${at}:${clip.video.index}]${[...filters, ...hold, ...fades.visual].join(',')}[v${at}]`
    return hasSound ? [visual, buildSound(clip, at, fades.sound)] : [visual]
  })
  const joined = plan.overlap > 0 ? crossfade(clips, plan.overlap, hasSound) : joinPlain(clips.length, hasSound)
  const sound = hasSound ? ['-map', '[sound]', ...encodeSound(SILENCE, input.format).encoder] : []
  const chapters = await planChapters(ffmpeg, input, clips, plan.overlap)
  await ffmpeg.run({
    inputs: [...clips.map(({ file }) => ({ path: file.path })), ...chapters.inputs],
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

function buildSound({ audio, seconds }: Clip, at: number, fades: readonly string[]): string {
  const length = formatSeconds(seconds)
  const source = audio ? `[${at}:${audio.index}]aresample=48000:async=1:first_pts=0` : 'anullsrc=r=48000:cl=stereo'
  return `${source},${[LAYOUT, 'apad', `atrim=0:${length}`, 'asetpts=PTS-STARTPTS', ...fades].join(',')}[a${at}]`
}

/** Through black: each clip fades out and the next fades in, within its own length. */
function fadeFilters({ transition, transitionMs }: ConcatInput, { seconds }: Clip, at: number, count: number) {
  if (transition !== 'fade-black') return { visual: [], sound: [] }
  const half = Math.min(transitionMs / 2000, seconds / 2)
  const sides = [
    ...(at > 0 ? [`t=in:st=0:d=${half}`] : []),
    ...(at < count - 1 ? [`t=out:st=${formatSeconds(seconds - half)}:d=${half}`] : []),
  ]
  return { visual: sides.map(side => `fade=${side}`), sound: sides.map(side => `afade=${side}`) }
}

function joinPlain(count: number, hasSound: boolean): string {
  const names = Array.from({ length: count }, (_, at) => (hasSound ? `[v${at}][a${at}]` : `[v${at}]`)).join('')
  return `${names}concat=n=${count}:v=1:a=${hasSound ? 1 : 0}[visual]${hasSound ? '[sound]' : ''}`
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
export async function copyClips({ ffmpeg, out, input, clips }: ConcatJob) {
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
