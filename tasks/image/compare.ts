import { Type } from 'typebox'
import { Choice, define, FileOutput, type InputFile, perStartedMegapixels } from '#kit'
import { COMPARISON, roundComparison } from './compare/answer.ts'
import { ImageInput, imageOptionFields, READ_ERRORS } from './schema.ts'

const MEGAPIXELS = 25

const price = {
  ...perStartedMegapixels<{ a: InputFile; b: InputFile }>(MEGAPIXELS, '0.001'),
  unit: `started ${MEGAPIXELS} megapixels of both images`,
  units: ({ a, b }: { a: InputFile; b: InputFile }) =>
    Math.max(1, Math.ceil((countPixels(a) + countPixels(b)) / (MEGAPIXELS * 1e6))),
}

export default define({
  summary: 'Compare two images: are they the same, how alike are they, and where do they differ?',
  keywords:
    'image diff, compare two images, compare screenshots, visual regression, pixel difference, same picture, duplicate, near duplicate, similar images, similarity, ssim, perceptual hash, spot the difference, before and after',
  description:
    'Compares the first frames at eight bits per channel, as displayed: orientation and colour profile are applied. ' +
    'Boxes are in pixels of the compared size and fit `rect` of image.crop.',
  price,
  uses: ['sharp'],
  input: Type.Object({
    a: ImageInput('The first image, such as the expected one.'),
    b: ImageInput('The second image.'),
    sizes: Choice(['resize', 'canvas', 'refuse'], {
      default: 'resize',
      description:
        'What to do with different sizes: scale `b` to the size of `a`; place both at the top left of a transparent ' +
        'canvas that holds both; or refuse.',
    }),
    threshold: Type.Number({
      default: 0.1,
      minimum: 0,
      maximum: 1,
      description: 'Difference of colours up to which two pixels are the same; 0 counts every difference.',
    }),
    ignoreAntialiasing: Type.Boolean({
      default: false,
      description: 'Do not count pixels that only smooth an edge.',
    }),
    report: Choice(['none', 'png'], {
      default: 'none',
      description: '`png`: also `a` in pale grey, with the pixels that differ in red.',
    }),
    tolerant: imageOptionFields.tolerant,
  }),
  output: Type.Object({ ...COMPARISON, output: Type.Optional(FileOutput('image/png')) }),
  errors: [...READ_ERRORS, 'SIZES_DIFFER'],
  examples: [
    {
      title: 'The same image twice',
      input: { a: 'sample:gradient.png', b: 'sample:gradient.png' },
      answer: { identical: true, differingPixels: 0, ssim: 1, hashDistance: 0, box: null, regions: [] },
    },
    {
      title: 'Two different images, with the differences marked',
      input: { a: 'sample:gradient.png', b: 'sample:sign.png', sizes: 'canvas', report: 'png' },
      answer: { identical: false, output: { contentType: 'image/png' } },
    },
  ],

  async run({ a, b, report, ...options }, { sharp }) {
    const compared = await sharp.compareImages([a.path, b.path], { ...options, mark: report === 'png' })
    const { bytes, path, warnings, ...found } = compared
    const output = { bytes, path, contentType: 'image/png', name: 'differences.png' }
    const result = { ...roundComparison(found), ...(report === 'png' && { output }) }
    return { result, warnings }
  },
})

function countPixels({ facts }: InputFile): number {
  return (facts.width ?? 0) * (facts.height ?? 0)
}
