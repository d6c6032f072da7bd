import { Type } from 'typebox'
import { Choice, define, FileOutput, type InputFile, PageRanges, Problem, perPage } from '#kit'
import { checkOcrPages, selectDocumentPages } from '../formats/ocr/pages.ts'
import { collectPages } from './analyze-async/document.ts'
import { analyzePage, type Feature, pricePage } from './analyze-async/features.ts'
import { openOnce } from './analyze-async/open.ts'
import { analyzePages, PAGE_SECONDS } from './analyze-async/pages.ts'
import { BlockFields, DocumentInput, FieldFields, PAGE_ERRORS, pageFields, TableFields } from './schema.ts'

const JSON_TYPE = 'application/json'
/** A longer result is a file. */
const MAX_INLINE_CHARACTERS = 2 ** 20
const LIMIT_SECONDS = 3600

const Page = Type.Integer({ minimum: 1 })
const Heading = Type.Object({ level: Type.Integer({ minimum: 1, maximum: 6 }), text: Type.String(), page: Page })
const { box: _, ...tableFacts } = TableFields

export default define({
  summary: 'Analyse a document of many pages.',
  keywords: 'document ai, long pdf, batch ocr, whole document, all pages, textract, background job, document analysis',
  description:
    'Answers with a ticket at once. Every page is saved as soon as it is done: if a worker dies, the next one goes on ' +
    'with the page it had begun. A page that cannot be read is reported and costs nothing; the others are complete. ' +
    'A result of more than a megabyte is a JSON file in `output`; `pages` then only tells how each page went.',
  price: {
    ...perPage(
      '0.001',
      ({ file, pages, features }: { file: InputFile; pages: string; features: Feature[] }) =>
        selectDocumentPages(file, pages).length * pricePage(features),
      'page credit',
    ),
    note: 'A page takes 3 credits for text, 8 for layout or Markdown or both, 20 for tables and 40 for forms.',
  },
  uses: ['pageRenderer', 'pdfEditor', 'poppler', 'qpdf', 'savedParts', 'sharp', 'tesseract', 'timeLimit'],
  wait: 'ticket',
  limitSeconds: LIMIT_SECONDS,
  input: Type.Object({
    file: DocumentInput('A PDF, or an image; the frames of a TIFF are its pages.'),
    pages: PageRanges({ default: 'all' }),
    features: Type.Array(Choice(['text', 'layout', 'markdown', 'tables', 'forms']), {
      minItems: 1,
      maxItems: 5,
      uniqueItems: true,
      description: 'What to find on each page.',
    }),
    mergeTables: Type.Boolean({
      default: true,
      description: 'Join a table that goes on over the next page, without its repeated headings, in `tables`.',
    }),
    languages: pageFields.languages,
    password: pageFields.password,
  }),
  output: Type.Object({
    pageCount: Page,
    pages: Type.Array(
      Type.Object({
        page: Page,
        status: Choice(['ok', 'failed']),
        error: Type.Optional(Type.Object({ code: Type.String(), message: Type.String() })),
        source: Type.Optional(Choice(['text-layer', 'ocr'])),
        text: Type.Optional(Type.String()),
        blocks: Type.Optional(Type.Array(Type.Object(BlockFields))),
        markdown: Type.Optional(Type.String()),
        headings: Type.Optional(Type.Array(Heading)),
        tables: Type.Optional(Type.Array(Type.Object(TableFields))),
        fields: Type.Optional(Type.Array(Type.Object(FieldFields))),
      }),
    ),
    markdown: Type.Optional(Type.String()),
    headings: Type.Optional(Type.Array(Heading)),
    tables: Type.Optional(Type.Array(Type.Object({ pages: Type.Array(Page), ...tableFacts }))),
    engine: Choice(['local']),
    output: Type.Optional(FileOutput(JSON_TYPE)),
  }),
  errors: [...PAGE_ERRORS, 'INTERNAL'],
  examples: [
    { title: 'The Markdown of a report', input: { file: 'sample:letter.pdf', features: ['markdown'] } },
    { title: 'Tables of a price list', input: { file: 'sample:price-list.pdf', features: ['tables', 'text'] } },
  ],

  async run(input, tools) {
    const { features, languages, mergeTables } = input
    const pages = selectDocumentPages(input.file, input.pages).sort((a, b) => a - b)
    checkOcrPages(pages)
    const file = await openOnce(input.file, input.password, tools)
    const analyze = (page: number) =>
      tools.timeLimit.run(PAGE_SECONDS, () => analyzePage({ file, page, features, languages }, tools))
    await analyzePages({ pages, signal: tools.signal, progress: tools.progress, analyze }, tools.savedParts)
    const found = await collectPages(pages, tools.savedParts, mergeTables)
    const succeeded = found.summaries.filter(({ status }) => status === 'ok')
    const failure = found.summaries[0]!.error
    if (succeeded.length === 0 && failure) throw new Problem(failure.code as 'PDF_PARSE_FAILED')
    const whole = {
      pageCount: pages.length,
      engine: 'local' as const,
      ...(features.includes('markdown') && { markdown: found.markdown.join('\n\n') }),
      ...(found.headings.length > 0 && { headings: found.headings }),
      ...(features.includes('tables') && mergeTables && { tables: found.tables }),
    }
    const units = succeeded.length * pricePage(features)
    const json = `${JSON.stringify(whole).slice(0, -1)},"pages":[${found.pages.join(',')}]}`
    if (json.length <= MAX_INLINE_CHARACTERS) return { result: JSON.parse(json), units }
    const output = { bytes: Buffer.from(json), contentType: JSON_TYPE, name: 'analysis.json' }
    return { result: { pageCount: pages.length, pages: found.summaries, engine: 'local' as const, output }, units }
  },
})
