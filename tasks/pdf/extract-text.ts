import { Type } from 'typebox'
import { Choice, define, type InputFile, PageRanges, perPage } from '#kit'
import { openPdf } from '../formats/pdf/opening.ts'
import { cleanText, isGarbled } from '../formats/pdf/plain-text.ts'
import type { TextLine } from '../formats/pdf/text-layout.ts'
import { collectReadWarnings, PDF_ERRORS, PdfInput, pageCountOf, password, selectPages } from './schema.ts'

const TextBox = Type.Object({
  text: Type.String(),
  box: Type.Array(Type.Number(), { minItems: 4, maxItems: 4, description: 'Left, top, right, bottom.' }),
})

const Page = Type.Object({
  page: Type.Integer({ minimum: 1 }),
  text: Type.String(),
  chars: Type.Integer({ minimum: 0 }),
  hasText: Type.Boolean(),
  garbled: Type.Boolean({ description: 'The fonts do not map to characters; only OCR can read this page.' }),
  lines: Type.Optional(Type.Array(TextBox)),
  words: Type.Optional(Type.Array(TextBox)),
})

export default define({
  summary: 'Extract the text of a PDF.',
  keywords:
    'pdf to text, txt, read, get text out, plain text, words, contents, find a word in a pdf, on which pages a word appears, search text in a pdf, page numbers of matches',
  converts: [{ from: 'pdf', to: 'text' }],
  isFeatured: true,
  description:
    'Reads the text layer, including the hidden one of scans, and form values. Pages without readable text are listed ' +
    'in needsOcr. Boxes are in points from the top left corner of the page as displayed.',
  price: perPage(
    '0.002',
    ({ file, pages }: { file: InputFile; pages: string }) => selectPages(file, pages).length,
    'selected page',
  ),
  uses: ['poppler', 'qpdf'],
  input: Type.Object({
    file: PdfInput(),
    pages: PageRanges({ default: 'all' }),
    layout: Choice(['reading', 'physical', 'raw'], {
      default: 'reading',
      description: '`physical` keeps the positions on the page with spaces, `raw` is the order of the file.',
    }),
    detail: Choice(['text', 'lines', 'words'], {
      default: 'text',
      description: '`lines` and `words` come with their boxes.',
    }),
    pageSeparator: Type.String({ default: '\f', maxLength: 100, description: 'Separates the pages in `text`.' }),
    dehyphenate: Type.Boolean({ default: true, description: 'Join words hyphenated at the end of a line.' }),
    password,
  }),
  output: Type.Object({
    text: Type.String(),
    pageCount: Type.Integer({ minimum: 1 }),
    pages: Type.Array(Page),
    needsOcr: Type.Array(Type.Integer({ minimum: 1 })),
  }),
  errors: [...PDF_ERRORS, 'BAD_RANGE', 'OUTPUT_TOO_LARGE'],
  examples: [
    {
      title: 'The text of both pages',
      input: { file: 'sample:letter.pdf' },
      answer: { pageCount: 2, needsOcr: [] },
    },
    {
      title: 'The lines of the first page with their boxes',
      input: { file: 'sample:letter.pdf', pages: '1', detail: 'lines' },
    },
  ],

  async run(input, { poppler, qpdf, out }) {
    const { file, layout, detail, pageSeparator } = input
    const selectedPages = selectPages(file, input.pages)
    const path = await openPdf(file, { qpdf, password: input.password, to: out('opened.pdf') })
    const span = { first: Math.min(...selectedPages), last: Math.max(...selectedPages) }
    // In reading order Poppler joins hyphenated words itself; only the lines of the boxes keep the line breaks.
    const keepsLineBreaks = layout === 'reading' && !input.dehyphenate
    const textPages = detail === 'text' && !keepsLineBreaks ? [] : await poppler.readTextBoxes(path, span)
    const texts = keepsLineBreaks ? textPages.map(joinLines) : await poppler.extractText(path, { ...span, layout })
    const joinsHyphens = input.dehyphenate && layout !== 'physical'
    const pages = selectedPages.map(page => {
      const text = cleanText(texts[page - span.first] ?? '', joinsHyphens)
      const lines = textPages[page - span.first]?.lines ?? []
      return { ...describePage(page, text), ...(detail === 'text' ? {} : { [detail]: toTextBoxes(lines, detail) }) }
    })
    const result = {
      text: pages.map(({ text }) => text).join(pageSeparator),
      pageCount: pageCountOf(file),
      pages,
      needsOcr: pages.filter(({ hasText, garbled }) => !hasText || garbled).map(({ page }) => page),
    }
    const warnings = collectReadWarnings(file)
    return { result, units: pages.length, warnings }
  },
})

function describePage(page: number, text: string) {
  return { page, text, chars: [...text].length, hasText: text.trim() !== '', garbled: isGarbled(text) }
}

function joinLines({ lines }: { lines: readonly { text: string }[] }): string {
  return lines.map(({ text }) => text).join('\n')
}

function toTextBoxes(lines: readonly TextLine[], detail: 'lines' | 'words') {
  const items = detail === 'lines' ? lines : lines.flatMap(({ words }) => words)
  return items.map(({ text, box }) => ({ text: cleanText(text, false), box: [...box] }))
}
