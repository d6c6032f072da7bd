import { Type } from 'typebox'
import { Choice, define, FileOutput, findVideo, type InputFile, Problem } from '#kit'
import { countAudioUnits, countVideoUnits, isSoundOnly, perVideoUnit, soundVariant } from '../formats/media/price.ts'
import { sumSeconds } from '../formats/media/segments.ts'
import { roundSeconds, type TimeRange } from '../formats/media/times.ts'
import { requireAudio } from '../formats/media/tracks.ts'
import { chooseContainer, planVisual } from '../formats/media/video-output.ts'
import { invertRanges, writePrecise } from '../formats/media/write-segments.ts'
import { LONG_RUN_SECONDS, MediaInfo, MediaInput, OUTPUT_TYPES, SOUND_ERRORS } from './schema.ts'
import { chooseThreshold, findSpeech, parseSilences, planCuts } from './silence/detect.ts'

const Ranges = Type.Array(Type.Object({ start: Type.Number(), end: Type.Number() }))

interface Priced {
  file: InputFile
  action: string
}

const readsSound = ({ file, action }: Priced) => action === 'detect' || isSoundOnly(file)

function countUnits({ file: { facts } }: Priced): number {
  const { seconds = 0, media } = facts
  return countVideoUnits({
    ...planVisual(findVideo(media), chooseContainer(media), { videoCodec: 'auto', speedPreset: 'fast' }),
    seconds,
  })
}

export default define({
  summary: 'Find the silences of a recording, or cut them out.',
  keywords:
    'silence removal, jump cut, dead air, pauses, voice activity, remove gaps, trim silence, speech segments, where is it quiet, list silences longer than',
  description:
    '`remove` cuts picture and sound alike. `auto` sets the threshold below the mean volume of the recording. `media.trim` cuts at times of your own.',
  price: perVideoUnit<Priced>(countUnits, [
    soundVariant('`action` is `detect` or the file has no picture', readsSound, ({ file }) =>
      countAudioUnits(file.facts.seconds ?? 0),
    ),
  ]),
  limitSeconds: LONG_RUN_SECONDS,
  uses: ['ffmpeg'],
  input: Type.Object({
    file: MediaInput(),
    action: Choice(['detect', 'remove'], { default: 'detect' }),
    thresholdDb: Type.Union([Choice(['auto']), Type.Number({ minimum: -90, maximum: -10 })], { default: -40 }),
    minMs: Type.Integer({ default: 500, minimum: 50, maximum: 60_000, description: 'Shorter pauses are no silence.' }),
    keepMs: Type.Integer({ default: 100, minimum: 0, maximum: 10_000, description: 'Left at each side of a cut.' }),
    edgesOnly: Type.Boolean({ default: false, description: 'Only at the beginning and at the end.' }),
    fillMs: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: 60_000,
        description: 'How long every cut silence is then; instead of keepMs.',
      }),
    ),
  }),
  output: Type.Object({
    silences: Ranges,
    speech: Ranges,
    totalSilenceSec: Type.Number(),
    thresholdDb: Type.Number(),
    output: Type.Optional(FileOutput(OUTPUT_TYPES)),
    media: Type.Optional(MediaInfo),
  }),
  errors: [...SOUND_ERRORS, 'ALL_SILENT'],
  examples: [
    {
      title: 'Where a tone is silent',
      input: { file: 'sample:tone.wav' },
      answer: { silences: [], speech: [{ start: 0, end: 0.6 }], totalSilenceSec: 0, thresholdDb: -40 },
    },
  ],

  async run({ file, action, thresholdDb, minMs, ...options }, { ffmpeg, out }) {
    if (action === 'detect' && options.fillMs !== undefined)
      throw new Problem('CONFLICTING_OPTIONS', { fields: ['action', 'fillMs'] })
    const media = file.facts.media!
    const audio = requireAudio(media)
    const analyse = async (filter: string) => {
      const output = { options: ['-map', `0:${audio.index}`, '-af', filter] }
      const run = {
        inputs: [{ path: file.path }],
        outputs: [output],
        seconds: media.seconds,
        logLevel: 'info',
      } as const
      return (await ffmpeg.run(run)).log
    }
    const threshold = thresholdDb === 'auto' ? chooseThreshold(await analyse('volumedetect')) : thresholdDb
    const detector = `silencedetect=noise=${threshold}dB:d=${minMs / 1000}`
    const found = parseSilences(await analyse(`aresample=async=1:first_pts=0,${detector}`), media.seconds)
    const round = ({ start, end }: TimeRange) => ({ start: roundSeconds(start), end: roundSeconds(end) })
    const facts = {
      silences: found.map(round),
      speech: findSpeech(found, media.seconds).map(round),
      totalSilenceSec: roundSeconds(sumSeconds(found)),
      thresholdDb: threshold,
    }
    if (action === 'detect') return { result: facts }
    if (facts.speech.length === 0) throw new Problem('ALL_SILENT', { thresholdDb: threshold })
    const segments = invertRanges(planCuts(found, media.seconds, options), media.seconds)
    const input = { file, fadeMs: 0, quality: 'medium', speedPreset: 'fast' } as const
    const { result, warnings } = await writePrecise({ ffmpeg, out, media, input, segments })
    return { result: { ...facts, ...result }, warnings }
  },
})
