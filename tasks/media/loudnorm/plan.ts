import { buildFilter, type Clip, type Loudness, type LoudnessPlan, measureLong, readLoudness } from './measure.ts'
import { measureShort, planShort, SHORT_SECONDS } from './short.ts'

interface Measured {
  input: Loudness
  plan(): Promise<LoudnessPlan>
}

/** Measures a recording, after which its change can be planned. Digital silence has none. */
export async function measureSound(clip: Clip, seconds: number, sampleRate = 48_000): Promise<Measured> {
  if (seconds < SHORT_SECONDS) {
    const input = await measureShort(clip)
    return { input, plan: async () => (isSilent(input) ? leave(input) : planShort(clip, input, sampleRate)) }
  }
  const report = await measureLong(clip, seconds)
  const input = readLoudness(report, 'input')
  const filters = () => [buildFilter(clip.goal, report), `aresample=${sampleRate}`]
  return { input, plan: async () => (isSilent(input) ? leave(input) : { filters: filters() }) }
}

export function isSilent({ integrated }: Loudness): boolean {
  return integrated === null
}

function leave(input: Loudness): LoudnessPlan {
  return { filters: [], output: input, linear: false }
}
