import { Type } from 'typebox'
import { Choice, define, FileInput, FileOutput, Problem } from '#kit'
import { AUDIO_FORMATS, isAudioFormat } from '../formats/media/containers.ts'
import { perVideoUnit } from '../formats/media/price.ts'
import {
  type ConcatInput,
  copiesClips,
  countSoundUnits,
  countUnits,
  isVideoInput,
  listClips,
  planLength,
} from './concat/plan.ts'
import { joinSounds } from './concat/sound.ts'
import { copyClips, encodeClips } from './concat/write.ts'
import { LONG_RUN_SECONDS, MEDIA_TYPES, MediaInfo, OUTPUT_TYPES, VISUAL_ERRORS, visualQualityFields } from './schema.ts'

const Side = Type.Integer({ minimum: 16, maximum: 4096 })

export default define({
  summary: 'Join videos, pictures or sounds, one after another.',
  keywords:
    'concat, slideshow, slide show from pictures, make a video out of pictures, photos to video, timelapse from photos, join audio, merge videos, join clips, append, crossfade, intro and outro, combine, glue clips together',
  description:
    '`auto` copies clips that are alike in everything without loss. Otherwise all get one size and one rate; a clip ' +
    'without sound gets silence, and the sound of each is as long as its picture. An audio format joins the sounds alone.',
  price: perVideoUnit<ConcatInput>(countUnits, [
    { when: 'the clips are copied', factor: 3, applies: copiesClips, unit: 'call', units: () => 1, maxUnits: 1 },
    {
      when: 'the format is one of sound',
      factor: 1,
      applies: input => !isVideoInput(input),
      unit: 'started 5 minutes',
      units: countSoundUnits,
      maxUnits: 12,
    },
  ]),
  limitSeconds: LONG_RUN_SECONDS,
  uses: ['ffmpeg', 'sharp'],
  input: Type.Object({
    files: Type.Array(FileInput({ accept: [...MEDIA_TYPES, 'image/*'], probe: 'media-or-image' }), {
      minItems: 2,
      maxItems: 10,
    }),
    durationsSec: Type.Optional(
      Type.Array(Type.Union([Type.Number({ minimum: 0.1, maximum: 3600 }), Type.Null()]), {
        minItems: 2,
        maxItems: 10,
        description: 'For each file, how long an image is shown; null for a recording.',
      }),
    ),
    format: Choice(['mp4', 'webm', 'mkv', ...AUDIO_FORMATS], { default: 'mp4' }),
    size: Type.Union([Choice(['first', 'largest']), Type.Object({ width: Side, height: Side })], { default: 'first' }),
    fit: Choice(['pad', 'crop', 'stretch'], { default: 'pad' }),
    background: Type.String({ default: '#000000', pattern: '^#[0-9a-fA-F]{6}$' }),
    fps: Type.Union([Choice(['max']), Type.Number({ minimum: 1, maximum: 60 })], { default: 'max' }),
    transition: Choice(['none', 'crossfade', 'fade-black'], { default: 'none' }),
    transitionMs: Type.Integer({ default: 500, minimum: 50, maximum: 5000 }),
    audioFadeMs: Type.Integer({
      default: 0,
      minimum: 0,
      maximum: 5000,
      description: 'Fade the sound out and in where two files meet; not with a transition.',
    }),
    mode: Choice(['auto', 'copy', 'encode'], { default: 'auto' }),
    chapters: Type.Boolean({ default: false, description: 'A chapter for each clip, named after its file.' }),
    ...visualQualityFields,
  }),
  output: Type.Object({
    output: FileOutput(OUTPUT_TYPES),
    media: MediaInfo,
    copied: Type.Boolean({ description: 'Joined without encoding.' }),
  }),
  errors: [...VISUAL_ERRORS, 'INCOMPATIBLE_STREAMS', 'NO_AUDIO_STREAM', 'MISSING_FIELD', 'IMAGE_DECODE_FAILED'],
  examples: [
    {
      title: 'Two clips',
      input: { files: ['sample:clip.mp4', 'sample:clip.mp4'] },
      answer: { media: { width: 64, height: 48 }, copied: true },
    },
    {
      title: 'A picture before a clip',
      input: { files: ['sample:gradient.png', 'sample:clip.mp4'], durationsSec: [1.5, null] },
      answer: { media: { width: 160, height: 120, videoCodec: 'h264' }, copied: false },
    },
  ],

  async run(input, { ffmpeg, sharp, out }) {
    const clips = listClips(input)
    const { transition, transitionMs, mode } = input
    const shortest = Math.min(...clips.map(({ seconds }) => seconds))
    if (transition === 'crossfade' && transitionMs / 1000 >= shortest / (clips.length > 2 ? 2 : 1))
      throw new Problem('BAD_TIME_RANGE', { field: 'transitionMs', seconds: shortest })
    const { seconds } = planLength(input, clips)
    if (seconds > 3600) throw new Problem('TOO_LONG', { limit: 3600, actual: Math.ceil(seconds) })
    const copied = copiesClips(input)
    if (mode === 'copy' && !copied) throw new Problem('INCOMPATIBLE_STREAMS', { try: 'mode: encode' })
    const job = { ffmpeg, sharp, out, input, clips }
    if (isAudioFormat(input.format)) {
      const { result, warnings } = await joinSounds(job, input.format)
      return { result: { ...result, copied }, warnings }
    }
    const videoJob = { ...job, input: { ...input, format: input.format } }
    const result = copied ? await copyClips(videoJob) : await encodeClips(videoJob)
    return { result: { ...result, copied } }
  },
})
