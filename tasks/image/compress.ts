import { Type } from 'typebox'
import { Choice, define, FileOutput, type InputFile, type Warning } from '#kit'
import { IMAGE_FORMATS } from '../formats/raster/image.ts'
import { hasSeveralFrames, readOriginal } from './compress/original.ts'
import { COMPRESS_PRICE } from './compress/price.ts'
import { SVG_TYPE, shortenSvg } from './compress/vector.ts'
import { IMAGE_ERRORS, ImageInfo, ImageInput, imageOptionFields, OUTPUT_TYPES, toImageResult } from './schema.ts'

const { background, metadata, icc, tolerant } = imageOptionFields

const Bytes = Type.Integer({ minimum: 0 })

export default define({
  summary: 'Make an image file smaller without changing its dimensions.',
  keywords:
    'shrink, jpeg under 100 kb, below a size in kb, max file size, reduce file size, optimise, png optimisation, make a gif smaller, lighter, smaller bytes, kilobytes, jpeg, png, web, shrink a jpg, a jpeg of at most so many kb',
  isFeatured: true,
  description:
    'Finds the lowest quality at which the image still looks the same. The output is never larger: where nothing can ' +
    'be saved, the input is returned unchanged except for its private metadata. PNG is compressed losslessly unless ' +
    '`palette` is set; SVG is minified, and stays compressed where it was; an animated PNG keeps its frames as they are.',
  price: COMPRESS_PRICE,
  uses: ['sharp', 'svgOptimizer'],
  input: Type.Object({
    file: ImageInput(),
    format: Choice(['keep', 'auto'], {
      default: 'keep',
      description: '`auto` picks the smallest of webp, avif, jpeg and png.',
    }),
    quality: Type.Union([Choice(['auto']), Type.Integer({ minimum: 1, maximum: 100 })], { default: 'auto' }),
    minSimilarity: Type.Number({ default: 0.985, minimum: 0.5, maximum: 1, description: 'The least SSIM.' }),
    maxBytes: Type.Optional(Type.Integer({ minimum: 100, maximum: 52_428_800 })),
    allowResize: Type.Boolean({
      default: false,
      description: 'Also reduce the dimensions where maxBytes requires it.',
    }),
    palette: Type.Boolean({ default: false, description: 'PNG with at most 256 colours.' }),
    progressive: Type.Boolean({ default: true, description: 'Write a progressive JPEG.' }),
    background,
    metadata,
    icc,
    tolerant,
  }),
  output: Type.Object({
    output: FileOutput([...OUTPUT_TYPES, SVG_TYPE]),
    image: Type.Object({ ...ImageInfo.properties, format: Choice([...IMAGE_FORMATS, 'svg']) }),
    originalBytes: Bytes,
    outputBytes: Bytes,
    saved: Type.Number({ description: 'Fraction of the bytes saved, from 0 to 1.' }),
    quality: Type.Optional(Type.Integer({ description: 'Absent where the compression is lossless.' })),
    targetMet: Type.Optional(Type.Boolean({ description: 'Whether maxBytes was reached.' })),
    unchanged: Type.Optional(
      Type.Boolean({ description: 'The encoded pixels are those of the input, byte for byte.' }),
    ),
  }),
  errors: IMAGE_ERRORS,
  examples: [
    {
      title: 'The smallest file that looks the same',
      input: { file: 'sample:gradient.png' },
      answer: { image: { width: 160 } },
    },
    { title: 'In the best format', input: { file: 'sample:gradient.png', format: 'auto', maxBytes: 5000 } },
  ],

  async run({ file, ...options }, { sharp, svgOptimizer }) {
    if (file.type === SVG_TYPE) {
      const keepsMetadata = options.metadata === 'keep'
      const { svg, isSmaller } = await shortenSvg(file, { keepsMetadata }, { svgOptimizer })
      return buildAnswer(file, options, svg, { isSmaller, warnings: [] })
    }
    const originalFormat = IMAGE_FORMATS.find(format => `image/${format}` === file.type)
    if (originalFormat && (await hasSeveralFrames(file))) {
      const original = await readOriginal(file, originalFormat, options.metadata, { sharp })
      return buildAnswer(file, options, original, { isSmaller: false, warnings: [] })
    }
    const compressOptions = { ...options, lossless: false, animation: 'auto' as const }
    const { warnings, quality, outputBytes, ...image } = await sharp.compress(file.path, compressOptions)
    const compressed = { ...toImageResult(image, 'compressed'), ...(quality !== undefined && { quality }) }
    const isKeepable = options.format === 'auto' || compressed.output.contentType === file.type
    if (outputBytes < file.sizeBytes || !isKeepable || !originalFormat)
      return buildAnswer(file, options, { ...compressed, outputBytes }, { isSmaller: true, warnings })
    const original = await readOriginal(file, originalFormat, options.metadata, { sharp })
    return buildAnswer(file, options, original, { isSmaller: false, warnings })
  },
})

function buildAnswer<Output extends { outputBytes: number }>(
  { sizeBytes: originalBytes }: InputFile,
  { maxBytes }: { maxBytes?: number },
  output: Output,
  { isSmaller, warnings }: { isSmaller: boolean; warnings: Warning[] },
) {
  const { outputBytes } = output
  const isTargetMissed = maxBytes !== undefined && outputBytes > maxBytes
  const savings = {
    originalBytes,
    saved: Math.round((1 - outputBytes / originalBytes) * 10_000) / 10_000,
    ...(maxBytes !== undefined && { targetMet: !isTargetMissed }),
    ...(!isSmaller && { unchanged: true }),
  }
  const targetWarnings = isTargetMissed
    ? [{ code: 'TARGET_NOT_MET', message: 'The image could not be compressed to maxBytes.' }]
    : []
  return {
    result: { ...output, ...savings },
    ...(!isSmaller && { units: 0 }),
    warnings: [...warnings, ...targetWarnings],
  }
}
