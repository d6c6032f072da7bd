import { Type } from 'typebox'
import { Choice, define, FileInput, FileOutput, PageRanges, Problem } from '#kit'
import { countExtraPages, limitPages, MAX_PAGES_DESCRIPTION, perPrintedPage } from '../formats/office/price.ts'
import { DEFAULT_LAYOUT, describePrinted, readPlain, warnOfPrint } from '../formats/office/print.ts'
import { officePassword, PrintedFonts } from '../formats/office/schema.ts'
import { checkArchival } from '../formats/pdf/archival.ts'
import { type Attempt, firstThatWorks } from './rescue/attempts.ts'
import { findFormat, OFFICE_ERRORS, RESCUE_ENCODINGS, rateFidelity } from './rescue/formats.ts'

const PDF = 'application/pdf'
/** With fewer letters, there is nothing to print. */
const MIN_SALVAGED_LETTERS = 20
const NO_TEXT = { text: undefined }
const LAYOUT_LOST = { code: 'LAYOUT_LOST', message: 'Only the text could be read; its layout is lost.' }
const PLAIN_TEXT = { extension: 'txt', filter: 'Text (encoded)', filterOptions: 'UTF8,LF,,,' }

export default define({
  summary: 'Print a legacy, exotic or damaged office file as a PDF.',
  keywords:
    'wordperfect, works, lotus, quattro, old word, visio, publisher, corel, dbase, repair docx, corrupt word file, broken document',
  description:
    'Finds the format by the content, whatever the file is called, takes off MacBinary wrappers, rebuilds packages that ' +
    'were cut off, and, if the layout cannot be read, prints the text that is left. An empty page is never a success.',
  price: perPrintedPage('0.015'),
  uses: ['libreoffice', 'libpdf', 'officeSalvage', 'pageRenderer', 'poppler', 'qpdf', 'unzip'],
  input: Type.Object({
    file: FileInput({ description: 'The document.' }),
    formatHint: Type.Optional(
      Type.String({
        pattern: '^[A-Za-z0-9]{1,8}$',
        description: 'Extension of the format, if its content does not tell.',
      }),
    ),
    password: officePassword,
    encoding: Choice(['auto', ...RESCUE_ENCODINGS], { default: 'auto', description: 'Of plain text and tables.' }),
    pages: Type.Optional(PageRanges({ description: 'The pages to keep, of those that are printed; default: all.' })),
    strategy: Choice(['auto', 'layout', 'text'], {
      default: 'auto',
      description: '`layout` never falls back to plain text; `text` prints only the text.',
    }),
    pdfa: Type.Optional(
      Choice(['1b', '2b', '3b'], { description: 'Write PDF/A of this level; nothing validates it.' }),
    ),
    maxPages: Type.Optional(Type.Integer({ minimum: 1, maximum: 2000, description: MAX_PAGES_DESCRIPTION })),
  }),
  output: Type.Object({
    output: FileOutput(PDF),
    detectedFormat: Type.String(),
    filter: Type.String({ description: "LibreOffice's name of what read it." }),
    fidelity: Choice(['high', 'medium', 'text-only']),
    pages: Type.Integer({ minimum: 1 }),
    fonts: PrintedFonts,
  }),
  errors: [...OFFICE_ERRORS, 'PDFA_NOT_REACHED', 'PROVIDER_UNAVAILABLE'],
  examples: [{ title: 'A SYLK table', input: { file: { text: 'ID;PX\nC;Y1;X1;K"Lamp"\nE\n' } }, answer: { pages: 1 } }],

  async run(input, { libreoffice, libpdf, officeSalvage, pageRenderer, poppler, qpdf, unzip, out }) {
    const { file, password, encoding, strategy, pdfa } = input
    const { path, format: found } = await officeSalvage.unwrap(file.path)
    const format = found ?? findFormat(input.formatHint, file.type)
    const options = { ...DEFAULT_LAYOUT, pdfa, pdfua: false }
    const attempts: Attempt[] = []
    if (strategy !== 'text') {
      attempts.push(printPreview, printLayout)
      if (format.isPackage) attempts.push(printRebuilt)
    }
    if (strategy !== 'layout') attempts.push(printText)
    const { printed, fidelity } = await firstThatWorks(attempts)
    const selection = { pages: input.pages, limit: limitPages(input), to: out('selected.pdf') }
    const { path: pdf, pages, fonts } = await describePrinted(printed, selection, { libpdf, qpdf })
    if (pdfa) await checkArchival(pdf, pdfa, { libpdf })
    const output = { path: pdf, contentType: PDF, name: 'document.pdf' }
    const warnings = [...warnOfPrint(fonts.substituted, printed), ...(fidelity === 'text-only' ? [LAYOUT_LOST] : [])]
    const result = { output, detectedFormat: format.extension, filter: printed.filter, fidelity, pages, fonts }
    return { result, units: countExtraPages(pages), warnings }

    /** What an iWork package shows of itself, where LibreOffice cannot read the rest. */
    async function printPreview() {
      if (format.extension !== 'pages') return undefined
      const { entries } = await unzip.list(path)
      const at = entries.findIndex(({ name }) => /^(?:QuickLook\/)?Preview\.pdf$/i.test(name))
      if (at < 0) return undefined
      const [preview] = await unzip.extract(path, [at])
      return { printed: { path: preview!, filter: 'preview', fonts: [] }, fidelity: 'medium' as const }
    }

    async function printLayout() {
      const { text, ...filters } = format.isPlain
        ? readPlain(Buffer.from(await file.bytes()), format, encoding)
        : NO_TEXT
      const request = { extension: format.extension, ...filters, password, repairs: true, options }
      const printed = await libreoffice.print(text === undefined ? { path } : { text }, request)
      await requireContent(printed.path)
      return { printed, fidelity: printed.wasDamaged ? ('medium' as const) : rateFidelity(format) }
    }

    async function printRebuilt() {
      const rebuilt = await officeSalvage.rebuildZip(path)
      if (rebuilt === undefined) return undefined
      const request = { extension: format.extension, password, repairs: true, options }
      const printed = await libreoffice.print({ path: rebuilt }, request)
      await requireContent(printed.path)
      return { printed, fidelity: 'medium' as const }
    }

    async function printText() {
      const text = await officeSalvage.extractText(path)
      if ((text.match(/\p{L}/gu)?.length ?? 0) < MIN_SALVAGED_LETTERS) return undefined
      const printed = await libreoffice.print({ text }, { ...PLAIN_TEXT, options })
      return { printed, fidelity: 'text-only' as const }
    }

    async function requireContent(pdf: string): Promise<void> {
      const texts = await poppler.extractText(pdf, { first: 1, last: 20, layout: 'raw' })
      if (texts.some(text => text.trim() !== '')) return
      if (await officeSalvage.isBlank(await pageRenderer.renderGray(pdf, 1)))
        throw new Problem('OFFICE_PARSE_FAILED', { detail: 'nothing of the document could be read' })
    }
  },
})
