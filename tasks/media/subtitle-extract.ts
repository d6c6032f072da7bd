import { Type } from 'typebox'
import { Choice, define, FileManifest, FileOutput, type MediaStream, Problem, perCall } from '#kit'
import { pickTrack } from '../formats/media/tracks.ts'
import { isTextSubtitle } from '../formats/media/video-output.ts'
import { MEDIA_ERRORS, MediaInput, trackField } from './schema.ts'
import { CAPTION_TYPES, convertSubtitles, type SubtitleFormat } from './subtitle-extract/convert.ts'

const facts = {
  track: Type.Integer({ minimum: 1 }),
  language: Type.Optional(Type.String()),
  cues: Type.Integer({ minimum: 0 }),
}
const CONTENT_TYPES = [...new Set(Object.values(CAPTION_TYPES))]

export default define({
  summary: 'Take the subtitles out of a video.',
  keywords: 'extract subtitles, captions, srt, vtt, ass, closed captions, mkv subtitles to srt, transcript text',
  description:
    'Text subtitles of mkv, mp4, mov and webm. `txt` is the text alone. Subtitles that are pictures are refused.',
  price: perCall('0.002'),
  uses: ['ffmpeg'],
  input: Type.Object({
    file: MediaInput(),
    track: Type.Union([Choice(['all']), trackField()], {
      default: 1,
      description: 'A number from 1, a language such as `en`, or all.',
    }),
    to: Choice(['srt', 'vtt', 'ass', 'txt', 'original'], { default: 'srt' }),
  }),
  output: Type.Object({
    output: Type.Optional(FileOutput(CONTENT_TYPES)),
    ...{ track: Type.Optional(facts.track), language: facts.language, cues: Type.Optional(facts.cues) },
    files: Type.Optional(FileManifest(CONTENT_TYPES, facts)),
  }),
  errors: [...MEDIA_ERRORS, 'NO_SUBTITLE_STREAM', 'SUBTITLE_IS_BITMAP', 'TRACK_NOT_FOUND', 'SUBTITLE_PARSE_FAILED'],
  examples: [
    {
      title: 'As SubRip',
      input: { file: 'sample:captioned.mkv' },
      answer: { output: { contentType: 'application/x-subrip' }, track: 1, language: 'eng', cues: 2 },
    },
  ],

  async run({ file, track, to }, { ffmpeg, out }) {
    const streams = file.facts.media!.streams.filter(({ type }) => type === 'subtitle')
    if (streams.length === 0) throw new Problem('NO_SUBTITLE_STREAM')
    const extract = async (stream: MediaStream) => {
      const number = streams.indexOf(stream) + 1
      if (!isTextSubtitle(stream)) throw new Problem('SUBTITLE_IS_BITMAP', { track: number, codec: stream.codec })
      const source = { ffmpeg, out, path: file.path, stream, media: file.facts.media! }
      const written = await convertSubtitles(source, to as SubtitleFormat, `subtitles-${number}`)
      return { ...written, track: number, ...(stream.language !== undefined && { language: stream.language }) }
    }
    if (track !== 'all') {
      const { output, ...rest } = await extract(pickTrack(streams, track))
      return { result: { output, ...rest } }
    }
    const files = []
    for (const [index, stream] of streams.entries()) {
      const { output, ...rest } = await extract(stream)
      files.push({ ...output, ...rest, index })
    }
    return { result: { files } }
  },
})
