import { findVideo, type MediaStream, Problem, type Warning } from '#kit'
import { type AudioFormat, VIDEO_CONTAINERS } from '../../formats/media/containers.ts'
import { damageWarnings, type Ffmpeg, readResult } from '../../formats/media/result.ts'
import { planSound, type SoundOptions } from '../../formats/media/sound.ts'
import { chooseContainer, encodeSound, muxOptions, nameVideo, planExtras } from '../../formats/media/video-output.ts'
import { nameOutput } from '../../formats/media/write-sound.ts'
import { buildMix } from './graph.ts'
import type { Ducking, MixPlan, Voice } from './plan.ts'

interface MixJob {
  ffmpeg: Ffmpeg
  out(name: string): string
  plan: MixPlan
  duck: Ducking | undefined
  normalize: boolean
  to: AudioFormat
  keepVideo: boolean
  options: Omit<SoundOptions, 'to'>
}

/** What the loudest peak is brought to. */
const PEAK_DB = -1
/** Lossy encoders overshoot a little. The limiter leaves alone what is below. */
const LIMITER = 'alimiter=limit=0.97:attack=5:release=50:level=0:latency=1'

export async function writeMix(job: MixJob) {
  const { ffmpeg, plan, duck, normalize } = job
  const output = planOutput(job)
  const mix = buildMix(plan, output.sound, duck)
  const gain = normalize ? [await measureGain(ffmpeg, mix, plan.seconds)] : []
  const filters = [...gain, LIMITER, `atrim=0:${plan.seconds}`, ...output.filters]
  const graph = `${mix.graph},${filters.join(',')}[mix]`
  const outputs = [{ path: output.path, options: [...output.options, '-map', '[mix]', ...output.muxer] }]
  const { isDamaged } = await ffmpeg.run({ inputs: mix.inputs, graph, outputs, seconds: plan.seconds })
  const result = await readResult(ffmpeg, output.path, output.file)
  return { result, warnings: [...output.warnings, ...damageWarnings(isDamaged)] }
}

type Mix = ReturnType<typeof buildMix>

async function measureGain(ffmpeg: Ffmpeg, { inputs, graph }: Mix, seconds: number): Promise<string> {
  const measure = 'astats=measure_overall=Peak_level:measure_perchannel=none'
  const outputs = [{ options: ['-map', '[measured]'] }]
  const run = { inputs, graph: `${graph},${measure}[measured]`, outputs, seconds, logLevel: 'info' } as const
  const { log } = await ffmpeg.run(run)
  const peak = Number(/Peak level dB: (-?[\d.]+)/.exec(log)?.[1] ?? PEAK_DB)
  return `volume=${PEAK_DB - peak}dB`
}

/** The mix has the highest rate of its sounds, and two channels unless all have one. */
function planOutput(job: MixJob) {
  const { plan, options, keepVideo } = job
  const audible = plan.voices.flatMap(({ audio }) => audio ?? [])
  const isPanned = plan.voices.some(({ settings }) => settings.pan)
  if (isPanned && options.channels === 1)
    throw new Problem('CONFLICTING_OPTIONS', { fields: ['channels', 'inputs.pan'] })
  const sampleRate = Math.max(...audible.map(audio => audio.sampleRate ?? 0)) || 48_000
  const widest = Math.max(...audible.map(({ channels = 2 }) => channels))
  const channels = options.channels === 'keep' ? (isPanned || widest > 1 ? 2 : 1) : options.channels
  const model: MediaStream = { ...SOUND, sampleRate, channels, bitDepth: Math.max(...audible.map(readDepth)) }
  const written = keepVideo ? planVideo(job, plan.voices[0]!, model) : planFile(job, model)
  const reduced = widest > 2 && options.channels === 'keep' ? [REDUCED] : []
  return { ...written, sound: { hertz: sampleRate, channels }, warnings: [...reduced, ...written.warnings] }
}

const SOUND: MediaStream = { index: 0, type: 'audio', codec: 'pcm_s16le', default: true, forced: false, tags: {} }
const REDUCED: Warning = {
  code: 'CHANNELS_REDUCED',
  message: 'A mix has two channels; surround sound was mixed into them.',
}

function readDepth({ bitDepth = 16, codec }: MediaStream): number {
  return codec.startsWith('pcm_') || codec === 'flac' ? bitDepth : 16
}

function planFile({ out, to, options }: MixJob, model: MediaStream) {
  const { filters, encoder, muxer, warnings } = planSound(model, { ...options, to })
  const bare = ['-map_metadata', '-1', '-map_chapters', '-1']
  return {
    path: out(`mix.${to}`),
    file: nameOutput(to),
    filters,
    options: [],
    muxer: [...encoder, ...bare, '-f', muxer],
    warnings,
  }
}

/** The picture is copied beside the new sound. */
function planVideo({ out, options }: MixJob, { file }: Voice, model: MediaStream) {
  const media = file.facts.media!
  const video = findVideo(media)!
  const to = chooseContainer(media)
  const { video: playable } = VIDEO_CONTAINERS[to]
  if (!playable.includes(video.codec))
    throw new Problem('INCOMPATIBLE_STREAMS', { codec: video.codec, to, supported: playable, try: '/v1/media/convert' })
  const { filters, encoder, warnings } = encodeSound(model, to, options)
  const extras = planExtras(media, to, true)
  return {
    path: out(`video.${to}`),
    file: nameVideo(to),
    filters,
    options: ['-map', `0:${video.index}`, '-c:v', 'copy'],
    muxer: [...encoder, ...extras.options, ...muxOptions(to)],
    warnings: [...warnings, ...extras.warnings],
  }
}
