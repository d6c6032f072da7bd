import { Type } from 'typebox'
import { define, FileInput, findVideo, type InputFile, type MediaIssue, type Price, Problem, perCall } from '#kit'
import { countAudioUnits, countVideoUnits, isSoundOnly } from '../formats/media/price.ts'
import type { Ffmpeg } from '../formats/media/result.ts'
import { describe, ProbeAnswer } from './probe/answer.ts'
import { LONG_RUN_SECONDS, MEDIA_ERRORS, MEDIA_TYPES } from './schema.ts'

const price: Price<{ file: InputFile; deep: boolean }> = {
  ...perCall<{ file: InputFile; deep: boolean }>('0.001', [
    {
      when: '`deep` decodes a recording without a picture',
      factor: 1,
      applies: ({ file, deep }) => deep && isSoundOnly(file),
      unit: 'started 10 minutes',
      units: countDeepUnits,
    },
    {
      when: '`deep` decodes everything',
      factor: 1,
      applies: ({ deep }) => deep,
      unit: 'half unit of a conversion',
      units: countDeepUnits,
      maxUnits: 1000,
    },
  ]),
  basis: 'content',
}

/** Half of what encoding it as it is would cost. */
function countDeepUnits({ file: { facts } }: { file: InputFile }): number {
  const { seconds = 0, width, height, media } = facts
  if (!width || !height) return Math.max(1, Math.ceil(countAudioUnits(seconds) / 2))
  return Math.ceil(countVideoUnits({ seconds, width, height, fps: findVideo(media)?.avgFps }) / 2)
}

const BROKEN_OK = ['video/*', 'audio/*', 'image/png', 'image/webp', 'image/jpeg', ...MEDIA_TYPES.slice(2)]

export default define({
  summary: 'Tell what an audio or video file contains.',
  keywords:
    'how long is this video, ffprobe, mediainfo, duration, length of a video, resolution, codec, frame rate, bitrate, streams, is it hdr, rotation',
  description:
    'Reads the header and the index. `deep` also decodes everything and reports damage. An MP4 without its index ' +
    'answers with what is known, and says so in `issues`. A recording may be of any length.',
  price,
  limitSeconds: LONG_RUN_SECONDS,
  uses: ['ffmpeg'],
  input: Type.Object({
    file: FileInput({ accept: BROKEN_OK, probe: 'media-parts' }),
    deep: Type.Boolean({ default: false, description: 'Decode everything, count frames and report damage.' }),
  }),
  output: ProbeAnswer,
  errors: MEDIA_ERRORS,
  examples: [
    {
      title: 'Facts of a short clip',
      input: { file: 'sample:clip.mp4' },
      answer: {
        container: 'mp4',
        streams: [{ codec: 'h264', width: 64, height: 48, fps: 10 }, { codec: 'aac' }],
        faststart: true,
      },
    },
    { title: 'Every frame decoded', input: { file: 'sample:clip.mp4', deep: true }, answer: { issues: [] } },
  ],

  async run({ file, deep }, { ffmpeg }) {
    const media = file.facts.media!
    const answer = describe(media, file.sizeBytes)
    const isIso = ['mp4', 'mov', 'm4a', '3gp'].includes(media.container)
    const order = isIso ? { faststart: (await ffmpeg.readBoxOrder(file.path)).isFaststart } : {}
    if (!deep || media.streams.length === 0) return { result: { ...answer, ...order } }
    const counts = await ffmpeg.countFrames(file.path)
    const streams = answer.streams.map(stream => ({
      ...stream,
      ...(stream.type === 'video' && { frames: counts.get(stream.index) ?? 0 }),
    }))
    const issues = [...answer.issues, ...(await decodeAll(ffmpeg, file.path, media.seconds))]
    return { result: { ...answer, ...order, streams, issues } }
  },
})

async function decodeAll(ffmpeg: Ffmpeg, path: string, seconds: number): Promise<MediaIssue[]> {
  const discard = { options: ['-map', '0:v?', '-map', '0:a?'] }
  try {
    const { log } = await ffmpeg.run({ inputs: [{ path }], outputs: [discard], seconds })
    const lines = log
      .trim()
      .split('\n')
      .filter(line => line !== '')
    return lines.length === 0
      ? []
      : [{ code: 'DECODE_ERRORS', message: `The decoder reported ${lines.length} errors.` }]
  } catch (error) {
    if (!(error instanceof Problem) || error.code !== 'MEDIA_DECODE_FAILED') throw error
    return [{ code: 'UNDECODABLE', message: `It cannot be decoded: ${String(error.hints.detail)}` }]
  }
}
