import { Type } from 'typebox'
import { Choice, define, FileOutput, Problem } from '#kit'
import { isSoundOnly, perVideoUnit, soundVariant } from '../formats/media/price.ts'
import { rangeFields, TimeField } from '../formats/media/times.ts'
import { writePrecise } from '../formats/media/write-segments.ts'
import { LONG_RUN_SECONDS, MediaInfo, MediaInput, OUTPUT_TYPES, VISUAL_ERRORS, visualQualityFields } from './schema.ts'
import { writeCopy } from './trim/copy.ts'
import { countTrimUnits, resolveSegments, type TrimInput } from './trim/plan.ts'

const MAX_SEGMENTS = 20

export default define({
  summary: 'Cut parts out of a video or an audio file.',
  keywords:
    'cut the first minutes of a recording, trim, cut, clip, shorten, remove the beginning, split, crop in time, first seconds, extract a scene, ad break',
  description:
    '`precise` cuts at the exact time and encodes what is kept; `copy` is without loss and begins at the key frame ' +
    'before each part. Several segments are joined in the order given; `invert` removes them instead. The container ' +
    'stays; subtitles and chapters move along.',
  price: perVideoUnit<TrimInput>(countTrimUnits, [
    {
      when: '`mode` is `copy`',
      factor: 2,
      applies: ({ mode }) => mode === 'copy',
      unit: 'call',
      units: () => 1,
      maxUnits: 1,
    },
    soundVariant('the file has no picture', ({ file }) => isSoundOnly(file), countTrimUnits),
  ]),
  limitSeconds: LONG_RUN_SECONDS,
  uses: ['ffmpeg'],
  input: Type.Object({
    file: MediaInput(),
    ...rangeFields,
    duration: Type.Optional(
      Type.Number({ exclusiveMinimum: 0, maximum: 86_400, description: 'Seconds, instead of `end`.' }),
    ),
    segments: Type.Optional(
      Type.Array(Type.Object({ start: TimeField(), end: TimeField() }), { minItems: 1, maxItems: MAX_SEGMENTS }),
    ),
    invert: Type.Boolean({ default: false, description: 'Remove the parts instead of keeping them.' }),
    mode: Choice(['precise', 'copy'], { default: 'precise' }),
    fadeMs: Type.Integer({
      default: 0,
      minimum: 0,
      maximum: 10_000,
      description: 'Fade picture and sound at every cut.',
    }),
    ...visualQualityFields,
  }),
  output: Type.Object({
    output: FileOutput(OUTPUT_TYPES),
    media: MediaInfo,
    actualStart: Type.Optional(Type.Number({ description: 'Where a copy of one part begins and ends.' })),
    actualEnd: Type.Optional(Type.Number()),
  }),
  errors: [...VISUAL_ERRORS, 'NO_AUDIO_STREAM', 'MISSING_FIELD'],
  examples: [
    {
      title: 'The middle of a clip',
      input: { file: 'sample:clip.mp4', start: 0.2, end: 0.7, speedPreset: 'ultrafast' },
      answer: { media: { durationSec: 0.5, width: 64, height: 48 } },
    },
  ],

  async run(input, { ffmpeg, out }) {
    const media = input.file.facts.media!
    const segments = resolveSegments(input, media.seconds)
    const job = { ffmpeg, out, media, input, segments }
    if (input.mode === 'precise') return writePrecise(job)
    if (input.fadeMs > 0 || input.crf !== undefined)
      throw new Problem('CONFLICTING_OPTIONS', { fields: ['mode', input.fadeMs > 0 ? 'fadeMs' : 'crf'] })
    return writeCopy(job)
  },
})
