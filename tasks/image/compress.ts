import { Type } from 'typebox'
import { Choice, define, FileOutput, type InputFile, perStartedMegapixels, type Warning } from '#kit'
import { IMAGE_ERRORS, ImageInput, ImageOutcome, imageFields, imageResult, OUTPUT_TYPES } from './shape.ts'
import { unchanged, vectorText } from './unchanged-shape.ts'

const { background, metadata, icc, tolerant } = imageFields

const price = perStartedMegapixels<{ file: InputFile; format: string }>(25, '0.001', ({ file, format }) =>
  format === 'auto' || file.type === 'image/avif' ? 4 : 2,
)

const VECTOR = 'image/svg+xml'
const FORMATS = ['jpeg', 'png', 'webp', 'avif', 'gif', 'tiff'] as const
const Bytes = Type.Integer({ minimum: 0 })

export default define({
  summary: 'Make a picture file smaller at the same size.',
  description:
    'Finds the lowest quality at which the picture still looks like itself. The answer is never larger: where nothing ' +
    'can be gained, the input comes back as it is, without its private metadata. PNG loses nothing unless `palette` is ' +
    'set; SVG is written shorter.',
  price,
  uses: ['sharp', 'svgOptimizer'],
  input: Type.Object({
    file: ImageInput(),
    format: Choice(['keep', 'auto'], {
      default: 'keep',
      description: '`auto` takes the smallest of webp, avif, jpeg and png.',
    }),
    quality: Type.Union([Choice(['auto']), Type.Integer({ minimum: 1, maximum: 100 })], { default: 'auto' }),
    minSimilarity: Type.Number({ default: 0.985, minimum: 0.5, maximum: 1, description: 'By structure (SSIM).' }),
    maxBytes: Type.Optional(Type.Integer({ minimum: 100, maximum: 52_428_800 })),
    allowResize: Type.Boolean({
      default: false,
      description: 'Make it smaller in pixels too where maxBytes needs it.',
    }),
    palette: Type.Boolean({ default: false, description: 'PNG with at most 256 colours.' }),
    progressive: Type.Boolean({ default: true, description: 'JPEG that appears at once and gets clearer.' }),
    background,
    metadata,
    icc,
    tolerant,
  }),
  output: Type.Object({
    output: FileOutput([...OUTPUT_TYPES, VECTOR]),
    image: Type.Object({ ...ImageOutcome.properties, format: Choice([...FORMATS, 'svg']) }),
    originalBytes: Bytes,
    outputBytes: Bytes,
    saved: Type.Number({ description: 'Share of the bytes that is gone, from 0 to 1.' }),
    quality: Type.Optional(Type.Integer({ description: 'Left out where nothing is lost.' })),
    targetMet: Type.Optional(Type.Boolean({ description: 'Whether maxBytes was reached.' })),
    unchanged: Type.Optional(Type.Boolean({ description: 'The pixels are those of the input, byte for byte.' })),
  }),
  errors: IMAGE_ERRORS,
  examples: [
    { title: 'As small as looks the same', input: { file: 'sample:gradient.png' }, answer: { image: { width: 160 } } },
    { title: 'In the best format', input: { file: 'sample:gradient.png', format: 'auto', maxBytes: 5000 } },
  ],

  async run({ file, ...options }, { sharp, svgOptimizer }) {
    if (file.type === VECTOR) {
      const keepsMetadata = options.metadata === 'keep'
      const made = Buffer.from(await svgOptimizer.shrink(await vectorText(file), { keepsMetadata }))
      const isSmaller = made.length < file.sizeBytes
      return answer(file, options, vectorOf(file, isSmaller ? made : await file.bytes()), { isSmaller, warnings: [] })
    }
    const choices = { ...options, lossless: false, animation: 'auto' as const }
    const { warnings, quality, outputBytes, ...picture } = await sharp.compress(file.path, choices)
    const made = { ...imageResult(picture, 'compressed'), ...(quality !== undefined && { quality }) }
    const isOther = made.output.contentType !== file.type && options.format === 'keep'
    if (outputBytes < file.sizeBytes || isOther)
      return answer(file, options, { ...made, outputBytes }, { isSmaller: true, warnings })
    const bytes = await unchanged(file, options.metadata)
    const output = { bytes, contentType: file.type, name: `unchanged${file.type.replace(/^image./, '.')}` }
    const same = { output, image: made.image, outputBytes: bytes.length }
    return answer(file, options, same, { isSmaller: false, warnings })
  },
})

function vectorOf({ facts: { width = 1, height = 1 } }: InputFile, bytes: Uint8Array) {
  const image = { width, height, format: 'svg' as const, pages: 1, hasAlpha: true }
  return { output: { bytes, contentType: VECTOR, name: 'compressed.svg' }, image, outputBytes: bytes.length }
}

function answer<Made extends { outputBytes: number }>(
  { sizeBytes }: InputFile,
  { maxBytes }: { maxBytes?: number },
  made: Made,
  { isSmaller, warnings }: { isSmaller: boolean; warnings: Warning[] },
) {
  const size = made.outputBytes
  const isMissed = maxBytes !== undefined && size > maxBytes
  const facts = {
    originalBytes: sizeBytes,
    saved: Math.round((1 - size / sizeBytes) * 10_000) / 10_000,
    ...(maxBytes !== undefined && { targetMet: !isMissed }),
    ...(!isSmaller && { unchanged: true }),
  }
  const missed = isMissed ? [{ code: 'TARGET_NOT_MET', message: 'It could not be made so small.' }] : []
  return { result: { ...made, ...facts }, ...(!isSmaller && { units: 1 }), warnings: [...warnings, ...missed] }
}
