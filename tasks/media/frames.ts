import { Type } from 'typebox'
import { Choice, define, FileManifest, FileOutput, findVideo, type Price, Problem, usd } from '#kit'
import { writeStill } from '../formats/media/stills.ts'
import { rangeFields, resolveRange, resolveTime, roundSeconds, seekOptions, TimeField } from '../formats/media/times.ts'
import { buildStillEncoder, buildVisualFilters, planSize, STILL_FILES, STILL_FORMATS } from '../formats/media/visual.ts'
import { packageParts, ZIP, zip } from '../formats/pdf/manifest.ts'
import { buildSelection, countFrames, type FramesInput, parseFrameTimes } from './frames/plan.ts'
import { LONG_RUN_SECONDS, MediaInput, sizeFields, VISUAL_ERRORS } from './schema.ts'

const price: Price<FramesInput> = {
  unit: 'frame',
  rateMicros: usd('0.0001'),
  baseMicros: usd('0.002'),
  basis: 'content',
  maxUnits: 1000,
  units: countFrames,
  note: 'Only the frames that are returned are charged.',
}
const FACTS = { timeSec: Type.Number(), width: Type.Integer(), height: Type.Integer() }
const CONTENT_TYPES = Object.values(STILL_FILES).map(({ contentType }) => contentType)

export default define({
  summary: 'Take many still pictures from a video.',
  keywords:
    'extract frames, screenshots every second, scene detection, video to images, stills, contact frames, pictures from a video',
  converts: [{ from: 'video mp4 webm mov mkv avi', to: 'image jpg png frame' }],
  description: 'Give one of `every`, `count`, `times` and `scene`. A frame is never returned twice.',
  price,
  limitSeconds: LONG_RUN_SECONDS,
  uses: ['ffmpeg', 'zip'],
  input: Type.Object({
    file: MediaInput(),
    every: Type.Optional(Type.Number({ minimum: 0.04, maximum: 3600, description: 'Seconds.' })),
    count: Type.Optional(Type.Integer({ minimum: 1, maximum: 100 })),
    times: Type.Optional(Type.Array(TimeField(), { minItems: 1, maxItems: 100 })),
    scene: Type.Optional(Type.Number({ minimum: 0.1, maximum: 0.9, description: 'How different a scene begins.' })),
    ...rangeFields,
    ...sizeFields,
    format: Choice(STILL_FORMATS, { default: 'jpeg' }),
    quality: Type.Integer({ default: 85, minimum: 1, maximum: 100 }),
    zip,
  }),
  output: Type.Object({
    files: Type.Optional(FileManifest(CONTENT_TYPES, FACTS)),
    output: Type.Optional(FileOutput(ZIP)),
    parts: Type.Optional(Type.Array(Type.Object({ ...FACTS, name: Type.String(), contentType: Type.String() }))),
  }),
  errors: [...VISUAL_ERRORS, 'TOO_MANY_OUTPUTS', 'MISSING_FIELD'],
  examples: [
    {
      title: 'Two frames',
      input: { file: 'sample:clip.mp4', count: 2, width: 32 },
      answer: { files: [{ timeSec: 0, width: 32, height: 24 }, { timeSec: 0.5 }] },
    },
  ],

  async run(input, { ffmpeg, zip: writer, out }) {
    const { file, format, quality, zip: isZipped, times, width, height, fit } = input
    const planned = countFrames(input)
    const media = file.facts.media!
    const video = findVideo(media)
    if (!video) throw new Problem('NO_VIDEO_STREAM')
    const { contentType, extension } = STILL_FILES[format]
    const options = { width, height, fit, still: format, quality }
    const size = planSize(video, options)
    const found = times ? await takeTimes() : await takeSelected()
    const files = found.map(({ path, timeSec }, index) => {
      const name = `frame-${String(index + 1).padStart(4, '0')}.${extension}`
      return { index, path, contentType, name, timeSec: roundSeconds(timeSec), ...size }
    })
    const parts = await packageParts(files, { zip: writer, isZipped, out, name: 'frames.zip' })
    return { result: parts, units: files.length }

    async function takeTimes() {
      const taken = []
      for (const [index, time] of times!.entries()) {
        const timeSec = resolveTime(time, media.seconds, 'times')
        const path = out(`time-${index}.${extension}`)
        await writeStill(ffmpeg, { path: file.path, video: video!, seconds: media.seconds }, timeSec, path, options)
        taken.push({ path, timeSec })
      }
      return taken
    }

    async function takeSelected() {
      const range = resolveRange(input, media.seconds)
      const seconds = range.end - range.start
      const filters = [buildSelection(input, seconds), 'split'].join(',')
      const still = buildVisualFilters(video!, options).join(',')
      const graph = `[0:${video!.index}]${filters}[shown][timed];[shown]${still}[stills];[timed]scale=16:16[list]`
      const limit = ['-vsync', 'passthrough', '-frames:v', String(planned)]
      const pattern = {
        path: out(`frame-%05d.${extension}`),
        options: ['-map', '[stills]', ...buildStillEncoder(format, quality), ...limit, '-f', 'image2'],
      }
      const list = out('frames.txt')
      const inputs = [{ path: file.path, options: seekOptions(range, media.seconds) }]
      await ffmpeg.run({
        inputs,
        graph,
        outputs: [pattern, { path: list, options: ['-map', '[list]', ...limit, '-f', 'framecrc'] }],
        seconds,
      })
      const written = parseFrameTimes(Buffer.from(await ffmpeg.read(list)).toString('latin1'))
      return written.map((time, index) => ({
        path: out(`frame-${String(index + 1).padStart(5, '0')}.${extension}`),
        timeSec: range.start + time,
      }))
    }
  },
})
