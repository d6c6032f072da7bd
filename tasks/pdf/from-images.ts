import { Type } from 'typebox'
import { Choice, define, FileOutput, type InputFile, Problem, perCall, type Warning } from '#kit'
import { buildConvertOptions, planImagePages } from '../formats/pdf/image-pages.ts'
import { PAGE_SIZES, pageSizeOf } from '../formats/pdf/standard-sizes.ts'
import { nameFile, warnOfFrames } from './from-images/warnings.ts'
import { COLOR_PATTERN, ImageInput, PDF } from './schema.ts'

const MAX_PAGES = 500
const MAX_IMAGES = 100

export default define({
  summary: 'Create a PDF from images, one page per image.',
  keywords: 'jpg to pdf, png to pdf, make a pdf from jpeg pictures, photo to pdf, scans, pictures into one document',
  converts: [{ from: 'image png jpg webp heic tiff bmp gif', to: 'pdf' }],
  description:
    'JPEG and simple PNG images are embedded without loss and rotated by their EXIF orientation; all other images are ' +
    'encoded again. Each page of a TIFF becomes a page; an animation is reduced to its first frame.',
  price: {
    ...perCall('0.001'),
    unit: 'image',
    maxUnits: MAX_IMAGES,
    units: ({ files }: { files: InputFile[] }) => files.length,
  },
  uses: ['sharp', 'libpdf'],
  input: Type.Object({
    files: Type.Array(ImageInput('An image.'), { minItems: 1, maxItems: MAX_IMAGES }),
    pageSize: Choice(['auto', ...PAGE_SIZES], { default: 'auto', description: '`auto` fits the page to each image.' }),
    orientation: Choice(['auto', 'portrait', 'landscape'], {
      default: 'auto',
      description: 'For pages of fixed size; `auto` follows each image.',
    }),
    margin: Type.Number({ default: 0, minimum: 0, maximum: 200, description: 'Points.' }),
    fit: Choice(['contain', 'cover', 'fill', 'shrink'], {
      default: 'contain',
      description: 'On pages of fixed size: fit inside, fill and crop, stretch, or fit inside without enlarging.',
    }),
    dpi: Type.Optional(
      Type.Integer({
        minimum: 36,
        maximum: 2400,
        description: 'Default: the resolution recorded in the image, else 96.',
      }),
    ),
    quality: Type.Optional(
      Type.Integer({ minimum: 1, maximum: 100, description: 'Encode every image again as JPEG of this quality.' }),
    ),
    background: Type.String({ default: '#ffffff', pattern: COLOR_PATTERN, description: 'Page background.' }),
    title: Type.Optional(Type.String({ maxLength: 512 })),
  }),
  output: Type.Object({ output: FileOutput(PDF), pages: Type.Integer({ minimum: 1 }) }),
  errors: [
    'BAD_RANGE',
    'IMAGE_DECODE_FAILED',
    'INVALID_PARAM',
    'MEMORY_LIMIT_EXCEEDED',
    'PROVIDER_NOT_CONFIGURED',
    'SANDBOX_UNAVAILABLE',
    'TIME_LIMIT_EXCEEDED',
    'TOO_MANY_PAGES',
    'TOO_MANY_PIXELS',
  ],
  examples: [
    { title: 'One image, one page', input: { files: ['sample:gradient.png'] }, answer: { pages: 1 } },
    {
      title: 'Two images on A4 with a margin',
      input: { files: ['sample:gradient.png', 'sample:wifi-code.png'], pageSize: 'A4', margin: 36, title: 'Album' },
      answer: { pages: 2 },
    },
  ],

  async run(input, { sharp, libpdf, out, progress }) {
    const { files, orientation, margin, fit, title, background, pageSize } = input
    const pages: ImagePage[] = []
    const warnings: Warning[] = []
    for (const [index, file] of files.entries()) {
      const image = await addIndexToProblem(index, () => sharp.describe(file.path, { stats: false, hashes: false }))
      const losses = warnOfFrames(image.frames)
      for (const { page, ...placement } of planImagePages(image, input)) {
        if (pages.length === MAX_PAGES) throw new Problem('TOO_MANY_PAGES', { limit: MAX_PAGES, index })
        const options = buildConvertOptions(image, { ...input, page })
        const { warnings: lost, ...asset } = placement.isEmbeddedAsIs
          ? { path: file.path, warnings: [] }
          : await addIndexToProblem(index, () => sharp.convert(file.path, options))
        losses.push(...lost)
        pages.push({ ...placement, asset })
      }
      warnings.push(...nameFile(losses, index, files.length))
      progress(index + 1, files.length, 'pictures')
    }
    const images = pages.map(({ orientation, dpi }) => ({ orientation, dpi }))
    const size = pageSize === 'auto' ? undefined : pageSizeOf(pageSize)
    const plan = { images, orientation, margin, fit, background, title, size }
    const assets = pages.map(({ asset }) => asset)
    const path = await libpdf.createFromImages(assets, { ...plan, to: out('pictures.pdf') })
    const output = { path, contentType: PDF, name: 'pictures.pdf' }
    return { result: { output, pages: pages.length }, units: files.length, warnings }
  },
})

interface ImagePage {
  asset: { path?: string; bytes?: Uint8Array }
  orientation: number
  dpi: number
}

/** Adds the index of the image to a problem, so that the caller knows which file failed. */
async function addIndexToProblem<Value>(index: number, action: () => Promise<Value>): Promise<Value> {
  try {
    return await action()
  } catch (error) {
    if (error instanceof Problem) throw new Problem(error.code, { ...error.hints, index })
    throw error
  }
}
