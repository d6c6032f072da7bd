import { Type } from 'typebox'
import { Choice, define, FileOutput, findVideo, type InputFile, Problem } from '#kit'
import { VIDEO_CONTENT_TYPES, VIDEO_FORMATS, type VideoFormat } from '../formats/media/containers.ts'
import { countVideoUnits, perVideoUnit } from '../formats/media/price.ts'
import { chooseContainer, type EncodeOptions, planVisual } from '../formats/media/video-output.ts'
import { warnOfMissingCharacters, writeVisual } from '../formats/media/write-visual.ts'
import { layerFields } from './overlay/fields.ts'
import { composeLayers, drawLayer, type Layer } from './overlay/layers.ts'
import { LONG_RUN_SECONDS, MediaInfo, MediaInput, VISUAL_ERRORS, visualQualityFields } from './schema.ts'

interface Input extends Layer {
  file: InputFile
  overlays?: Layer[]
  bitrateKbps?: number
  crf?: number
  to?: VideoFormat
  videoCodec: EncodeOptions['videoCodec']
  speedPreset: EncodeOptions['speedPreset']
}

const chooseFormat = ({ file, to }: Input) => to ?? chooseContainer(file.facts.media)

export default define({
  summary: 'Put a logo, text or another video on a video.',
  keywords:
    'watermark video, logo on video, text on video, picture in picture, title, lower third, sticker, branding, picture in picture',
  description:
    'One layer by the fields of the call, or up to five in `overlays`. Transparent images, GIF, APNG, WebM and MOV keep ' +
    'what is transparent. Text is drawn in every script. The sound is copied where the container allows it.',
  price: perVideoUnit<Input>(input => {
    const { media, seconds = 0 } = input.file.facts
    return countVideoUnits({ ...planVisual(findVideo(media), chooseFormat(input), input), seconds })
  }),
  limitSeconds: LONG_RUN_SECONDS,
  uses: ['ffmpeg'],
  input: Type.Object({
    file: MediaInput(),
    ...layerFields,
    overlays: Type.Optional(Type.Array(Type.Object(layerFields), { minItems: 1, maxItems: 5 })),
    to: Type.Optional(Choice(VIDEO_FORMATS, { description: 'Default that of the video.' })),
    videoCodec: Choice(['auto', 'h264', 'h265', 'vp9', 'av1'], { default: 'auto' }),
    bitrateKbps: Type.Optional(Type.Integer({ minimum: 24, maximum: 100_000, description: 'Instead of `quality`.' })),
    ...visualQualityFields,
  }),
  output: Type.Object({ output: FileOutput(VIDEO_CONTENT_TYPES), media: MediaInfo }),
  errors: [...VISUAL_ERRORS, 'MISSING_FIELD', 'FONT_UNAVAILABLE'],
  examples: [
    {
      title: 'A logo in the corner',
      input: {
        file: 'sample:clip.mp4',
        overlay: 'sample:gradient.png',
        scale: 0.3,
        margin: 2,
        speedPreset: 'ultrafast',
      },
      answer: { media: { width: 64, height: 48, videoCodec: 'h264', audioCodec: 'aac' } },
    },
    {
      title: 'A line of text',
      input: { file: 'sample:clip.mp4', text: 'Hello', position: 'south', margin: 2, speedPreset: 'ultrafast' },
    },
  ],

  async run(input, { ffmpeg, out }) {
    checkOptions(input)
    const { file, overlays } = input
    const media = file.facts.media!
    const video = findVideo(media)
    if (!video) throw new Problem('NO_VIDEO_STREAM')
    const to = chooseFormat(input)
    const { videoCodec, quality, speedPreset, bitrateKbps, crf } = input
    const rate = { ...(crf !== undefined && { crf }), ...(bitrateKbps !== undefined && { bitrateKbps }) }
    const encoding = { videoCodec, quality, speedPreset, ...rate }
    const frame = { ...planVisual(video, to, encoding), seconds: media.seconds }
    const layers = overlays ?? [input]
    for (const { font } of layers) if (font) await ffmpeg.requireFont(font, 'font')
    const drawn = layers.map((layer, at) => drawLayer(layer, at, frame))
    for (const { script } of drawn) if (script) await ffmpeg.write(script.name, script.content)
    const written = await writeVisual({
      ...{ ffmpeg, file, to, path: out(`video.${to}`), encoding },
      inputs: drawn.flatMap(({ input: own }) => own ?? []),
      drawsText: drawn.some(({ script }) => script),
      compose: (source, filters) => composeLayers(`${source}${filters}[base0]`, drawn),
    })
    return { result: written.result, warnings: [...written.warnings, ...warnOfMissingCharacters(written.log)] }
  },
})

function checkOptions(input: Input): void {
  const own = Object.keys(layerFields).filter(name => name in input)
  if (input.overlays && own.length > 0) throw new Problem('CONFLICTING_OPTIONS', { fields: ['overlays', ...own] })
  if (input.bitrateKbps !== undefined && input.crf !== undefined)
    throw new Problem('CONFLICTING_OPTIONS', { fields: ['bitrateKbps', 'crf'] })
}
