import { Type } from 'typebox'
import { Choice, define, FileManifest, findVideo, type InputFile, type Price, Problem, usd } from '#kit'
import { formatSeconds } from '../formats/media/times.ts'
import { buildStillEncoder, buildVisualFilters, planSize, STILL_FILES } from '../formats/media/visual.ts'
import { LONG_RUN_SECONDS, MediaInput, VISUAL_ERRORS } from './schema.ts'
import { renderBoard } from './storyboard/cues.ts'

const price: Price<{ file: InputFile }> = {
  unit: 'started 10 minutes',
  rateMicros: usd('0.003'),
  baseMicros: 0n,
  basis: 'content',
  minUnits: 1,
  units: ({ file }) => Math.max(1, Math.ceil((file.facts.seconds ?? 0) / 600)),
}
const MAX_TILES = 400
/** From this distance on, the key frames are near enough to the times that are asked for, and reading them is fast. */
const KEY_FRAMES_FROM_SECONDS = 10

export default define({
  summary: 'Make the sheets of small pictures that players show while seeking.',
  keywords:
    'contact sheet of a video, sprite sheet, seek preview, thumbnails track, vtt thumbnails, scrubbing, hover preview, trickplay',
  description: 'Sheets of tiles and a WebVTT file whose cues cover the whole duration and name their tile with #xywh.',
  price,
  limitSeconds: LONG_RUN_SECONDS,
  uses: ['ffmpeg'],
  input: Type.Object({
    file: MediaInput(),
    every: Type.Optional(Type.Number({ minimum: 0.1, maximum: 3600, description: 'Seconds, instead of `count`.' })),
    count: Type.Optional(Type.Integer({ minimum: 1, maximum: MAX_TILES, description: 'By default 100.' })),
    columns: Type.Integer({ default: 10, minimum: 1, maximum: 20 }),
    tileWidth: Type.Integer({ default: 160, minimum: 40, maximum: 480 }),
    maxTilesPerSheet: Type.Integer({ default: 100, minimum: 1, maximum: 100 }),
    format: Choice(['jpeg', 'webp'], { default: 'jpeg' }),
    quality: Type.Integer({ default: 80, minimum: 1, maximum: 100 }),
    vtt: Type.Boolean({ default: true }),
    urlTemplate: Type.String({
      default: '{file}',
      maxLength: 1000,
      pattern: '^[^\\s\\x00-\\x1f]*\\{file\\}[^\\s\\x00-\\x1f]*$',
    }),
  }),
  output: Type.Object({
    files: FileManifest(['image/jpeg', 'image/webp', 'text/vtt'], { name: Type.String() }),
    tiles: Type.Integer(),
    tileWidth: Type.Integer(),
    tileHeight: Type.Integer(),
    everySec: Type.Number(),
  }),
  errors: [...VISUAL_ERRORS, 'TOO_MANY_OUTPUTS'],
  examples: [
    {
      title: 'Five tiles',
      input: { file: 'sample:clip.mp4', count: 5, columns: 3, tileWidth: 40 },
      answer: { tiles: 5, tileWidth: 40, tileHeight: 30, everySec: 0.2 },
    },
  ],

  async run(
    { file, every, count, columns, tileWidth, maxTilesPerSheet, format, quality, vtt, urlTemplate },
    { ffmpeg, out },
  ) {
    if (every !== undefined && count !== undefined)
      throw new Problem('CONFLICTING_OPTIONS', { fields: ['every', 'count'] })
    const media = file.facts.media!
    const video = findVideo(media)
    if (!video) throw new Problem('NO_VIDEO_STREAM')
    const step = every ?? media.seconds / (count ?? 100)
    const tiles = Math.max(1, Math.ceil(media.seconds / step - 1e-6))
    if (tiles > MAX_TILES) throw new Problem('TOO_MANY_OUTPUTS', { outputs: tiles, max: MAX_TILES })
    const options = { width: tileWidth, still: format }
    const { height } = planSize(video, options)
    const wide = Math.min(columns, tiles)
    const rows = Math.ceil(Math.min(maxTilesPerSheet, tiles) / wide)
    const perSheet = Math.min(rows * wide, maxTilesPerSheet)
    const sheets = Math.ceil(tiles / perSheet)
    const { contentType, extension } = STILL_FILES[format]
    const filters = buildVisualFilters(video, options)
    const timing = `fps=1/${formatSeconds(step)}:start_time=0:round=up:eof_action=pass`
    const fill = `tpad=stop_mode=clone:stop=${tiles},trim=end_frame=${tiles}`
    const graph = `[0:${video.index}]${[timing, fill, ...filters].join(',')},tile=${wide}x${rows}:nb_frames=${perSheet}[sheets]`
    const fast = step >= KEY_FRAMES_FROM_SECONDS ? ['-skip_frame', 'nokey'] : []
    const encoder = [
      '-map',
      '[sheets]',
      ...buildStillEncoder(format, quality),
      '-vsync',
      'passthrough',
      '-frames:v',
      String(sheets),
    ]
    const outputs = [{ path: out(`sheet-%03d.${extension}`), options: [...encoder, '-f', 'image2'] }]
    await ffmpeg.run({ inputs: [{ path: file.path, options: fast }], graph, outputs, seconds: media.seconds })
    const nameSheet = (sheet: number) => `sheet-${String(sheet + 1).padStart(3, '0')}.${extension}`
    const files = Array.from({ length: sheets }, (_, index) => ({
      index,
      path: out(nameSheet(index)),
      contentType,
      name: nameSheet(index),
    }))
    const board = { tiles, every: step, seconds: media.seconds, columns: wide, perSheet, width: tileWidth, height }
    const cues = renderBoard(board, sheet => urlTemplate.replaceAll('{file}', nameSheet(sheet)))
    const track = { index: sheets, bytes: Buffer.from(cues), contentType: 'text/vtt', name: 'storyboard.vtt' }
    return {
      result: { files: [...files, ...(vtt ? [track] : [])], tiles, tileWidth, tileHeight: height, everySec: step },
    }
  },
})
