import type { MediaStream, Warning } from '#kit'
import type { AudioFormat } from '../../formats/media/containers.ts'
import { readResult } from '../../formats/media/result.ts'
import { planSound } from '../../formats/media/sound.ts'
import { formatSeconds } from '../../formats/media/times.ts'
import { nameOutput } from '../../formats/media/write-sound.ts'
import { type Clip, type ConcatInput, type ConcatJob, planLength } from './plan.ts'

const COMMON_SOUND: MediaStream = {
  index: 0,
  type: 'audio',
  codec: 'none',
  sampleRate: 48_000,
  channels: 2,
  default: true,
  forced: false,
  tags: {},
}

/** The sound of a clip, cut or filled to the length of the clip, so that no drift adds up. */
export function buildSound(
  { audio, seconds }: Clip,
  at: number,
  fades: readonly string[],
  { sampleRate = 48_000, channels = 2 }: MediaStream,
): string {
  const layout = channels === 1 ? 'mono' : 'stereo'
  const source = audio
    ? `[${at}:${audio.index}]aresample=${sampleRate}:async=1:first_pts=0`
    : `anullsrc=r=${sampleRate}:cl=${layout}`
  const form = `aformat=sample_fmts=fltp:sample_rates=${sampleRate}:channel_layouts=${layout}`
  const hold = [`apad=whole_dur=${formatSeconds(seconds)}`, `atrim=0:${formatSeconds(seconds)}`, 'asetpts=PTS-STARTPTS']
  return `${source},${[form, ...hold, ...fades].join(',')}[a${at}]`
}

/** Fades through black or silence: each clip fades out and the next fades in, within its own length. */
export function planFades(
  { transition, transitionMs, audioFadeMs }: ConcatInput,
  { seconds }: Clip,
  at: number,
  count: number,
) {
  const listSides = (wanted: number) => {
    const length = Math.min(wanted, seconds / 2)
    const fadeIn = at > 0 ? [`t=in:st=0:d=${length}`] : []
    const fadeOut = at < count - 1 ? [`t=out:st=${formatSeconds(seconds - length)}:d=${length}`] : []
    return wanted > 0 ? [...fadeIn, ...fadeOut] : []
  }
  const black = transition === 'fade-black' ? transitionMs / 2000 : 0
  return {
    visual: listSides(black).map(side => `fade=${side}`),
    sound: listSides(Math.max(black, audioFadeMs / 1000)).map(side => `afade=${side}`),
  }
}

/** Joins the sounds of the clips without their pictures. */
export async function joinSounds({ ffmpeg, out, input, clips }: ConcatJob, to: AudioFormat) {
  const { overlap, seconds } = planLength(input, clips)
  const common = findCommonSound(clips)
  const plan = planSound(common, { to, quality: input.quality, sampleRate: 'keep', channels: 'keep' })
  const pieces = clips.map((clip, at) => buildSound(clip, at, planFades(input, clip, at, clips.length).sound, common))
  const path = out(`joined.${to}`)
  const options = ['-map', '[sound]', '-map_metadata', '-1', '-map_chapters', '-1', ...plan.encoder, '-f', plan.muxer]
  await ffmpeg.run({
    inputs: clips.map(({ file }) => ({ path: file.path })),
    graph: [...pieces, `${joinPieces(clips.length, overlap)}[joined]`, `[joined]${plan.filters.join(',')}[sound]`].join(
      ';',
    ),
    outputs: [{ path, options }],
    seconds,
  })
  const result = await readResult(ffmpeg, path, nameOutput(to))
  return { result, warnings: [...plan.warnings, ...warnOfMixing(clips)] }
}

/** What the sound of every clip is brought to before it is joined. */
export function findCommonSound(clips: readonly Clip[], maxRate = Number.POSITIVE_INFINITY): MediaStream {
  const sounds = clips.flatMap(({ audio }) => audio ?? [])
  if (sounds.length === 0) return COMMON_SOUND
  const rate = Math.max(...sounds.map(({ sampleRate = 48_000 }) => sampleRate))
  const channels = Math.max(...sounds.map(each => each.channels ?? 2))
  return { ...COMMON_SOUND, sampleRate: Math.min(rate, maxRate), channels: Math.min(2, channels) }
}

function joinPieces(count: number, overlap: number): string {
  const names = Array.from({ length: count }, (_, at) => `[a${at}]`)
  if (overlap === 0) return `${names.join('')}concat=n=${count}:v=0:a=1`
  return names
    .slice(1)
    .map((name, index) => `${index === 0 ? names[0] : `[y${index}]`}${name}acrossfade=d=${overlap}`)
    .map((step, index) => (index < count - 2 ? `${step}[y${index + 1}]` : step))
    .join(';')
}

function warnOfMixing(clips: readonly Clip[]): Warning[] {
  const index = clips.findIndex(({ audio }) => (audio?.channels ?? 0) > 2)
  if (index < 0) return []
  return [
    { code: 'CHANNELS_REDUCED', message: `The ${clips[index]!.audio!.channels} channels of file ${index} became 2.` },
  ]
}
