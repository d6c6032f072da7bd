import { Type } from 'typebox'
import { Choice, define, FileInput, FileOutput, Problem } from '#kit'
import { AUDIO_FORMATS } from '../formats/media/containers.ts'
import { countAudioUnits, perAudioUnit } from '../formats/media/price.ts'
import { TimeField } from '../formats/media/times.ts'
import { type MixInput, planMix } from './audio-mix/plan.ts'
import { writeMix } from './audio-mix/write.ts'
import { LONG_RUN_SECONDS, MEDIA_TYPES, MediaInfo, OUTPUT_TYPES, SOUND_ERRORS, soundFields } from './schema.ts'

const Milliseconds = (description: string) =>
  Type.Optional(Type.Integer({ minimum: 0, maximum: 3_600_000, description }))

const Sound = FileInput({
  accept: MEDIA_TYPES,
  probe: 'media',
  description: 'Give exactly one source, and how it is mixed.',
  options: {
    gainDb: Type.Optional(Type.Number({ minimum: -60, maximum: 30 })),
    delayMs: Milliseconds('Silence before it, exact to the sample.'),
    loop: Type.Optional(Type.Boolean({ description: 'Repeat it until the mix ends.' })),
    start: Type.Optional(TimeField()),
    end: Type.Optional(TimeField()),
    fadeInMs: Milliseconds('From its beginning.'),
    fadeOutMs: Milliseconds('To where it is last heard.'),
    pan: Type.Optional(Type.Number({ minimum: -1, maximum: 1, description: '-1 is left, 1 is right.' })),
  },
})

const Duck = Type.Object(
  {
    under: Type.Integer({ minimum: 0, maximum: 9, description: 'The input that the others make room for, from 0.' }),
    by: Type.Number({ default: -12, minimum: -60, maximum: -1, description: 'dB.' }),
    threshold: Type.Number({ default: -30, minimum: -60, maximum: -3, description: 'dB.' }),
  },
  { description: 'Lower all other inputs while one is louder than the threshold.' },
)

export default define({
  summary: 'Mix up to ten sounds, or put new sound under a video.',
  keywords: 'audio mixer, background music, voice over, combine tracks, layer sounds, ducking, add music to video, dub',
  description:
    'The sounds are added at their own volume; a limiter keeps the sum from clipping. With `keepVideo` the first input ' +
    'is a video whose picture is copied, and the mix is as long as it.',
  price: perAudioUnit<MixInput>(input => countAudioUnits(planMix(input).seconds)),
  limitSeconds: LONG_RUN_SECONDS,
  uses: ['ffmpeg'],
  input: Type.Object({
    inputs: Type.Array(Sound, { minItems: 2, maxItems: 10 }),
    length: Type.Optional(
      Choice(['longest', 'shortest', 'first'], {
        description: 'Which input ends the mix; default longest. One that repeats only counts if all do.',
      }),
    ),
    normalize: Type.Boolean({ default: false, description: 'Bring the loudest peak to -1 dB.' }),
    duck: Type.Optional(Duck),
    to: Type.Optional(Choice(AUDIO_FORMATS, { description: 'Default mp3; not with `keepVideo`.' })),
    keepVideo: Type.Boolean({ default: false }),
    ...soundFields,
  }),
  output: Type.Object({ output: FileOutput(OUTPUT_TYPES), media: MediaInfo }),
  errors: [...SOUND_ERRORS, 'NO_VIDEO_STREAM', 'INCOMPATIBLE_STREAMS'],
  examples: [
    {
      title: 'Two sounds, one a little later and quieter',
      input: { inputs: ['sample:tone.wav', 'sample:clip.mp4'], to: 'wav', length: 'first' },
      answer: { media: { durationSec: 0.6, audioCodec: 'pcm_s16le' } },
    },
  ],

  async run({ inputs, length, keepVideo, to, duck, normalize, ...options }, { ffmpeg, out }) {
    if (keepVideo && to) throw new Problem('CONFLICTING_OPTIONS', { fields: ['keepVideo', 'to'] })
    const plan = planMix({ inputs, keepVideo, ...(length && { length }) })
    return writeMix({ ffmpeg, out, plan, duck, normalize, keepVideo, to: to ?? 'mp3', options })
  },
})
