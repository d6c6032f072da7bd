import { buildGoal, type Clip, type Loudness, type LoudnessPlan, parseReport, readLoudness } from './measure.ts'

/** The filter follows the volume in windows of three seconds; of a shorter clip it only lowers the peaks. */
export const SHORT_SECONDS = 3
/** The limiter takes some loudness away, which is given back in so many rounds. */
const MAX_ROUNDS = 4
const CLOSE_ENOUGH_LU = 0.2
/** Peaks between the samples are seen at this rate. */
const PEAK_RATE = 192_000

/** Measures a short clip as if it were played again and again, since loudness is a mean over at least 0.4 seconds. */
export async function measureShort({ ffmpeg, path, audioIndex, goal }: Clip, filters: readonly string[] = []) {
  const loop = `aresample=48000,aloop=loop=-1:size=${48_000 * SHORT_SECONDS},atrim=end=${SHORT_SECONDS * 4}`
  const chain = [...filters, loop, buildGoal(goal)].join(',')
  const output = { options: ['-map', `0:${audioIndex}`, '-af', chain] }
  const { log } = await ffmpeg.run({ inputs: [{ path }], outputs: [output], seconds: SHORT_SECONDS, logLevel: 'info' })
  return readLoudness(parseReport(log), 'input')
}

type ShortPlan = Required<LoudnessPlan>

/** One volume for the whole clip, and a limiter where that would exceed the peak. */
export async function planShort(clip: Clip, input: Loudness, sampleRate: number): Promise<ShortPlan> {
  const { target, truePeak } = clip.goal
  let gainDb = target - input.integrated!
  if ((input.truePeak ?? 0) + gainDb <= truePeak) return measured([volume(gainDb)], true)
  let ceiling = truePeak
  for (let round = 1; ; round++) {
    const plan = await measured([volume(gainDb), limiter(ceiling)], false)
    const missing = target - (plan.output.integrated ?? target)
    // The change of the rate after the limiter raises some peaks again.
    const excess = Math.max(0, (plan.output.truePeak ?? truePeak) - truePeak)
    if (round === MAX_ROUNDS || (Math.abs(missing) <= CLOSE_ENOUGH_LU && excess <= CLOSE_ENOUGH_LU)) return plan
    gainDb += missing
    ceiling -= excess
  }

  async function measured(changes: string[], linear: boolean): Promise<ShortPlan> {
    const filters = [...changes, `aresample=${sampleRate}`]
    return { filters, linear, output: await measureShort(clip, filters) }
  }
}

const volume = (gainDb: number) => `volume=${gainDb.toFixed(2)}dB:precision=float`

function limiter(truePeak: number): string {
  const limit = (10 ** (truePeak / 20)).toFixed(6)
  return `aresample=${PEAK_RATE},alimiter=limit=${limit}:attack=2:release=30:level=false:latency=true`
}
