import { Type } from 'typebox'
import { Choice, define, type InputFile, PageRanges, perPage } from '#kit'
import { resolveLanguages } from '../formats/ocr/languages.ts'
import { ocrFields, ScanInput, toReadOptions } from '../formats/ocr/options.ts'
import { checkOcrPages, findTextPages, openDocument, readPages, selectDocumentPages } from '../formats/ocr/pages.ts'
import { describePage, toReading } from './ocr/results.ts'
import { collectReadWarnings, PDF_ERRORS, password } from './schema.ts'

const LIMIT_SECONDS = 900

const TextBox = Type.Object({
  text: Type.String(),
  confidence: Type.Number({ minimum: 0, maximum: 100 }),
  box: Type.Array(Type.Number(), { minItems: 4, maxItems: 4, description: 'Left, top, right, bottom.' }),
})

export default define({
  summary: 'Read the text of scanned pages of a PDF (OCR).',
  keywords:
    'scan to text, recognise, scanned document, text recognition, tesseract, hocr, photographed pages, scanned pdf to text, straighten a crooked scan',
  isFeatured: true,
  description:
    'Uses Tesseract. Pages that have text of their own are not recognized again in mode `auto`. Boxes are in points from ' +
    'the top left corner of the page as displayed. A blank page has the text "".',
  price: perPage(
    '0.005',
    ({ file, pages }: { file: InputFile; pages: string }) => selectDocumentPages(file, pages).length,
  ),
  uses: ['qpdf', 'libpdf', 'poppler', 'pageRenderer', 'tesseract', 'sharp'],
  limitSeconds: LIMIT_SECONDS,
  input: Type.Object({
    file: ScanInput(),
    pages: PageRanges({ default: 'all' }),
    ...ocrFields,
    mode: Choice(['auto', 'force'], { default: 'auto', description: '`force` also recognizes pages with text.' }),
    detail: Choice(['text', 'lines', 'words', 'hocr'], {
      default: 'text',
      description: '`lines` and `words` come with their boxes, `hocr` is HTML with both.',
    }),
    password,
  }),
  output: Type.Object({
    text: Type.String(),
    pages: Type.Array(
      Type.Object({
        page: Type.Integer({ minimum: 1 }),
        text: Type.String(),
        confidence: Type.Number({ minimum: 0, maximum: 100 }),
        source: Choice(['ocr', 'text-layer']),
        rotation: Type.Integer({ description: 'Degrees the page was turned clockwise to read it.' }),
        lines: Type.Optional(Type.Array(TextBox)),
        words: Type.Optional(Type.Array(TextBox)),
        hocr: Type.Optional(Type.String()),
      }),
    ),
    languages: Type.Array(Type.String()),
  }),
  errors: [
    ...PDF_ERRORS,
    'BAD_RANGE',
    'IMAGE_DECODE_FAILED',
    'LANGUAGE_UNSUPPORTED',
    'OUTPUT_TOO_LARGE',
    'TOO_MANY_PIXELS',
  ],
  examples: [
    {
      title: 'A scanned letter',
      input: { file: 'sample:scan.pdf' },
      answer: { pages: [{ page: 1, source: 'ocr', rotation: 0 }], languages: ['eng'] },
    },
    {
      title: 'The words of an image with their boxes',
      input: { file: 'sample:sign.png', languages: ['en'], detail: 'words' },
      answer: { text: 'MIND THE GAP' },
    },
  ],

  async run(input, tools) {
    const { file, detail, mode } = input
    const pages = selectDocumentPages(file, input.pages)
    checkOcrPages(pages)
    const languages = resolveLanguages(input.languages, await tools.tesseract.listLanguages())
    const path = await openDocument(file, { ...tools, password: input.password })
    const textPages = mode === 'auto' ? await findTextPages(path, pages, tools) : new Map()
    const scans = pages.filter(page => !textPages.has(page))
    const readings = await readPages(path, scans, toReadOptions(input, languages), tools)
    const results = pages.map(page => {
      const textPage = textPages.get(page)
      return textPage
        ? describePage(page, 'text-layer', toReading(textPage), detail)
        : describePage(page, 'ocr', readings.get(page)!, detail)
    })
    const text = results.map(result => result.text).join('\f')
    return { result: { text, pages: results, languages }, units: pages.length, warnings: collectReadWarnings(file) }
  },
})
