import { Type } from 'typebox'
import { Choice, define, FileManifest, FileOutput, PageRanges, perPage } from '#kit'
import {
  batchesOf,
  checkSize,
  fileOf,
  IMAGE_FORMATS,
  isWhite,
  type Picture,
  pagesToDraw,
  partOf,
  picturesOf,
  type RenderInput,
} from './drawing-shape.ts'
import { opened } from './open-shape.ts'
import { checkParts, parcelOf, ZIP, zip } from './parcel-shape.ts'
import { PDF_ERRORS, PdfInput, password, warningsOf } from './shape.ts'

const Side = Type.Optional(
  Type.Integer({ minimum: 1, maximum: 8000, description: 'Pixels; of both, the page fits in.' }),
)
const TYPES = Object.values(IMAGE_FORMATS).map(({ type }) => type)
const FACTS = {
  page: Type.Integer({ minimum: 1 }),
  width: Type.Integer({ minimum: 1 }),
  height: Type.Integer({ minimum: 1 }),
}

export default define({
  summary: 'Draw pages of a PDF as pictures.',
  description:
    'Pages stand upright as a reader shows them, layers as they are by default. One page alone is the `output` too; ' +
    'TIFF holds all pages in one file where `multipage` asks for it.',
  price: perPage('0.002', (input: RenderInput) => pagesToDraw(input).length),
  uses: ['qpdf', 'libpdf', 'pagePicture', 'sharp', 'zip'],
  input: Type.Object({
    file: PdfInput(),
    pages: PageRanges({ default: '1' }),
    format: Choice(['png', 'jpeg', 'webp', 'tiff'], { default: 'png' }),
    dpi: Type.Optional(Type.Integer({ minimum: 36, maximum: 600, description: '150 where no side is given either.' })),
    width: Side,
    height: Side,
    quality: Type.Integer({ default: 85, minimum: 1, maximum: 100, description: 'Of jpeg and webp.' }),
    background: Type.String({
      default: '#ffffff',
      pattern: '^(#([0-9a-fA-F]{3,4}|[0-9a-fA-F]{6}|[0-9a-fA-F]{8})|[a-zA-Z]{3,30})$',
      description: 'Of the paper: #rgb, #rrggbb, #rrggbbaa, a CSS name or transparent.',
    }),
    annotations: Type.Boolean({ default: true, description: 'Draw notes, stamps and the like.' }),
    forms: Type.Boolean({ default: true, description: 'Draw form fields with what is filled in.' }),
    box: Choice(['crop', 'media'], { default: 'crop', description: 'What readers show, or the whole paper.' }),
    grayscale: Type.Boolean({ default: false }),
    multipage: Type.Boolean({ default: false, description: 'Of tiff: all pages in one file.' }),
    zip,
    password,
  }),
  output: Type.Object({
    files: Type.Optional(FileManifest(TYPES, FACTS)),
    output: Type.Optional(FileOutput([...TYPES, ZIP])),
    parts: Type.Optional(Type.Array(Type.Object({ ...FACTS, name: Type.String(), contentType: Type.String() }))),
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
      title: 'Both pages as small pictures in a zip',
      input: { file: 'sample:letter.pdf', pages: 'all', format: 'jpeg', width: 200, zip: true },
      answer: { parts: [{ name: 'page-1.jpg', page: 1, width: 200 }, { page: 2 }] },
    },
  ],

  async run(input, { qpdf, libpdf, pagePicture, sharp, zip, out, progress }) {
    const { file, format, quality, background, grayscale, box, annotations, forms } = input
    checkSize(input)
    const wanted = pagesToDraw(input)
    if (!input.multipage) checkParts(wanted.length, input.zip)
    const path = await opened(file, { qpdf, password: input.password, to: out('opened.pdf') })
    const pictures = picturesOf(input, await libpdf.sheets(path))
    const isBare = annotations && forms
    const bare = { fields: !forms, others: !annotations, to: out('bare.pdf') }
    const drawn = isBare ? path : await libpdf.dropAnnotations(path, bare)
    const files: ReturnType<typeof partOf>[] = []
    for (const batch of batchesOf(pictures)) {
      const papers = await pagePicture.draw(drawn, batch, { box, isTransparent: !isWhite(background) })
      const encode = ({ page, dpi }: Picture, index: number) => {
        const how = { format, quality, background, grayscale, dpi }
        return sharp.encodePage(papers[index]!, { ...how, to: out(`page-${page}.${IMAGE_FORMATS[format].ending}`) })
      }
      const made = await Promise.all(batch.map(encode))
      await pagePicture.forget(papers)
      files.push(...batch.map((picture, index) => partOf(picture, made[index]!, files.length + index, format)))
      progress(files.length, pictures.length, 'pages')
    }
    const warnings = warningsOf([file]).filter(({ code }) => code !== 'ENCRYPTION_REMOVED')
    const units = files.length
    if (input.multipage) {
      const paths = files.map(part => part.path)
      const joined = await sharp.joinPages(paths, { to: out('pages.tif') })
      const output = { path: joined, contentType: 'image/tiff', name: 'pages.tif' }
      return { result: { output, pages: units }, units, warnings }
    }
    const parcel = await parcelOf(files, { zip, isZipped: input.zip, out, name: 'pages.zip' })
    return {
      result: { ...parcel, ...(!input.zip && units === 1 ? { output: fileOf(files[0]!) } : {}) },
      units,
      warnings,
    }
  },
})
