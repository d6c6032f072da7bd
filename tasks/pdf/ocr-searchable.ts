import { Type } from 'typebox'
import { Choice, define, FileOutput, PageRanges } from '#kit'
import { resolveLanguages } from '../formats/ocr/languages.ts'
import { ocrFields, ScanInput, toReadOptions } from '../formats/ocr/options.ts'
import {
  checkOcrPages,
  countDocumentPages,
  findTextPages,
  openDocument,
  readPages,
  selectDocumentPages,
} from '../formats/ocr/pages.ts'
import { computeUnits, flattenPages, meanConfidence, RERENDERED, SEARCHABLE_PRICE } from './ocr-searchable/summary.ts'
import {
  allowBreakSignatures,
  collectRewriteWarnings,
  isSigned,
  PDF,
  PDF_ERRORS,
  password,
  rejectIfSigned,
  removeSignatures,
} from './schema.ts'

const LIMIT_SECONDS = 900

export default define({
  summary: 'Make scanned pages of a PDF searchable.',
  keywords:
    'ocr, text layer, searchable pdf, scan, select text, selectable text, scanned image to pdf with text, copy text from scan, recognise, sandwich, straighten a crooked scan',
  description:
    'Uses Tesseract. Puts an invisible layer of the recognized words under the scan; what the pages draw, links, bookmarks ' +
    'and fields are not touched. Pages with text of their own are skipped for an eighth of the price.',
  price: SEARCHABLE_PRICE,
  uses: ['qpdf', 'libpdf', 'poppler', 'pageRenderer', 'pageSnapshots', 'tesseract', 'sharp'],
  limitSeconds: LIMIT_SECONDS,
  input: Type.Object({
    file: ScanInput(),
    pages: PageRanges({ default: 'all' }),
    ...ocrFields,
    mode: Choice(['skip-text', 'redo', 'force'], {
      default: 'skip-text',
      description: '`redo` replaces invisible text of an earlier OCR; `force` turns every page into an image first.',
    }),
    sidecar: Type.Boolean({ default: false, description: 'Also return the recognized text.' }),
    password,
    allowBreakSignatures,
  }),
  output: Type.Object({
    output: FileOutput(PDF),
    pages: Type.Integer({ minimum: 1 }),
    ocrPages: Type.Integer({ minimum: 0 }),
    skippedPages: Type.Integer({ minimum: 0 }),
    confidence: Type.Number({ minimum: 0, maximum: 100, description: 'Mean of the recognized pages.' }),
    sidecarText: Type.Optional(Type.String()),
    languages: Type.Array(Type.String()),
  }),
  errors: [
    ...PDF_ERRORS,
    'BAD_RANGE',
    'IMAGE_DECODE_FAILED',
    'LANGUAGE_UNSUPPORTED',
    'OUTPUT_TOO_LARGE',
    'PDF_SIGNED',
    'TOO_MANY_PIXELS',
  ],
  examples: [
    {
      title: 'A scanned letter',
      input: { file: 'sample:scan.pdf', sidecar: true },
      answer: { pages: 1, ocrPages: 1, skippedPages: 0 },
    },
    {
      title: 'A document that is searchable already',
      input: { file: 'sample:letter.pdf' },
      answer: { pages: 2, ocrPages: 0, skippedPages: 2 },
    },
  ],

  async run(input, tools) {
    const { file, mode } = input
    const { libpdf, qpdf, out } = tools
    rejectIfSigned(file, input.allowBreakSignatures)
    const pages = selectDocumentPages(file, input.pages)
    checkOcrPages(pages)
    const languages = resolveLanguages(input.languages, await tools.tesseract.listLanguages())
    const opened = await openDocument(file, { ...tools, password: input.password })
    const bare = mode === 'redo' ? await libpdf.removeTextLayer(opened, { pages, to: out('bare.pdf') }) : opened
    const textPages = mode === 'force' ? new Map<number, unknown>() : await findTextPages(bare, pages, tools)
    const scans = pages.filter(page => !textPages.has(page))
    const counts = {
      pages: countDocumentPages(file),
      ocrPages: scans.length,
      skippedPages: pages.length - scans.length,
    }
    const units = computeUnits(counts)
    if (scans.length === 0 && opened === file.path && !isSigned(file)) {
      const output = { path: file.path, contentType: PDF, name: 'searchable.pdf' }
      return {
        result: { output, ...counts, confidence: 0, languages, ...(input.sidecar && { sidecarText: '' }) },
        units,
      }
    }
    const clean = mode === 'redo' ? bare : await libpdf.removeTextLayer(bare, { pages: scans, to: out('bare.pdf') })
    const readings = await readPages(clean, scans, toReadOptions(input, languages), tools)
    const unsigned = await removeSignatures(file, clean, { libpdf, to: out('unsigned.pdf') })
    const flat = mode === 'force' ? await flattenPages(unsigned, scans, tools) : unsigned
    const layers = scans.map(page => ({ page, words: readings.get(page)!.lines.flatMap(({ words }) => words) }))
    const layered = await libpdf.addTextLayer(flat, { pages: layers, to: out('layered.pdf') })
    const path = await qpdf.rewrite(layered, { to: out('searchable.pdf'), keepsForm: true })
    const texts = scans.map(page => readings.get(page)!)
    const result = {
      ...{ output: { path, contentType: PDF, name: 'searchable.pdf' }, ...counts, languages },
      confidence: meanConfidence(texts),
      ...(input.sidecar && { sidecarText: texts.map(({ text }) => text).join('\f') }),
    }
    return { result, units, warnings: [...collectRewriteWarnings(file), ...(mode === 'force' ? [RERENDERED] : [])] }
  },
})
