import { Type } from 'typebox'
import { Choice, define, FileOutput, findVideo, Problem, perCall } from '#kit'
import { damageWarnings } from '../formats/media/result.ts'
import { writeStill } from '../formats/media/stills.ts'
import { resolveTime, roundSeconds, TimeField } from '../formats/media/times.ts'
import { STILL_FILES, STILL_FORMATS } from '../formats/media/visual.ts'
import { MediaInput, sizeFields, VISUAL_ERRORS } from './schema.ts'
import { findBestTime } from './thumbnail/candidates.ts'

export default define({
  summary: 'Take one good still picture from a video.',
  keywords:
    'video thumbnail, poster frame, preview image, screenshot of a video, cover art of a song, frame at a time, still from a video at a second',
  converts: [{ from: 'video mp4 webm mov mkv avi', to: 'image jpg png frame' }],
  description:
    '`auto` finds a frame after the first tenth that is neither dark nor blurred. Of an audio file it is the cover. ' +
    'The picture is upright and of standard dynamic range.',
  price: perCall('0.002'),
  uses: ['ffmpeg'],
  input: Type.Object({
    file: MediaInput(),
    at: Type.Union([Choice(['auto']), TimeField()], {
      default: 'auto',
      description: 'Seconds, HH:MM:SS.mmm, a percentage such as 25%, or auto.',
    }),
    ...sizeFields,
    format: Choice(STILL_FORMATS, { default: 'jpeg' }),
    quality: Type.Integer({ default: 85, minimum: 1, maximum: 100, description: 'For jpeg and webp.' }),
    source: Choice(['auto', 'frame', 'cover'], { default: 'auto' }),
  }),
  output: Type.Object({
    output: FileOutput(['image/jpeg', 'image/png', 'image/webp']),
    width: Type.Integer(),
    height: Type.Integer(),
    timeSec: Type.Optional(Type.Number({ description: 'Absent for a cover.' })),
    source: Choice(['frame', 'cover']),
  }),
  errors: VISUAL_ERRORS,
  examples: [
    {
      title: 'A frame of a short clip',
      input: { file: 'sample:clip.mp4', at: 0.5, width: 32 },
      answer: { width: 32, height: 24, timeSec: 0.5, source: 'frame' },
    },
  ],

  async run({ file, at, source, format, quality, ...size }, { ffmpeg, out }) {
    const media = file.facts.media!
    const { contentType, extension } = STILL_FILES[format]
    const path = out(`still.${extension}`)
    const output = { path, contentType, name: `thumbnail.${extension}` }
    const options = { ...size, still: format, quality }
    const cover = media.streams.find(({ isCover }) => isCover)
    const video = source === 'cover' ? undefined : findVideo(media)
    if (!video) {
      if (!cover || source === 'frame') throw new Problem('NO_VIDEO_STREAM')
      const { width, height, isDamaged } = await writeStill(
        ffmpeg,
        { path: file.path, video: cover, seconds: 0 },
        0,
        path,
        options,
      )
      return { result: { output, width, height, source: 'cover' as const }, warnings: damageWarnings(isDamaged) }
    }
    const length = { path: file.path, video, seconds: media.seconds }
    const isAuto = at === 'auto'
    const time = isAuto
      ? await findBestTime({ ffmpeg, out, path: file.path, media, video })
      : resolveTime(at, media.seconds, 'at')
    const place = isAuto ? { keyframeBefore: time } : time
    const { width, height, isDamaged } = await writeStill(ffmpeg, length, place, path, options)
    return {
      result: { output, width, height, timeSec: roundSeconds(time), source: 'frame' as const },
      warnings: damageWarnings(isDamaged),
    }
  },
})
