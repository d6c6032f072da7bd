import { Type } from 'typebox'
import { Choice, define, FileInput, FileOutput, Problem } from '#kit'
import { VIDEO_CONTENT_TYPES } from '../formats/media/containers.ts'
import { perVideoUnit } from '../formats/media/price.ts'
import { type ConcatInput, copiesClips, countUnits, listClips, planOutput } from './concat/plan.ts'
import { copyClips, encodeClips } from './concat/write.ts'
import { LONG_RUN_SECONDS, MEDIA_TYPES, MediaInfo, VISUAL_ERRORS, visualQualityFields } from './schema.ts'

const Side = Type.Integer({ minimum: 16, maximum: 4096 })

export default define({
  summary: 'Join videos, one after another.',
  keywords: 'concat, merge videos, join clips, append, crossfade, intro and outro, combine',
  description:
    '`auto` copies clips that are alike in everything without loss. Otherwise all get one size and one rate; a clip ' +
    'without sound gets silence, and the sound of each is as long as its picture.',
  price: perVideoUnit<ConcatInput>(countUnits, [
    { when: 'the clips are copied', factor: 3, applies: copiesClips, unit: 'call', units: () => 1, maxUnits: 1 },
  ]),
  limitSeconds: LONG_RUN_SECONDS,
  uses: ['ffmpeg'],
  input: Type.Object({
    files: Type.Array(FileInput({ accept: MEDIA_TYPES, probe: 'media' }), { minItems: 2, maxItems: 10 }),
    format: Choice(['mp4', 'webm', 'mkv'], { default: 'mp4' }),
    size: Type.Union([Choice(['first', 'largest']), Type.Object({ width: Side, height: Side })], { default: 'first' }),
    fit: Choice(['pad', 'crop', 'stretch'], { default: 'pad' }),
    background: Type.String({ default: '#000000', pattern: '^#[0-9a-fA-F]{6}$' }),
    fps: Type.Union([Choice(['max']), Type.Number({ minimum: 1, maximum: 60 })], { default: 'max' }),
    transition: Choice(['none', 'crossfade', 'fade-black'], { default: 'none' }),
    transitionMs: Type.Integer({ default: 500, minimum: 50, maximum: 5000 }),
    mode: Choice(['auto', 'copy', 'encode'], { default: 'auto' }),
    chapters: Type.Boolean({ default: false, description: 'A chapter for each clip, named after its file.' }),
    ...visualQualityFields,
  }),
  output: Type.Object({
    output: FileOutput(VIDEO_CONTENT_TYPES),
    media: MediaInfo,
    copied: Type.Boolean({ description: 'Joined without encoding.' }),
  }),
  errors: [...VISUAL_ERRORS, 'INCOMPATIBLE_STREAMS'],
  examples: [
    {
      title: 'Two clips',
      input: { files: ['sample:clip.mp4', 'sample:clip.mp4'] },
      answer: { media: { width: 64, height: 48 }, copied: true },
    },
  ],

  async run(input, { ffmpeg, out }) {
    const clips = listClips(input)
    const { transition, transitionMs, mode } = input
    const shortest = Math.min(...clips.map(({ seconds }) => seconds))
    if (transition === 'crossfade' && transitionMs / 1000 >= shortest / (clips.length > 2 ? 2 : 1))
      throw new Problem('BAD_TIME_RANGE', { field: 'transitionMs', seconds: shortest })
    const { seconds } = planOutput(input, clips)
    if (seconds > 3600) throw new Problem('TOO_LONG', { limit: 3600, actual: Math.ceil(seconds) })
    const copied = copiesClips(input)
    if (mode === 'copy' && !copied) throw new Problem('INCOMPATIBLE_STREAMS', { try: 'mode: encode' })
    const job = { ffmpeg, out, input, clips }
    const result = copied ? await copyClips(job) : await encodeClips(job)
    return { result: { ...result, copied } }
  },
})
