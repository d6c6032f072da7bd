import { Type } from 'typebox'
import { Choice, define, type InputFile, PageRanges, perPage } from '#kit'
import { openPdf } from '../formats/pdf/opening.ts'
import { collectReadWarnings, PDF_ERRORS, PdfInput, pageCountOf, password, selectPages } from './schema.ts'

const Heading = Type.Object({
  level: Type.Integer({ minimum: 1, maximum: 6 }),
  text: Type.String(),
  page: Type.Integer({ minimum: 1 }),
})

export default define({
  summary: 'Convert a PDF to Markdown.',
  keywords: 'md, llm, rag, tables, paper, structured text, headings, pdf to md',
  converts: [{ from: 'pdf', to: 'markdown' }],
  isFeatured: true,
  description:
    'Headings, paragraphs, lists, tables, code, links, bold and italic text in reading order, columns one after the ' +
    'other. Running headers and footers are left out. Pages without text are listed in needsOcr.',
  price: perPage(
    '0.003',
    ({ file, pages }: { file: InputFile; pages: string }) => selectPages(file, pages).length,
    'selected page',
  ),
  uses: ['poppler', 'qpdf', 'pdfMarkdown'],
  input: Type.Object({
    file: PdfInput(),
    pages: PageRanges({ default: 'all' }),
    pageBreaks: Choice(['none', 'comment', 'rule'], {
      default: 'none',
      description: 'Between pages: an empty line, a comment with the page number, or a horizontal rule.',
    }),
    keepRunningLines: Type.Boolean({ default: false, description: 'Keep running headers, footers and page numbers.' }),
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

  async run(input, { poppler, qpdf, pdfMarkdown, out }) {
    const { file, pageBreaks, keepRunningLines } = input
    const selectedPages = selectPages(file, input.pages)
    const path = await openPdf(file, { qpdf, password: input.password, to: out('opened.pdf') })
    const span = { first: Math.min(...selectedPages), last: Math.max(...selectedPages) }
    const markup = await poppler.readMarkup(path, span)
    const convertedPages = await pdfMarkdown.convert(markup, { keepRunning: keepRunningLines })
    const pageByNumber = new Map(convertedPages.map(page => [page.page, page]))
    const pages = selectedPages.map(page => pageByNumber.get(page) ?? { ...EMPTY_PAGE, page })
    const parts = pages.map(({ page, markdown }, index) => renderPageBreak(pageBreaks, page, index) + markdown)
    const result = {
      markdown: parts.filter(Boolean).join('\n\n'),
      pageCount: pageCountOf(file),
      pages: pages.map(({ page, markdown }) => ({ page, markdown })),
      headings: pages.flatMap(({ page, headings }) => headings.map(heading => ({ ...heading, page }))),
      tables: pages.reduce((sum, { tables }) => sum + tables, 0),
      needsOcr: pages.filter(({ hasText }) => !hasText).map(({ page }) => page),
    }
    const warnings = collectReadWarnings(file)
    return { result, units: pages.length, warnings }
  },
})

const EMPTY_PAGE = { markdown: '', hasText: false, headings: [], tables: 0 }

function renderPageBreak(kind: string, page: number, index: number): string {
  if (kind === 'comment') return `<!-- page ${page} -->\n\n`
  return kind === 'rule' && index > 0 ? '---\n\n' : ''
}
