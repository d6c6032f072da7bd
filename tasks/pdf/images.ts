import { Type } from 'typebox'
import { Choice, define, FileManifest, FileOutput, type InputFile, PageRanges, perPage } from '#kit'
import { extractImages } from '../formats/embedded-images/extract.ts'
import {
  describePart,
  IMAGE_FORMATS,
  imageKeyOf,
  selectImages,
  warnOfUnreadable,
} from '../formats/embedded-images/selection.ts'
import { checkParts, packageParts, ZIP, zip } from '../formats/pdf/manifest.ts'
import { openPdf } from '../formats/pdf/opening.ts'
import { collectReadWarnings, PDF_ERRORS, PdfInput, password, selectPages } from './schema.ts'

const PART_FIELDS = {
  page: Type.Integer({ minimum: 1, description: 'Page of its first use.' }),
  occurrences: Type.Integer({ minimum: 1 }),
  width: Type.Integer({ minimum: 1 }),
  height: Type.Integer({ minimum: 1 }),
  dpi: Type.Integer({ minimum: 0, description: 'Pixels per inch at its first use.' }),
  colorSpace: Type.String({ description: 'gray, rgb, cmyk, icc, lab, indexed, separation, device-n or mask.' }),
}
const CONTENT_TYPES = Object.values(IMAGE_FORMATS).map(({ contentType }) => contentType)

export default define({
  summary: 'Extract the images of a PDF.',
  keywords: 'get the pictures out of a pdf, extract images, embedded pictures, photos inside, pull out, save graphics',
  description:
    'JPEG and JPEG 2000 are returned unchanged where they look the same as on the page; everything else, and images ' +
    'with transparency, become PNG. A scan stored in strips is returned as strips.',
  price: perPage(
    '0.001',
    ({ file, pages }: { file: InputFile; pages: string }) => selectPages(file, pages).length,
    'selected page',
  ),
  uses: ['qpdf', 'libpdf', 'poppler', 'pageRenderer', 'sharp', 'zip'],
  input: Type.Object({
    file: PdfInput(),
    pages: PageRanges({ default: 'all' }),
    format: Choice(['original', 'png', 'jpeg'], { default: 'original' }),
    minSide: Type.Integer({ default: 16, minimum: 1, maximum: 10_000, description: 'Smaller images are left out.' }),
    dedupe: Type.Boolean({ default: true, description: 'Return an image that is used several times only once.' }),
    zip,
    password,
  }),
  output: Type.Object({
    files: Type.Optional(FileManifest(CONTENT_TYPES, PART_FIELDS)),
    output: Type.Optional(FileOutput(ZIP)),
    parts: Type.Optional(Type.Array(Type.Object({ ...PART_FIELDS, name: Type.String(), contentType: Type.String() }))),
  }),
  errors: [...PDF_ERRORS, 'BAD_RANGE', 'OUTPUT_TOO_LARGE', 'TOO_MANY_OUTPUTS', 'TOO_MANY_PIXELS'],
  examples: [
    {
      title: 'The images of a leaflet',
      input: { file: 'sample:leaflet.pdf' },
      answer: {
        files: [
          { page: 1, occurrences: 2, width: 60, height: 40, contentType: 'image/jpeg', colorSpace: 'rgb' },
          { page: 1, contentType: 'image/png', colorSpace: 'rgb' },
        ],
      },
    },
  ],

  async run(input, tools) {
    const { file, format } = input
    const { qpdf, poppler, zip, out } = tools
    const path = await openPdf(file, { qpdf, password: input.password, to: out('opened.pdf') })
    const pages = selectPages(file, input.pages)
    const drawnImages = await poppler.listImages(path, { first: Math.min(...pages), last: Math.max(...pages) })
    const selected = selectImages(drawnImages, { ...input, pages })
    checkParts(selected.length, input.zip)
    const extracted = await extractImages(path, { selected, drawnImages, format }, tools)
    const readable = selected.filter(image => extracted.has(imageKeyOf(image)))
    const parts = readable.map((image, index) => describePart(image, extracted.get(imageKeyOf(image))!, index))
    const warnings = [...collectReadWarnings(file), ...warnOfUnreadable(selected.length - readable.length)]
    const result = await packageParts(parts, { zip, isZipped: input.zip, out, name: 'images.zip' })
    return { result, units: pages.length, warnings }
  },
})
