import { Type } from 'typebox'
import { Choice, define, FileOutput, type InputFile } from '#kit'
import { countAudioUnits, perAudioUnit } from '../formats/media/price.ts'
import { rangeFields, resolveRange, roundSeconds, type Time } from '../formats/media/times.ts'
import { requireAudio } from '../formats/media/tracks.ts'
import { LONG_RUN_SECONDS, MediaInput, SOUND_ERRORS } from './schema.ts'
import { checkOptions, drawSpectrogram, drawWaveform, listPeaks } from './waveform/answer.ts'

const Color = (description: string) =>
  Type.Optional(Type.String({ pattern: '^(#[0-9a-fA-F]{6}([0-9a-fA-F]{2})?|transparent)$', description }))

export default define({
  summary: 'Draw the waveform of a recording, or give its peaks.',
  keywords:
    'audio waveform, peaks json, sound wave image, spectrogram, visualize audio, soundcloud, player, svg waveform, picture of an audio wave',
  description:
    '`mirror` draws bars around the middle, `bars` from the bottom, and `line` what the samples reach up and down. json ' +
    'has the lowest and the highest sample of each point, channel by channel, as players read them.',
  price: perAudioUnit<{ file: InputFile; start?: Time; end?: Time }>(({ file, ...range }) => {
    const { start, end } = resolveRange(range, file.facts.seconds ?? 0)
    return countAudioUnits(end - start)
  }),
  limitSeconds: LONG_RUN_SECONDS,
  uses: ['ffmpeg'],
  input: Type.Object({
    file: MediaInput(),
    format: Choice(['png', 'svg', 'json'], { default: 'png' }),
    kind: Choice(['waveform', 'spectrogram'], { default: 'waveform', description: 'A spectrogram is a png.' }),
    width: Type.Optional(Type.Integer({ minimum: 50, maximum: 8000, description: 'Pixels or points; default 1800.' })),
    height: Type.Optional(Type.Integer({ minimum: 20, maximum: 2000, description: 'Default 280.' })),
    samplesPerPixel: Type.Optional(
      Type.Integer({ minimum: 1, maximum: 10_000_000, description: 'Decides the width instead of `width`.' }),
    ),
    pixelsPerSecond: Type.Optional(
      Type.Number({ exclusiveMinimum: 0, maximum: 10_000, description: 'Decides the width instead of `width`.' }),
    ),
    style: Type.Optional(Choice(['line', 'bars', 'mirror'], { description: 'Default mirror.' })),
    barWidth: Type.Optional(Type.Integer({ minimum: 1, maximum: 200, description: 'Default 3.' })),
    barGap: Type.Optional(Type.Integer({ minimum: 0, maximum: 200, description: 'Default 1.' })),
    color: Color('Default #3b82f6.'),
    background: Color('Default transparent.'),
    channels: Choice(['mix', 'split'], { default: 'mix', description: '`split` draws left above right.' }),
    scale: Choice(['linear', 'sqrt', 'log'], { default: 'linear', description: 'Of the heights.' }),
    normalize: Type.Optional(Type.Boolean({ description: 'The loudest part has the full height; default true.' })),
    bits: Type.Optional(Type.Union([Type.Literal(8), Type.Literal(16)], { description: 'Of json; default 8.' })),
    ...rangeFields,
  }),
  output: Type.Object({
    output: Type.Optional(FileOutput(['image/png', 'image/svg+xml'])),
    width: Type.Optional(Type.Integer()),
    height: Type.Optional(Type.Integer()),
    durationSec: Type.Number(),
    version: Type.Optional(Type.Integer()),
    channels: Type.Optional(Type.Integer()),
    sampleRate: Type.Optional(Type.Integer()),
    samplesPerPixel: Type.Optional(Type.Integer()),
    bits: Type.Optional(Type.Integer()),
    length: Type.Optional(Type.Integer()),
    data: Type.Optional(Type.Array(Type.Integer())),
  }),
  errors: SOUND_ERRORS,
  examples: [
    {
      title: 'A picture',
      input: { file: 'sample:tone.wav', width: 200, height: 40 },
      answer: { width: 200, height: 40 },
    },
    {
      title: 'Peaks for a player',
      input: { file: 'sample:tone.wav', format: 'json', samplesPerPixel: 480 },
      answer: { version: 2, channels: 1, sampleRate: 8000, samplesPerPixel: 480, bits: 8, length: 10 },
    },
  ],

  async run(input, { ffmpeg, out }) {
    checkOptions(input)
    const { file, kind, format } = input
    const media = file.facts.media!
    const audio = requireAudio(media)
    const range = resolveRange(input, media.seconds)
    const part = { file, audio, range, channels: input.channels }
    const draw = kind === 'spectrogram' ? drawSpectrogram : format === 'json' ? listPeaks : drawWaveform
    const drawn = await draw(ffmpeg, part, input, out('drawing.png'))
    return { result: { ...drawn, durationSec: roundSeconds(range.end - range.start) } }
  },
})
