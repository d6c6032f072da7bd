import { Problem } from '#kit'
import { buildEditFilters } from '../../formats/media/sound.ts'
import { formatSeconds, seekOptions } from '../../formats/media/times.ts'
import { type Ducking, type MixPlan, measureAudible, type Voice } from './plan.ts'

interface Sound {
  hertz: number
  channels: 1 | 2
}

/** Longer sounds are read again for every repetition instead of being kept in memory. */
const MAX_KEPT_SECONDS = 300
/** A rate at which the volume of speech can be followed. */
const KEY_HERTZ = 8000
const HOLD_SECONDS = 0.3
const ATTACK_SECONDS = 0.03
const RELEASE_SECONDS = 0.25

/**
 * Reads every sound into `[mix]`, of the full length and not limited. The mixer adds what it is given; it does not divide
 * by the number of sounds.
 */
export function buildMix(plan: MixPlan, sound: Sound, duck: Ducking | undefined) {
  const inputs: { path: string; options: string[] }[] = []
  const chains: string[] = []
  const audible = measureAudible(plan)
  if (audible.length === 0) throw new Problem('NO_AUDIO_STREAM', { index: 0 })
  const add = (voice: Voice, copies: number) => {
    const { file, range } = voice
    const first = inputs.length
    const seek = seekOptions(range, file.facts.seconds ?? range.end)
    for (let copy = 0; copy < copies; copy++) inputs.push({ path: file.path, options: seek })
    return Array.from({ length: copies }, (_, copy) => first + copy)
  }
  // The picture of a video that is kept is in the first input, whether it has sound or not.
  if (!plan.voices[0]!.audio) add(plan.voices[0]!, 1)
  for (const { voice, audible: seconds } of audible) {
    const length = voice.range.end - voice.range.start
    const copies = voice.isLooped && length > MAX_KEPT_SECONDS ? Math.ceil(seconds / length) : 1
    chains.push(buildVoice(voice, { numbers: add(voice, copies), seconds, sound }))
  }
  const names = audible.map(({ voice }) => `[m${voice.index}]`)
  const joined = duck ? duckOthers(names, duck, sound) : `${names.join('')}${mixer(names.length)}`
  // Padding without an end would go on for ever after a damaged input.
  const end = formatSeconds(plan.seconds)
  return { inputs, graph: `${chains.join(';')};${joined},apad=whole_dur=${end},atrim=0:${end}` }
}

function mixer(count: number): string {
  return `amix=inputs=${count}:normalize=0:duration=longest`
}

interface Reading {
  /** Where the sound is read, once or once for every repetition. */
  numbers: number[]
  seconds: number
  sound: Sound
}

function buildVoice({ index, audio, isLooped, delaySeconds, settings }: Voice, { numbers, seconds, sound }: Reading) {
  const { channels = 2, index: stream } = audio!
  const read = `aresample=${sound.hertz}:async=1:first_pts=0`
  const repeat = isLooped && numbers.length === 1 ? ['aloop=loop=-1:size=2147483647'] : []
  const delay = Math.round(delaySeconds * sound.hertz)
  const filters = [
    ...placeFilters(channels, sound.channels, settings.pan ?? 0),
    ...repeat,
    `atrim=0:${formatSeconds(seconds)}`,
    ...editFilters(index, settings, seconds),
    ...(delay > 0 ? [`adelay=${delay}S:all=1`] : []),
    'aformat=sample_fmts=fltp',
  ].join(',')
  if (numbers.length === 1) return `[${numbers[0]}:${stream}]${read},${filters}[m${index}]`
  const parts = numbers.map((number, at) => `[${number}:${stream}]${read}[m${index}r${at}]`)
  const names = numbers.map((_, at) => `[m${index}r${at}]`).join('')
  return [...parts, `${names}concat=n=${numbers.length}:v=0:a=1,${filters}[m${index}]`].join(';')
}

function editFilters(index: number, settings: Voice['settings'], seconds: number): string[] {
  try {
    return buildEditFilters(settings, seconds)
  } catch (error) {
    throw error instanceof Problem ? new Problem(error.code, { ...error.hints, index }) : error
  }
}

/** A balance: the middle changes nothing, and each end silences the other side. One channel is audible on both sides. */
function placeFilters(from: number, to: 1 | 2, pan: number): string[] {
  if (to === 1) return from === 1 ? [] : ['aformat=channel_layouts=mono']
  const [left, right] = [Math.min(1, 1 - pan), Math.min(1, 1 + pan)]
  if (from === 1) return [`pan=stereo|c0=${left}*c0|c1=${right}*c0`]
  return ['aformat=channel_layouts=stereo', ...(pan === 0 ? [] : [`pan=stereo|c0=${left}*c0|c1=${right}*c1`])]
}

/**
 * While one sound is louder than the threshold, the others are exactly `by` quieter: they are multiplied with a curve that
 * follows it. It is drawn at a low rate; `0` counts how long a peak still holds, `1` is how far the curve is down.
 */
function duckOthers(names: readonly string[], { under, by, threshold }: Ducking, { hertz, channels }: Sound): string {
  const key = `[m${under}]`
  if (!names.includes(key)) throw new Problem('INVALID_PARAM', { field: 'duck.under', allowed: names.length - 1 })
  const others = names.filter(name => name !== key)
  const step = (seconds: number) => 1 - Math.exp(-1 / (KEY_HERTZ * seconds))
  const isLoud = `gt(abs(val(0)),${10 ** (threshold / 20)})`
  const hold = `st(0,if(${isLoud},${HOLD_SECONDS * KEY_HERTZ},max(ld(0)-1,0)))`
  const speed = `if(gt(ld(0),0),${step(ATTACK_SECONDS)},${step(RELEASE_SECONDS)})`
  const curve = `st(1,ld(1)+(gt(ld(0),0)-ld(1))*${speed})`
  const level = `${hold}*0+${curve}*0+1-${1 - 10 ** (by / 20)}*ld(1)`
  const widen = channels === 2 ? ',pan=stereo|c0=c0|c1=c0' : ''
  return [
    `${key}asplit=2[voice][key]`,
    `[key]apad,aformat=channel_layouts=mono:sample_rates=${KEY_HERTZ},aeval=exprs='${level}':c=same,` +
      `aresample=${hertz},aformat=sample_fmts=fltp${widen}[curve]`,
    `${others.join('')}${mixer(others.length)}[others]`,
    `[others][curve]amultiply[low]`,
    `[voice][low]${mixer(2)}`,
  ].join(';')
}
