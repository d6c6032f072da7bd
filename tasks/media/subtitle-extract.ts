import { Type } from 'typebox'
import { ALIASES_RULE, Choice, define, FileManifest, FileOutput, type MediaStream, Problem } from '#kit'
import { pickTrack } from '../formats/media/tracks.ts'
import { isTextSubtitle } from '../formats/media/video-output.ts'
import { CAPTION_TYPES, writeCues } from '../formats/subtitles/write.ts'
import { LONG_RUN_SECONDS, MEDIA_ERRORS, MediaInput, trackField } from './schema.ts'
import { convertSubtitles, type SubtitleFormat } from './subtitle-extract/convert.ts'
import { chooseLanguages, MAX_READ_CUES, readImages } from './subtitle-extract/images.ts'
import { CUES_PER_UNIT, listSubtitles, PRICE } from './subtitle-extract/price.ts'

const facts = {
  track: Type.Integer({ minimum: 1 }),
  language: Type.Optional(Type.String()),
  cues: Type.Integer({ minimum: 0 }),
  confidence: Type.Optional(Type.Number({ description: 'Of what was read in pictures, from 0 to 100.' })),
}
const CONTENT_TYPES = [...new Set(Object.values(CAPTION_TYPES))]

export default define({
  summary: 'Take the subtitles out of a video.',
  keywords:
    'extract subtitles, captions, srt, vtt, ass, closed captions, mkv subtitles to srt, transcript text, PGS, VobSub, DVB, get the subtitles of a film, ' +
    'picture subtitles to text, sup to srt, take the subtitles out of a video as srt',
  converts: [{ from: 'video mkv mp4 webm mov', to: 'srt vtt ass subtitle' }],
  description:
    'Text subtitles of mkv, mp4, mov and webm. `txt` is the text alone. Subtitles that are pictures, as on Blu-ray, DVD and ' +
    'television, are read with `ocr`, and refused without; at most 2,000 cues.',
  price: PRICE,
  limitSeconds: LONG_RUN_SECONDS,
  uses: ['ffmpeg', 'tesseract'],
  optional: ['tesseract'],
  needs: ({ ocr }: { ocr?: boolean }) => (ocr ? ['tesseract'] : []),
  input: Type.Object({
    file: MediaInput(),
    track: Type.Union([Choice(['all']), trackField()], {
      default: 1,
      description: 'A number from 1, a language such as `en`, or all.',
    }),
    to: Choice(['srt', 'vtt', 'ass', 'txt', 'original'], { default: 'srt' }),
    ocr: Type.Boolean({ default: false, description: 'Read subtitles that are pictures, by Tesseract.' }),
    languages: Type.Optional(
      Type.Array(Type.String({ pattern: '^[A-Za-z]{2,4}([-_][A-Za-z0-9]{2,8}){0,2}$' }), {
        minItems: 1,
        maxItems: 5,
        description: 'In which pictures are read; by default that of the track, else English.',
        [ALIASES_RULE]: ['language'],
      }),
    ),
  }),
  output: Type.Object({
    output: Type.Optional(FileOutput(CONTENT_TYPES)),
    ...{ track: Type.Optional(facts.track), language: facts.language, cues: Type.Optional(facts.cues) },
    confidence: facts.confidence,
    files: Type.Optional(FileManifest(CONTENT_TYPES, facts)),
  }),
  errors: [
    ...MEDIA_ERRORS,
    ...(['NO_SUBTITLE_STREAM', 'SUBTITLE_IS_BITMAP', 'TRACK_NOT_FOUND', 'SUBTITLE_PARSE_FAILED'] as const),
    ...(['LANGUAGE_UNSUPPORTED', 'TOO_MANY_OUTPUTS', 'CONFLICTING_OPTIONS'] as const),
  ],
  examples: [
    {
      title: 'As SubRip',
      input: { file: 'sample:captioned.mkv' },
      answer: { output: { contentType: 'application/x-subrip' }, track: 1, language: 'eng', cues: 2 },
    },
  ],

  async run({ file, track, to, ocr, languages }, { ffmpeg, tesseract, out }) {
    const streams = listSubtitles(file)
    if (streams.length === 0) throw new Problem('NO_SUBTITLE_STREAM')
    if (languages && !ocr) throw new Problem('CONFLICTING_OPTIONS', { fields: ['languages', 'ocr'] })
    let readCues = 0
    const media = file.facts.media!
    const readTrack = async (stream: MediaStream, number: number) => {
      if (!ocr)
        throw new Problem('SUBTITLE_IS_BITMAP', { track: number, codec: stream.codec, instead: 'Set ocr to true.' })
      if (to === 'original') throw new Problem('CONFLICTING_OPTIONS', { fields: ['to', 'ocr'] })
      const name = `subtitles-${number}`
      const source = { ffmpeg, tesseract, out, path: file.path, stream, media }
      const chosen = await chooseLanguages(tesseract, languages, stream)
      const { cues, confidence } = await readImages({ ...source, languages: chosen }, name, MAX_READ_CUES - readCues)
      readCues += cues.length
      return { output: await writeCues(source, cues, to, name), cues: cues.length, confidence }
    }
    const extract = async (stream: MediaStream) => {
      const number = streams.indexOf(stream) + 1
      const source = { ffmpeg, out, path: file.path, stream, media }
      const written = isTextSubtitle(stream)
        ? await convertSubtitles(source, to as SubtitleFormat, `subtitles-${number}`)
        : await readTrack(stream, number)
      return { ...written, track: number, ...(stream.language !== undefined && { language: stream.language }) }
    }
    const countUnits = () => Math.ceil(readCues / CUES_PER_UNIT)
    if (track !== 'all') {
      const { output, ...rest } = await extract(pickTrack(streams, track))
      return { result: { output, ...rest }, units: countUnits() }
    }
    const files = []
    for (const [index, stream] of streams.entries()) {
      const { output, ...rest } = await extract(stream)
      files.push({ ...output, ...rest, index })
    }
    return { result: { files }, units: countUnits() }
  },
})
