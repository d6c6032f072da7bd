import { Type } from 'typebox'
import { Choice, define, FileOutput, findVideo, type InputFile, type Price, Problem, usd, type Warning } from '#kit'
import { formatSeconds, resolveTime, type Time, TimeField } from '../formats/media/times.ts'
import { planSize } from '../formats/media/visual.ts'
import { writeAnimation } from './gif/encode.ts'
import { measureAnimation } from './gif/length.ts'
import { checkPalette, type GifSettings, listSmaller } from './gif/settings.ts'
import { LONG_RUN_SECONDS, MediaInput, VISUAL_ERRORS } from './schema.ts'

interface Input {
  file: InputFile
  start: Time
  duration: number
  speed: number
  boomerang: boolean
}

/** How long the part is that is read, and how long it plays. */
function measure({ file, start, duration, speed, boomerang }: Input) {
  const seconds = file.facts.seconds ?? 0
  const from = resolveTime(start, seconds, 'start')
  const length = Math.min(duration, seconds - from)
  if (length <= 0) throw new Problem('BAD_TIME_RANGE', { field: 'start', at: from, seconds })
  return { from, length, plays: (length / speed) * (boomerang ? 2 : 1) }
}

const price: Price<Input> = {
  unit: 'started 10 seconds of output',
  rateMicros: usd('0.005'),
  baseMicros: 0n,
  basis: 'content',
  minUnits: 1,
  units: input => Math.max(1, Math.ceil(measure(input).plays / 10)),
}
const TYPES = { gif: 'image/gif', webp: 'image/webp', apng: 'image/apng' } as const

const DEFAULT_WIDTH = 480
const TARGET_NOT_MET = { code: 'TARGET_NOT_MET', message: 'It could not be made as small as maxBytes.' }
const NOT_ENLARGED = {
  code: 'NOT_ENLARGED',
  message: 'The animation is as wide as the video, which is never enlarged.',
}

export default define({
  summary: 'Turn a part of a video into an animation.',
  keywords: 'video to gif, animated gif, mp4 to gif, webp animation, apng, meme, loop, boomerang',
  converts: [{ from: 'video mp4 webm mov mkv avi wmv flv mpg', to: 'gif apng' }],
  description: 'With a palette made for the clip. `maxBytes` lowers the rate, then the width, then the colours.',
  price,
  limitSeconds: LONG_RUN_SECONDS,
  uses: ['ffmpeg'],
  input: Type.Object({
    file: MediaInput(),
    start: Type.Union(TimeField().anyOf, { default: 0 }),
    duration: Type.Number({ default: 5, minimum: 0.1, maximum: 30 }),
    fps: Type.Number({ default: 12, minimum: 1, maximum: 30 }),
    width: Type.Optional(
      Type.Integer({ minimum: 16, maximum: 1000, description: '480 unless given. Never larger than the video.' }),
    ),
    format: Choice(['gif', 'webp', 'apng'], { default: 'gif' }),
    colors: Type.Integer({ default: 256, minimum: 4, maximum: 256, description: 'For gif.' }),
    dither: Choice(['bayer', 'sierra', 'none'], { default: 'bayer', description: 'For gif.' }),
    loop: Type.Integer({ default: 0, minimum: 0, maximum: 1000, description: '0 loops forever.' }),
    speed: Type.Number({ default: 1, minimum: 0.25, maximum: 8 }),
    boomerang: Type.Boolean({ default: false, description: 'Forward and back.' }),
    maxBytes: Type.Optional(Type.Integer({ minimum: 1000, maximum: 52_428_800 })),
  }),
  output: Type.Object({
    output: FileOutput(Object.values(TYPES)),
    width: Type.Integer(),
    height: Type.Integer(),
    fps: Type.Number(),
    durationSec: Type.Number({ description: 'How long all frames are shown.' }),
    targetMet: Type.Optional(Type.Boolean()),
  }),
  errors: VISUAL_ERRORS,
  examples: [
    {
      title: 'Half a second',
      input: { file: 'sample:clip.mp4', duration: 0.5, fps: 10, width: 32 },
      answer: { width: 32, height: 24, fps: 10 },
    },
  ],

  async run(input, { ffmpeg, out }) {
    const { file, format, dither, loop, speed, boomerang, maxBytes } = input
    checkPalette(input)
    const video = findVideo(file.facts.media)
    if (!video) throw new Problem('NO_VIDEO_STREAM')
    const { from, length, plays } = measure(input)
    const inputs = [{ path: file.path, options: ['-ss', formatSeconds(from), '-t', formatSeconds(length)] }]
    const path = out(`animation.${format}`)
    const widest = video.width ?? Infinity
    const first = { fps: input.fps, width: Math.min(input.width ?? DEFAULT_WIDTH, widest), colors: input.colors }
    const tries = [first, ...(maxBytes === undefined ? [] : listSmaller(first))]
    let used: GifSettings = first
    let isMet = false
    for (const settings of tries) {
      used = settings
      await writeAnimation(
        { ffmpeg, out, inputs, video, path, plays, options: { format, dither, loop, speed, boomerang } },
        used,
      )
      isMet = maxBytes === undefined || (await ffmpeg.sizeOf(path)) <= maxBytes
      if (isMet) break
    }
    const { width, height } = planSize(video, { width: used.width, still: 'png' })
    const output = { path, contentType: TYPES[format], name: `animation.${format}` }
    const warnings: Warning[] = [
      ...(isMet ? [] : [TARGET_NOT_MET]),
      ...((input.width ?? 0) > widest ? [NOT_ENLARGED] : []),
    ]
    const met = maxBytes === undefined ? {} : { targetMet: isMet }
    const durationSec = measureAnimation(await ffmpeg.read(path), format)
    return { result: { output, width, height, fps: used.fps, durationSec, ...met }, warnings }
  },
})
