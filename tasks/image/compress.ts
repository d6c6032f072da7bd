import { Type } from 'typebox'
import { Choice, define, FileOutput, type InputFile, Problem, perStartedMegapixels } from '#kit'
import { IMAGE_ERRORS, IMAGE_TYPES, ImageInput, ImageOutcome, imageFields, imageResult, OUTPUT_TYPES } from './shape.ts'

const { background, metadata, icc, tolerant } = imageFields

const price = perStartedMegapixels<{ file: InputFile; format: string }>(25, '0.001', ({ file, format }) =>
  format === 'auto' || file.type === 'image/avif' ? 4 : 2,
)

const Bytes = Type.Integer({ minimum: 0 })

export default define({
  summary: 'Make a picture file smaller at the same size.',
  description:
    'Finds the lowest quality at which the picture still looks like itself. The answer is never larger: where nothing ' +
    'can be gained, the input comes back as it is. PNG loses nothing unless `palette` is set.',
  price,
  uses: ['sharp'],
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
    output: FileOutput(OUTPUT_TYPES),
    image: ImageOutcome,
    originalBytes: Bytes,
    outputBytes: Bytes,
    saved: Type.Number({ description: 'Share of the bytes that is gone, from 0 to 1.' }),
    quality: Type.Optional(Type.Integer({ description: 'Left out where nothing is lost.' })),
    targetMet: Type.Optional(Type.Boolean({ description: 'Whether maxBytes was reached.' })),
    unchanged: Type.Optional(Type.Boolean({ description: 'The input as it was, its metadata with it.' })),
  }),
  errors: IMAGE_ERRORS,
  examples: [
    { title: 'As small as looks the same', input: { file: 'sample:gradient.png' }, answer: { image: { width: 160 } } },
    { title: 'In the best format', input: { file: 'sample:gradient.png', format: 'auto', maxBytes: 5000 } },
  ],

  async run({ file, ...options }, { sharp }) {
    if (file.type === 'image/svg+xml')
      throw new Problem('UNSUPPORTED_FORMAT', {
        detected: file.type,
        supported: IMAGE_TYPES.filter(type => type !== file.type),
      })
    const choices = { ...options, lossless: false, animation: 'auto' as const }
    const { warnings, quality, ...made } = await sharp.compress(file.path, choices)
    const { outputBytes, ...picture } = made
    const kept = imageResult(picture, 'compressed')
    const isSmaller =
      outputBytes < file.sizeBytes || (kept.output.contentType !== file.type && options.format === 'keep')
    const size = isSmaller ? outputBytes : file.sizeBytes
    const facts = {
      originalBytes: file.sizeBytes,
      outputBytes: size,
      saved: Math.round((1 - size / file.sizeBytes) * 10_000) / 10_000,
      ...(options.maxBytes !== undefined && { targetMet: size <= options.maxBytes }),
    }
    const missed =
      facts.targetMet === false ? [{ code: 'TARGET_NOT_MET', message: 'It could not be made so small.' }] : []
    const told = [...warnings, ...missed]
    if (isSmaller) return { result: { ...kept, ...facts, ...(quality !== undefined && { quality }) }, warnings: told }
    const output = {
      bytes: await file.bytes(),
      contentType: file.type,
      name: `unchanged${file.type.replace(/^image./, '.')}`,
    }
    return { result: { output, image: kept.image, ...facts, unchanged: true }, units: 1, warnings: told }
  },
})
