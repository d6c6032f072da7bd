import { Type } from 'typebox'
import { Choice, define, type InputFile, PageRanges, pagesOf, perPage } from '#kit'
import { opened } from './open-shape.ts'
import { PDF_ERRORS, PdfInput, pageCountOf, password, warningsOf } from './shape.ts'
import { isGarbled, readable } from './text-shape.ts'

const Placed = Type.Object({
  text: Type.String(),
  box: Type.Array(Type.Number(), { minItems: 4, maxItems: 4, description: 'Left, top, right, bottom.' }),
})

const Page = Type.Object({
  page: Type.Integer({ minimum: 1 }),
  text: Type.String(),
  chars: Type.Integer({ minimum: 0 }),
  hasText: Type.Boolean(),
  garbled: Type.Boolean({ description: 'The fonts tell no letters; only OCR can read this page.' }),
  lines: Type.Optional(Type.Array(Placed)),
  words: Type.Optional(Type.Array(Placed)),
})

export default define({
  summary: 'Read the text of a PDF.',
  description:
    'The text layer, hidden ones of scans included, and what is filled into forms. Pages without readable text are ' +
    'listed in needsOcr. Boxes are in points from the top left corner of the page as it is shown.',
  price: perPage('0.002', ({ file, pages }: { file: InputFile; pages: string }) => pagesToRead(file, pages).length),
  uses: ['poppler', 'qpdf'],
  input: Type.Object({
    file: PdfInput(),
    pages: PageRanges({ default: 'all' }),
    layout: Choice(['reading', 'physical', 'raw'], {
      default: 'reading',
      description: '`physical` keeps the places on the page by spaces, `raw` is the order of the file.',
    }),
    detail: Choice(['text', 'lines', 'words'], { default: 'text', description: 'Lines or words with their boxes.' }),
    pageSeparator: Type.String({ default: '\f', maxLength: 100, description: 'Stands between pages in `text`.' }),
    dehyphenate: Type.Boolean({ default: true, description: 'Joins words divided at the end of a line.' }),
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
      title: 'The words of both pages',
      input: { file: 'sample:letter.pdf' },
      answer: { pageCount: 2, needsOcr: [] },
    },
    {
      title: 'Where the lines of the first page stand',
      input: { file: 'sample:letter.pdf', pages: '1', detail: 'lines' },
    },
  ],

  async run(input, { poppler, qpdf, out }) {
    const { file, layout, detail, pageSeparator } = input
    const wanted = pagesToRead(file, input.pages)
    const path = await opened(file, { qpdf, password: input.password, to: out('opened.pdf') })
    const span = { first: Math.min(...wanted), last: Math.max(...wanted) }
    // In reading order poppler makes divided words whole by itself; only the lines of the boxes are as they stand.
    const isAsItStands = layout === 'reading' && !input.dehyphenate
    const laid = detail === 'text' && !isAsItStands ? [] : await poppler.boxes(path, span)
    const texts = isAsItStands ? laid.map(textOf) : await poppler.text(path, { ...span, layout })
    const isFlowing = input.dehyphenate && layout !== 'physical'
    const pages = wanted.map(page => {
      const text = readable(texts[page - span.first] ?? '', isFlowing)
      const lines = laid[page - span.first]?.lines ?? []
      return { ...pageOf(page, text), ...(detail === 'text' ? {} : { [detail]: placed(lines, detail) }) }
    })
    const result = {
      text: pages.map(({ text }) => text).join(pageSeparator),
      pageCount: pageCountOf(file),
      pages,
      needsOcr: pages.filter(({ hasText, garbled }) => !hasText || garbled).map(({ page }) => page),
    }
    const warnings = warningsOf([file]).filter(({ code }) => code !== 'ENCRYPTION_REMOVED')
    return { result, units: pages.length, warnings }
  },
})

function pagesToRead(file: InputFile, pages: string): number[] {
  return [...new Set(pagesOf(pages, pageCountOf(file)))]
}

function pageOf(page: number, text: string) {
  return { page, text, chars: [...text].length, hasText: text.trim() !== '', garbled: isGarbled(text) }
}

function textOf({ lines }: { lines: readonly { text: string }[] }): string {
  return lines.map(({ text }) => text).join('\n')
}

interface Placing {
  text: string
  box: number[]
}

function placed(lines: readonly (Placing & { words: readonly Placing[] })[], detail: 'lines' | 'words'): Placing[] {
  const found = detail === 'lines' ? lines : lines.flatMap(({ words }) => words)
  return found.map(({ text, box }) => ({ text: readable(text, false), box }))
}
