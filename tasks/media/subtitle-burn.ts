import { Type } from 'typebox'
import { Choice, define, exactlyOne, FileInput, FileOutput, findVideo, type InputFile, Problem } from '#kit'
import { VIDEO_CONTENT_TYPES } from '../formats/media/containers.ts'
import type { SpeedPreset } from '../formats/media/encoders.ts'
import { countVideoUnits, perVideoUnit } from '../formats/media/price.ts'
import { chooseContainer, planVisual } from '../formats/media/video-output.ts'
import { warnOfMissingCharacters, writeVisual } from '../formats/media/write-visual.ts'
import { SUBTITLE_ENCODINGS } from '../formats/subtitles/charset.ts'
import { readSubtitleFile } from '../formats/subtitles/file.ts'
import {
  fontField,
  LONG_RUN_SECONDS,
  MediaInfo,
  MediaInput,
  textColorField,
  trackField,
  VISUAL_ERRORS,
  visualQualityFields,
} from './schema.ts'
import { checkFont, renderSubtitles } from './subtitle-burn/render.ts'
import { readFonts, readTrack } from './subtitle-burn/source.ts'

const Share = (minimum: number, maximum: number, description: string) =>
  Type.Optional(Type.Number({ minimum, maximum, description }))

const Style = Type.Object(
  {
    font: fontField('Default auto: a font for each script.'),
    size: Share(1, 30, 'The height of a line in percent of the shorter side; default 6.5.'),
    color: textColorField('#rrggbb or #rrggbbaa; default #ffffff.'),
    outlineColor: textColorField('Of the outline or the box; default #000000.'),
    outline: Share(0, 30, 'Percent of the size; default 6.'),
    box: Type.Optional(Type.Boolean({ description: 'A box behind the text instead of an outline.' })),
    position: Type.Optional(Choice(['bottom', 'top', 'middle'], { description: 'Default bottom.' })),
    marginPct: Share(0, 45, 'From the edge, in percent of the height; default 5.'),
    bold: Type.Optional(Type.Boolean()),
    italic: Type.Optional(Type.Boolean()),
  },
  { description: 'Of subtitles with a look of their own (ass, ssa), only what is given here is changed.' },
)

const encodingOf = (speedPreset: SpeedPreset) => ({ videoCodec: 'auto', speedPreset }) as const

function countUnits({ file: { facts }, speedPreset }: { file: InputFile; speedPreset: SpeedPreset }): number {
  const { media, seconds = 0 } = facts
  const plan = planVisual(findVideo(media), chooseContainer(media), encodingOf(speedPreset))
  return countVideoUnits({ ...plan, seconds })
}

export default define({
  summary: 'Draw subtitles into the picture of a video.',
  keywords:
    'hardcode subtitles, burn in captions, open captions, hard subs, srt into video, text on video for social media, add subtitles to a video',
  description:
    'Subtitles are a file (srt, vtt, ass, ssa, ttml) or a track of the video. Every script is drawn, with the fonts that ' +
    'the file brings where it has some. The sound is copied where the container allows it.',
  price: perVideoUnit<{ file: InputFile; speedPreset: SpeedPreset }>(countUnits),
  limitSeconds: LONG_RUN_SECONDS,
  uses: ['ffmpeg'],
  input: Type.Object({
    file: MediaInput(),
    subtitles: Type.Optional(FileInput({ description: 'A file of subtitles, instead of `track`.' })),
    track: Type.Optional(trackField()),
    style: Type.Optional(Style),
    strictFont: Type.Boolean({ default: false, description: 'Refuse a font that is not installed.' }),
    offsetMs: Type.Integer({ default: 0, minimum: -3_600_000, maximum: 3_600_000, description: 'Later, or earlier.' }),
    encoding: Choice(SUBTITLE_ENCODINGS, { default: 'auto', description: 'Of the file of subtitles.' }),
    ...visualQualityFields,
  }),
  output: Type.Object({ output: FileOutput(VIDEO_CONTENT_TYPES), media: MediaInfo }),
  errors: [
    ...[...VISUAL_ERRORS, 'MISSING_FIELD' as const, 'SUBTITLE_PARSE_FAILED' as const, 'TRACK_NOT_FOUND' as const],
    ...(['SUBTITLE_IS_BITMAP', 'FONT_UNAVAILABLE'] as const),
  ],
  examples: [
    {
      title: 'From a file',
      input: { file: 'sample:clip.mp4', subtitles: 'sample:captions.srt', speedPreset: 'ultrafast' },
      answer: { media: { width: 64, height: 48, videoCodec: 'h264', audioCodec: 'aac' } },
    },
    { title: 'A track of the video', input: { file: 'sample:captioned.mkv', track: 1, speedPreset: 'ultrafast' } },
  ],

  async run(input, { ffmpeg, out }) {
    const { file, subtitles: own, track, style: given = {}, strictFont, offsetMs, encoding, ...quality } = input
    exactlyOne({ subtitles: own, track }, ['subtitles', 'track'])
    if (track !== undefined && encoding !== 'auto')
      throw new Problem('CONFLICTING_OPTIONS', { fields: ['track', 'encoding'] })
    const media = file.facts.media!
    const video = findVideo(media)
    if (!video) throw new Problem('NO_VIDEO_STREAM')
    const { font, ...rest } = given
    const isNamed = font !== undefined && font.toLowerCase() !== 'auto'
    const substitute = isNamed ? await checkFont(ffmpeg, font, strictFont) : []
    const style = isNamed ? { ...rest, font } : rest
    const found = own
      ? { ...(await readSubtitleFile(own, encoding)), stream: undefined }
      : await readTrack({ ffmpeg, out, file }, track!)
    const fonts = 'ass' in found.subtitles ? await readFonts({ ffmpeg, out, file }) : []
    const to = chooseContainer(media)
    const visual = { ...encodingOf(quality.speedPreset), ...quality }
    const text = renderSubtitles(found.subtitles, { style, offsetMs, fonts }, planVisual(video, to, visual))
    await ffmpeg.write('burned.ass', text)
    const written = await writeVisual({
      ...{ ffmpeg, file, to, path: out(`video.${to}`), encoding: visual, drawsText: true },
      compose: (source, filters) => `${source}${filters},ass=burned.ass[visual]`,
      ...(found.stream && { dropped: found.stream }),
    })
    const warnings = [...found.warnings, ...substitute, ...written.warnings, ...warnOfMissingCharacters(written.log)]
    return { result: written.result, warnings }
  },
})
