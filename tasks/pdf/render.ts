import { Type } from 'typebox'
import { Choice, define, FileManifest, FileOutput, PageRanges, perPage } from '#kit'
import { groupIntoBatches } from '../formats/pdf/batches.ts'
import { checkParts, packageParts, ZIP, zip } from '../formats/pdf/manifest.ts'
import { openPdf } from '../formats/pdf/opening.ts'
import {
  checkSize,
  describePart,
  IMAGE_FORMATS,
  isWhite,
  type PageImage,
  planPageImages,
  type RenderInput,
  toOutputFile,
} from './render/page-images.ts'
import { collectReadWarnings, PDF_ERRORS, PdfInput, password, selectPages } from './schema.ts'

const Side = Type.Optional(
  Type.Integer({ minimum: 1, maximum: 8000, description: 'Pixels; with both, the page fits into that box.' }),
)
const CONTENT_TYPES = Object.values(IMAGE_FORMATS).map(({ type }) => type)
const PART_FIELDS = {
  page: Type.Integer({ minimum: 1 }),
  width: Type.Integer({ minimum: 1 }),
  height: Type.Integer({ minimum: 1 }),
}

export default define({
  summary: 'Render pages of a PDF as images.',
  keywords:
    'pages as images, pages as pictures, pdf to image, pdf to png, pdf to jpg, preview, thumbnail, screenshot, rasterise, first page, pdf pages as png',
  converts: [{ from: 'pdf', to: 'image png jpg webp tiff' }],
  isFeatured: true,
  description:
    'Pages are rendered as a viewer displays them, with the default layers. A single page is also returned as `output`; ' +
    'with `multipage` all pages go into one TIFF.',
  price: perPage('0.002', ({ file, pages }: RenderInput) => selectPages(file, pages).length, 'selected page'),
  uses: ['qpdf', 'libpdf', 'pageRenderer', 'sharp', 'zip'],
  input: Type.Object({
    file: PdfInput(),
    pages: PageRanges({ default: '1' }),
    format: Choice(['png', 'jpeg', 'webp', 'tiff'], { default: 'png' }),
    dpi: Type.Optional(
      Type.Integer({ minimum: 36, maximum: 600, description: 'Default 150, unless a side is given.' }),
    ),
    width: Side,
    height: Side,
    quality: Type.Integer({ default: 85, minimum: 1, maximum: 100, description: 'For jpeg and webp.' }),
    background: Type.String({
      default: '#ffffff',
      pattern: '^(#([0-9a-fA-F]{3,4}|[0-9a-fA-F]{6}|[0-9a-fA-F]{8})|[a-zA-Z]{3,30})$',
      description: 'Page background: #rgb, #rrggbb, #rrggbbaa, a CSS name or transparent.',
    }),
    annotations: Type.Boolean({ default: true, description: 'Render notes, stamps and other annotations.' }),
    forms: Type.Boolean({ default: true, description: 'Render form fields with their values.' }),
    box: Choice(['crop', 'media'], { default: 'crop', description: 'The part that viewers show, or the whole sheet.' }),
    grayscale: Type.Boolean({ default: false }),
    multipage: Type.Boolean({ default: false, description: 'For tiff: all pages in one file.' }),
    zip,
    password,
  }),
  output: Type.Object({
    files: Type.Optional(FileManifest(CONTENT_TYPES, PART_FIELDS)),
    output: Type.Optional(FileOutput([...CONTENT_TYPES, ZIP])),
    parts: Type.Optional(Type.Array(Type.Object({ ...PART_FIELDS, name: Type.String(), contentType: Type.String() }))),
    pages: Type.Optional(Type.Integer({ minimum: 1, description: 'In a multipage file.' })),
  }),
  errors: [...PDF_ERRORS, 'BAD_RANGE', 'CONFLICTING_OPTIONS', 'INVALID_PARAM', 'TOO_MANY_OUTPUTS', 'TOO_MANY_PIXELS'],
  examples: [
    {
      title: 'The first page',
      input: { file: 'sample:letter.pdf', dpi: 72 },
      answer: { files: [{ page: 1, width: 595, height: 842 }], output: { contentType: 'image/png' } },
    },
    {
      title: 'Both pages as small images in a zip',
      input: { file: 'sample:letter.pdf', pages: 'all', format: 'jpeg', width: 200, zip: true },
      answer: { parts: [{ name: 'page-1.jpg', page: 1, width: 200 }, { page: 2 }] },
    },
  ],

  async run(input, { qpdf, libpdf, pageRenderer, sharp, zip, out, progress }) {
    const { file, format, quality, background, grayscale, box, annotations, forms } = input
    checkSize(input)
    if (!input.multipage) checkParts(selectPages(file, input.pages).length, input.zip)
    const path = await openPdf(file, { qpdf, password: input.password, to: out('opened.pdf') })
    const pageImages = planPageImages(input, await libpdf.readPageBoxes(path))
    const drawsEverything = annotations && forms
    const dropOptions = { fields: !forms, others: !annotations, to: out('bare.pdf') }
    const sourcePath = drawsEverything ? path : await libpdf.dropAnnotations(path, dropOptions)
    const files: ReturnType<typeof describePart>[] = []
    for (const batch of groupIntoBatches(pageImages)) {
      const renderings = await pageRenderer.render(sourcePath, batch, { box, isTransparent: !isWhite(background) })
      const encode = ({ page, dpi }: PageImage, index: number) => {
        const to = out(`page-${page}.${IMAGE_FORMATS[format].extension}`)
        return sharp.encodePage(renderings[index]!, { format, quality, background, grayscale, dpi, to })
      }
      const encoded = await Promise.all(batch.map(encode))
      await pageRenderer.discard(renderings)
      files.push(
        ...batch.map((pageImage, index) => describePart(pageImage, encoded[index]!, files.length + index, format)),
      )
      progress(files.length, pageImages.length, 'pages')
    }
    const warnings = collectReadWarnings(file)
    const units = files.length
    if (input.multipage) {
      const paths = files.map(part => part.path)
      const joined = await sharp.joinTiffPages(paths, { to: out('pages.tif') })
      const output = { path: joined, contentType: 'image/tiff', name: 'pages.tif' }
      return { result: { output, pages: units }, units, warnings }
    }
    const parts = await packageParts(files, { zip, isZipped: input.zip, out, name: 'pages.zip' })
    return {
      result: { ...parts, ...(!input.zip && units === 1 ? { output: toOutputFile(files[0]!) } : {}) },
      units,
      warnings,
    }
  },
})
