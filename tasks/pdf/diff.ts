import { Type } from 'typebox'
import { Choice, define, FileOutput, PageRanges, perPage, type Warning } from '#kit'
import { describeDifferences, differences } from './diff/answer.ts'
import { compareTexts, countWords, findTextChanges, pairByLikeness } from './diff/compare.ts'
import { describeLeftOut } from './diff/left-out.ts'
import { drawReport } from './diff/report.ts'
import { countComparedPages, type DiffInput, openSide } from './diff/sides.ts'
import { comparePairs, drawThumbnails, planRenderings } from './diff/visual.ts'
import { collectReadWarnings, PDF, PDF_ERRORS, PdfInput, password } from './schema.ts'

const NO_TEXT: Warning = {
  code: 'NO_TEXT_USE_VISUAL',
  message: 'A document has no text that can be compared; use mode `visual`, or run OCR first.',
}

export default define({
  summary: 'Compare two PDFs by their text, their looks, or both.',
  keywords:
    'compare pdf, changes, changed, versions of a contract, redline, what is different, visual comparison, what differs between two pdfs',
  description:
    'Finds inserted, deleted and replaced words with their boxes, in points from the top left corner of the page. Pages ' +
    'are paired by what is on them, so an inserted page changes no other. In the flow `document` text may move from page ' +
    'to page: a page without a counterpart whose text stands elsewhere is `same`.',
  price: {
    ...perPage<DiffInput>('0.002', countComparedPages, 'page of the longer selection'),
    variants: [{ when: '`mode` is not `text`', factor: 2, applies: ({ mode }) => mode !== 'text' }],
  },
  uses: ['qpdf', 'libpdf', 'poppler', 'pageRenderer', 'sharp', 'textDiff'],
  limitSeconds: 120,
  input: Type.Object({
    a: PdfInput('The old document.'),
    b: PdfInput('The new document.'),
    passwordA: password,
    passwordB: password,
    mode: Choice(['text', 'visual', 'both'], {
      default: 'text',
      description: '`visual` compares rendered pages: also pictures, scans and layout.',
    }),
    pagesA: PageRanges({ default: 'all' }),
    pagesB: PageRanges({ default: 'all' }),
    flow: Choice(['document', 'page'], {
      default: 'document',
      description: 'Compare the text as a whole, or each page with its counterpart.',
    }),
    ignore: Type.Object(
      {
        whitespace: Type.Boolean({ default: true, description: 'Also line ends, and hyphens at them.' }),
        case: Type.Boolean({ default: false }),
        headersFooters: Type.Boolean({
          default: true,
          description:
            'Lines that repeat at the top or bottom of pages, page numbers, and slanted watermarks. The warning ' +
            'HEADERS_DIFFER names repeated lines that the other document lacks or words otherwise.',
        }),
      },
      { default: {}, description: 'Differences of text that do not count.' },
    ),
    dpi: Type.Integer({ default: 100, minimum: 50, maximum: 200, description: 'Resolution of the visual comparison.' }),
    threshold: Type.Number({
      default: 0.1,
      minimum: 0,
      maximum: 1,
      description: 'Difference of colours up to which two pixels are the same.',
    }),
    report: Choice(['none', 'pdf'], {
      default: 'none',
      description: '`pdf`: also both documents side by side, with the changes marked.',
    }),
  }),
  output: Type.Object({
    ...differences,
    output: Type.Optional(FileOutput(PDF)),
  }),
  errors: [...PDF_ERRORS, 'BAD_RANGE', 'OUTPUT_TOO_LARGE', 'TOO_MANY_PIXELS'],
  examples: [
    {
      title: 'What changed between two letters',
      input: { a: 'sample:letter.pdf', b: 'sample:letter-revised.pdf' },
      answer: { identical: false },
    },
    {
      title: 'Side by side, with pixels',
      input: { a: 'sample:letter.pdf', b: 'sample:letter-revised.pdf', mode: 'both', dpi: 50, report: 'pdf' },
      answer: { identical: false, output: { contentType: PDF } },
    },
  ],

  async run(input, tools) {
    const { mode, report, dpi } = input
    const sides = [await openSide(input, 'a', tools), await openSide(input, 'b', tools)] as const
    const texts = await compareTexts(sides, input, tools)
    const bare = [sides[0], sides[1]].map((side, at) => listBare(countWords(texts.words[at === 0 ? 'a' : 'b'], side)))
    const isVisual = mode !== 'text'
    const thumbnails = isVisual
      ? ([await drawThumbnails(sides[0], bare[0]!, tools), await drawThumbnails(sides[1], bare[1]!, tools)] as const)
      : undefined
    const pairs = pairByLikeness(sides, texts, thumbnails)
    const planned = isVisual ? await planRenderings(sides, pairs, dpi, tools) : []
    const textChanges = mode === 'visual' ? [] : await findTextChanges(texts, pairs, input, tools)
    const visualChanges = await comparePairs(sides, planned, input, tools)
    const compared = { input, sides, pairs, textChanges, visualChanges, words: texts.words }
    const output = report === 'pdf' ? await drawReport(compared, tools) : undefined
    const hasNoText = mode === 'text' && bare.some((pages, at) => pages.length === sides[at]!.numbers.length)
    const warnings = [...collectWarnings(input), ...(hasNoText ? [NO_TEXT] : []), ...describeLeftOut(texts.leftOut)]
    return { result: { ...describeDifferences(compared), ...(output && { output }) }, warnings }
  },
})

/** The positions of the pages without words. */
function listBare(counts: readonly number[]): number[] {
  return counts.flatMap((count, at) => (count === 0 ? [at] : []))
}

function collectWarnings({ a, b }: DiffInput): Warning[] {
  const warnings = [...collectReadWarnings(a), ...collectReadWarnings(b)]
  return warnings.filter(({ code }, at) => warnings.findIndex(warning => warning.code === code) === at)
}
