import { Type } from 'typebox'
import { define, FileInput, FileOutput, type InputFile, Secret, type Tools, type Warning } from '#kit'
import { decodeMarkup } from '../formats/markup/decode.ts'
import { limitPages } from '../formats/office/price.ts'
import { DEFAULT_LAYOUT } from '../formats/office/print.ts'
import { openPdf } from '../formats/pdf/opening.ts'
import { NO_TEXT_FOUND } from './schema.ts'
import { convertPages, countPrinted } from './to-markdown/pages.ts'
import { convertSheets } from './to-markdown/sheets.ts'
import { countPrintedUnits, detectSource, FORMATS, PRICE } from './to-markdown/source.ts'

const MARKDOWN = 'text/markdown'

export default define({
  summary: 'Convert any document to Markdown: PDF, office file, e-book, table or page.',
  keywords:
    'docx to md, word to markdown, pptx to markdown, excel to markdown table, doc, rtf, slides, llm, rag, any file to md, powerpoint to text, speaker notes of slides',
  converts: [{ from: 'pdf docx pptx xlsx odt epub rtf csv', to: 'markdown' }],
  description:
    `Reads ${FORMATS.join(', ')}, found by content. Pandoc reads markup, LibreOffice prints older office files, whose ` +
    'pages are read as those of a PDF, and sheets become tables. Of docx, pptx and xlsx, pictures, charts, text boxes, ' +
    'headers, footers, comments and hidden text are left out; pages without text are listed in needsOcr.',
  price: PRICE,
  uses: ['libpdf', 'libreoffice', 'pandoc', 'pdfMarkdown', 'poppler', 'qpdf', 'duckdb'],
  optional: ['libreoffice'],
  input: Type.Object({
    file: FileInput({
      probe: 'pdf-or-other',
      named: true,
      description:
        'The document. A text whose lines look like a table is read as CSV, unless its name ends in .md or .txt.',
    }),
    password: Type.Optional(
      Secret({ maxLength: 127, description: 'Password that opens an encrypted PDF or Office document.' }),
    ),
  }),
  output: Type.Object({
    output: FileOutput(MARKDOWN),
    format: Type.String({ description: 'What the document was read as.' }),
    pages: Type.Optional(Type.Integer({ minimum: 1, description: 'Of a PDF, or as printed.' })),
    needsOcr: Type.Optional(Type.Array(Type.Integer({ minimum: 1 }), { description: 'Pages without text.' })),
  }),
  errors: [
    ...(['UNSUPPORTED_FORMAT', 'DOC_PARSE_FAILED', 'DOC_ENCRYPTED', 'ENCODING_INVALID', 'INPUT_EMPTY'] as const),
    ...(['PDF_PARSE_FAILED', 'PDF_PASSWORD_REQUIRED', 'PDF_PASSWORD_INCORRECT', 'TOO_MANY_PAGES'] as const),
    ...(['OFFICE_PARSE_FAILED', 'OFFICE_PASSWORD_REQUIRED', 'OFFICE_PASSWORD_INCORRECT'] as const),
    ...(['CSV_PARSE_FAILED', 'XLSX_PARSE_FAILED', 'XLSX_ENCRYPTED', 'NOT_TABULAR', 'RAGGED_ROW'] as const),
    ...([
      'TOO_MANY_ROWS',
      'TOO_MANY_COLUMNS',
      'OUTPUT_TOO_LARGE',
      'PROVIDER_UNAVAILABLE',
      'PROVIDER_NOT_CONFIGURED',
    ] as const),
    ...(['TIME_LIMIT_EXCEEDED', 'MEMORY_LIMIT_EXCEEDED', 'SANDBOX_UNAVAILABLE'] as const),
  ],
  examples: [
    { title: 'A Word document', input: { file: 'sample:log-book.docx' }, answer: { format: 'docx' } },
    { title: 'A PDF', input: { file: 'sample:letter.pdf' }, answer: { format: 'pdf', pages: 2, needsOcr: [] } },
    { title: 'A workbook', input: { file: 'sample:people.xlsx' }, answer: { format: 'xlsx' } },
    {
      title: 'Rich text',
      input: { file: { text: '{\\rtf1\\ansi {\\b Tide}\\par Low at six.\\par}' } },
      answer: { format: 'rtf', pages: 1 },
    },
  ],

  async run({ file, password }, tools) {
    const source = await detectSource(file)
    const { format } = source
    const read = await readSource(source, file, password, tools)
    const { pages, needsOcr, units, warnings = [] } = read
    const content = 'path' in read ? { path: read.path } : { bytes: Buffer.from(`${read.markdown.trimEnd()}\n`) }
    const isBlank = 'markdown' in read && read.markdown.trim() === ''
    return {
      result: { output: { ...content, contentType: MARKDOWN, name: 'document.md' }, format, pages, needsOcr },
      warnings: isBlank ? [...warnings, NO_TEXT_FOUND] : warnings,
      units,
    }
  },
})

type ReadTools = Pick<Tools, 'libpdf' | 'libreoffice' | 'pandoc' | 'pdfMarkdown' | 'poppler' | 'qpdf' | 'duckdb'> & {
  out(name: string): string
}

type Reading = ({ markdown: string } | { path: string }) & {
  pages?: number
  needsOcr?: number[]
  units?: number
  warnings?: Warning[]
}

async function readSource(
  { reader, format }: Awaited<ReturnType<typeof detectSource>>,
  file: InputFile,
  password: string | undefined,
  tools: ReadTools,
): Promise<Reading> {
  if (reader === 'none') return { markdown: decodeMarkup(await file.bytes(), false) }
  if (reader === 'tables')
    return { ...(await convertSheets(file, format, tools)), units: format === 'xls' ? 1 : undefined }
  if (reader === 'poppler') {
    const path = await openPdf(file, { qpdf: tools.qpdf, password, to: tools.out('opened.pdf') })
    return convertPages(path, file.facts.pages ?? 1, tools)
  }
  if (reader === 'libreoffice') {
    const options = { ...DEFAULT_LAYOUT, pdfua: false }
    const { path } = await tools.libreoffice.print({ path: file.path }, { extension: format, password, options })
    const pages = await countPrinted(path, limitPages({ file }), tools)
    return { ...(await convertPages(path, pages, tools)), units: countPrintedUnits(pages) }
  }
  const settings = { standalone: false, wrap: 'none' }
  const request = { from: format, to: 'gfm', settings, media: 'drop', resources: [], name: 'document.md' } as const
  const { path, warnings } = await tools.pandoc.convert({ path: file.path }, [], request)
  return { path, warnings }
}
