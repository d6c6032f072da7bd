import { Type } from 'typebox'
import { Choice, define, FileOutput, type InputFile, Problem } from '#kit'
import { AUDIO_FORMATS } from '../formats/media/containers.ts'
import { countAudioUnits, perAudioUnit } from '../formats/media/price.ts'
import { requireAudio } from '../formats/media/tracks.ts'
import { parseReport, readLoudness } from './loudnorm/measure.ts'
import { isSilent, measureSound } from './loudnorm/plan.ts'
import { writeLevelled } from './loudnorm/write.ts'
import { LONG_RUN_SECONDS, MediaInfo, MediaInput, OUTPUT_TYPES, quality, SOUND_ERRORS } from './schema.ts'

const PRESETS = { podcast: -16, broadcast: -23, streaming: -14 } as const
const Figure = Type.Union([Type.Number(), Type.Null()], { description: 'Null of digital silence.' })
const Loudness = Type.Object({ integrated: Figure, truePeak: Figure, lra: Type.Number(), threshold: Figure })

export default define({
  summary: 'Bring a recording to a loudness by EBU R128, or measure it.',
  keywords: 'normalise volume, loudness, lufs, too quiet, louder, podcast level, true peak, ebu r128, mastering',
  description:
    'Measures first and then changes the volume evenly wherever the peaks allow it. The sample rate stays, and the ' +
    'picture of a video is copied. Digital silence is returned unchanged. Mono is measured as it is heard, from two ' +
    'speakers (dual mono), which is 3 LU more than ITU-R BS.1770 gives a single channel.',
  price: perAudioUnit<{ file: InputFile; measureOnly: boolean }>(
    ({ file }) => countAudioUnits(file.facts.seconds ?? 0),
    [
      {
        when: 'the loudness is changed (without `measureOnly`)',
        factor: 2,
        applies: ({ measureOnly }) => !measureOnly,
      },
    ],
  ),
  limitSeconds: LONG_RUN_SECONDS,
  uses: ['ffmpeg'],
  input: Type.Object({
    file: MediaInput(),
    target: Type.Optional(Type.Number({ minimum: -70, maximum: -5, description: 'LUFS, by default -16.' })),
    preset: Type.Optional(Choice(['podcast', 'broadcast', 'streaming'], { description: '-16, -23 or -14 LUFS.' })),
    truePeak: Type.Number({ default: -1.5, minimum: -9, maximum: 0 }),
    lra: Type.Number({ default: 11, minimum: 1, maximum: 50, description: 'The largest loudness range.' }),
    measureOnly: Type.Boolean({ default: false }),
    to: Choice(['keep', ...AUDIO_FORMATS], { default: 'keep' }),
    quality,
  }),
  output: Type.Object({
    output: Type.Optional(FileOutput(OUTPUT_TYPES)),
    media: Type.Optional(MediaInfo),
    loudness: Type.Object({ input: Loudness, output: Type.Optional(Loudness), linear: Type.Optional(Type.Boolean()) }),
  }),
  errors: [...SOUND_ERRORS],
  examples: [
    {
      title: 'How loud a tone is',
      input: { file: 'sample:tone.wav', measureOnly: true },
      answer: { loudness: { input: { lra: 0 } } },
    },
  ],

  async run({ file, target, preset, truePeak, lra, measureOnly, to, quality }, { ffmpeg, out }) {
    refuseBoth({ target, preset })
    refuseBoth({ measureOnly: measureOnly || undefined, to: to === 'keep' ? undefined : to })
    const media = file.facts.media!
    const audio = requireAudio(media)
    const goal = { target: target ?? PRESETS[preset ?? 'podcast'], truePeak, lra, isMono: audio.channels === 1 }
    const clip = { ffmpeg, path: file.path, audioIndex: audio.index, goal }
    const { input, plan } = await measureSound(clip, audio.seconds ?? media.seconds, audio.sampleRate)
    if (measureOnly) return { result: { loudness: { input } } }
    const { filters, ...known } = await plan()
    const written = await writeLevelled({ ffmpeg, out, file, audio, filters, to, quality })
    const loudness = { input, ...(known.output ? known : readReport(written.log)) }
    return {
      result: { ...written.result, loudness },
      warnings: [...written.warnings, ...(isSilent(input) ? [SILENCE] : [])],
    }
  },
})

const SILENCE = { code: 'SILENT', message: 'The recording is silent, so its loudness was not changed.' }

/** What the second pass has done. */
function readReport(log: string) {
  const report = parseReport(log)
  return { output: readLoudness(report, 'output'), linear: report.normalization_type === 'linear' }
}

function refuseBoth(options: Record<string, unknown>): void {
  const isGiven = Object.values(options).every(value => value !== undefined)
  if (isGiven) throw new Problem('CONFLICTING_OPTIONS', { fields: Object.keys(options) })
}
