import { Type } from 'typebox'
import { define, FileInput, FileOutput, PageRanges, Problem } from '#kit'
import { classifyOffice, type OfficeFormat } from '../formats/office/classify.ts'
import { countExtraPages, limitPages, MAX_PAGES_DESCRIPTION, perPrintedPage } from '../formats/office/price.ts'
import { describePrinted, readPlain, warnOfPrint } from '../formats/office/print.ts'
import { officePassword, PrintedFonts } from '../formats/office/schema.ts'
import { checkArchival } from '../formats/pdf/archival.ts'
import { officeFields } from './from-office/options.ts'
import { PDF } from './schema.ts'

/** Formats of today; older ones are for office/rescue. */
const EXTENSIONS = [
  ...['docx', 'xlsx', 'pptx', 'doc', 'xls', 'ppt', 'odt', 'ods', 'odp', 'ott', 'ots', 'otp', 'odg', 'rtf', 'csv'],
  'txt',
]

export default define({
  summary: 'Print an Office document as a PDF.',
  keywords:
    'word file to pdf, word to pdf, docx to pdf, excel to pdf, xlsx, powerpoint to pdf, pptx, odt, rtf, csv, spreadsheet, slides, libreoffice, pdf/a, archival pdf, pdf/ua',
  converts: [{ from: 'docx xlsx pptx odt ods odp rtf', to: 'pdf' }],
  isFeatured: true,
  description:
    'Read by LibreOffice: docx, xlsx, pptx with their macro and template variants, doc, xls, ppt, OpenDocument, RTF, CSV ' +
    'and text, whatever the file is called. It takes no PDF; pdf.to-pdfa makes PDF/A of one. Macros never run, and linked content is never fetched. `fonts` tells which ' +
    'fonts of the document are not installed and what was used instead.',
  price: perPrintedPage('0.01'),
  uses: ['libreoffice', 'libpdf', 'qpdf'],
  input: Type.Object({
    file: FileInput({ description: 'The document.' }),
    password: officePassword,
    pages: Type.Optional(PageRanges({ description: 'The pages to keep, of those that are printed; default: all.' })),
    ...officeFields,
    maxPages: Type.Optional(Type.Integer({ minimum: 1, maximum: 2000, description: MAX_PAGES_DESCRIPTION })),
  }),
  output: Type.Object({
    output: FileOutput(PDF),
    pages: Type.Integer({ minimum: 1 }),
    fonts: PrintedFonts,
    conformance: Type.Optional(Type.Literal('claimed', { description: 'The file says that it is PDF/A or PDF/UA.' })),
  }),
  errors: [
    'OFFICE_PARSE_FAILED',
    'OFFICE_PASSWORD_REQUIRED',
    'OFFICE_PASSWORD_INCORRECT',
    'UNSUPPORTED_FORMAT',
    'SHEET_NOT_FOUND',
    'TOO_MANY_PAGES',
    'BAD_RANGE',
    'CONFLICTING_OPTIONS',
    'OUTPUT_TOO_LARGE',
    'PDF_PARSE_FAILED',
    'PDFA_NOT_REACHED',
    'PROVIDER_UNAVAILABLE',
    'TIME_LIMIT_EXCEEDED',
    'MEMORY_LIMIT_EXCEEDED',
    'SANDBOX_UNAVAILABLE',
  ],
  examples: [
    { title: 'A Word document', input: { file: 'sample:log-book.docx' }, answer: { pages: 1 } },
    {
      title: 'A table on A4, lying',
      input: { file: { text: 'Hour,Wind\n6,NW\n12,N\n' }, paper: 'a4', landscape: true },
      answer: { pages: 1 },
    },
  ],

  async run(input, { libreoffice, libpdf, qpdf, out }) {
    const { file, password, pages: range, maxPages: _, ...options } = input
    if (options.pdfa && options.pdfua) throw new Problem('CONFLICTING_OPTIONS', { fields: ['pdfa', 'pdfua'] })
    const bytes = Buffer.from(await file.bytes())
    const format = requireFormat(bytes, file.type)
    const plain = format.isPlain && readPlain(bytes, format)
    const source = plain ? { text: plain.text } : { path: file.path }
    const printed = await libreoffice.print(source, {
      extension: format.extension,
      filter: plain?.filter,
      filterOptions: plain?.filterOptions,
      password,
      options: { ...options, isPlainTable: format.isPlain === 'table' },
    })
    const selection = { pages: range, limit: limitPages(input), to: out('selected.pdf') }
    const { path, pages, fonts } = await describePrinted(printed, selection, { libpdf, qpdf })
    if (options.pdfa) await checkArchival(path, options.pdfa, { libpdf })
    const output = { path, contentType: PDF, name: 'document.pdf' }
    const claims = options.pdfa || options.pdfua ? { conformance: 'claimed' as const } : {}
    const warnings = warnOfPrint(fonts.substituted, printed)
    return { result: { output, pages, fonts, ...claims }, units: countExtraPages(pages), warnings }
  },
})

function requireFormat(bytes: Buffer, type: string): OfficeFormat {
  const format = classifyOffice(bytes)
  if (format && EXTENSIONS.includes(format.extension)) return format
  const next = format && (format.extension === 'eml' ? '/v1/text/email' : '/v1/office/rescue')
  const hint = next && format.extension !== 'html' ? { try: next } : {}
  throw new Problem('UNSUPPORTED_FORMAT', { detected: format?.extension ?? type, supported: EXTENSIONS, ...hint })
}
