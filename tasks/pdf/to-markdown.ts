import { Type } from 'typebox'
import { Choice, define, type InputFile, PageRanges, pagesOf, perPage } from '#kit'
import { opened } from './open-shape.ts'
import { PDF_ERRORS, PdfInput, pageCountOf, password, warningsOf } from './shape.ts'

const Heading = Type.Object({
  level: Type.Integer({ minimum: 1, maximum: 6 }),
  text: Type.String(),
  page: Type.Integer({ minimum: 1 }),
})

export default define({
  summary: 'Turn a PDF into Markdown.',
  description:
    'Headings, paragraphs, lists, tables, code, links, bold and italic text in reading order, columns one after the ' +
    'other. Lines that run at the head or foot of many pages are left out. Pages without text are listed in needsOcr.',
  price: perPage('0.003', ({ file, pages }: { file: InputFile; pages: string }) => pagesToRead(file, pages).length),
  uses: ['poppler', 'qpdf', 'paperMarkdown'],
  input: Type.Object({
    file: PdfInput(),
    pages: PageRanges({ default: 'all' }),
    pageBreaks: Choice(['none', 'comment', 'rule'], {
      default: 'none',
      description: 'Between pages: nothing but an empty line, a comment with the number, or a line across.',
    }),
    keepRunningLines: Type.Boolean({ default: false, description: 'Heads, feet and page numbers too.' }),
    password,
  }),
  output: Type.Object({
    markdown: Type.String(),
    pageCount: Type.Integer({ minimum: 1 }),
    pages: Type.Array(Type.Object({ page: Type.Integer({ minimum: 1 }), markdown: Type.String() })),
    headings: Type.Array(Heading),
    tables: Type.Integer({ minimum: 0 }),
    needsOcr: Type.Array(Type.Integer({ minimum: 1 })),
  }),
  errors: [...PDF_ERRORS, 'BAD_RANGE', 'OUTPUT_TOO_LARGE'],
  examples: [
    { title: 'A report', input: { file: 'sample:letter.pdf' }, answer: { pageCount: 2, needsOcr: [], tables: 0 } },
    { title: 'Its second page', input: { file: 'sample:letter.pdf', pages: '2', pageBreaks: 'comment' } },
  ],

  async run(input, { poppler, qpdf, paperMarkdown, out }) {
    const { file, pageBreaks, keepRunningLines } = input
    const wanted = pagesToRead(file, input.pages)
    const path = await opened(file, { qpdf, password: input.password, to: out('opened.pdf') })
    const xml = await poppler.marked(path, { first: Math.min(...wanted), last: Math.max(...wanted) })
    const read = await paperMarkdown.pages(xml, { keepRunning: keepRunningLines })
    const found = new Map(read.map(page => [page.page, page]))
    const pages = wanted.map(page => found.get(page) ?? { ...EMPTY, page })
    const parts = pages.map(({ page, markdown }, index) => breakBefore(pageBreaks, page, index) + markdown)
    const result = {
      markdown: parts.filter(Boolean).join('\n\n'),
      pageCount: pageCountOf(file),
      pages: pages.map(({ page, markdown }) => ({ page, markdown })),
      headings: pages.flatMap(({ page, headings }) => headings.map(heading => ({ ...heading, page }))),
      tables: pages.reduce((sum, { tables }) => sum + tables, 0),
      needsOcr: pages.filter(({ hasText }) => !hasText).map(({ page }) => page),
    }
    const warnings = warningsOf([file]).filter(({ code }) => code !== 'ENCRYPTION_REMOVED')
    return { result, units: pages.length, warnings }
  },
})

const EMPTY = { markdown: '', hasText: false, headings: [], tables: 0 }

function pagesToRead(file: InputFile, pages: string): number[] {
  return [...new Set(pagesOf(pages, pageCountOf(file)))]
}

function breakBefore(kind: string, page: number, index: number): string {
  if (kind === 'comment') return `<!-- page ${page} -->\n\n`
  return kind === 'rule' && index > 0 ? '---\n\n' : ''
}
