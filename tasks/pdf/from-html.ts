import { Type } from 'typebox'
import {
  Choice,
  define,
  FileOutput,
  htmlFields,
  htmlSource,
  type InputFile,
  type Price,
  RENDERING_ERRORS,
  renderingFields,
  usd,
} from '#kit'
import { MetadataField, PageField, sheetOf } from './sheet-shape.ts'

const COVERED_PAGES = 10
const MOST_PAGES = 2000
const PAGES_AT_LEAST = 100
const BYTES_A_PAGE = 500

interface Sized {
  html?: string
  file?: InputFile
  maxPages?: number
}

/** Held are all the pages there may be; charged are those that were printed. */
const PRICE: Price<Sized> = {
  unit: `page beyond the first ${COVERED_PAGES}`,
  rateMicros: usd('0.0005'),
  baseMicros: usd('0.005'),
  basis: 'body',
  units: input => beyond(ceilingOf(input)),
}

const Html = Type.Optional(
  Type.String({ maxLength: 20_000, description: 'HTML; date, title, url, pageNumber and totalPages are classes.' }),
)

export default define({
  summary: 'Print HTML as a PDF.',
  description:
    'Drawn by Chromium, backgrounds included, with an outline and tags for screen readers. Scripts run; local files ' +
    'and private addresses are out of reach. What the page asks for and does not get is a warning, unless failOn ' +
    'names it.',
  price: PRICE,
  uses: ['chromium', 'unzip'],
  input: Type.Object({
    ...htmlFields,
    page: PageField,
    header: Html,
    footer: Html,
    background: Type.Boolean({ default: true }),
    media: Choice(['print', 'screen'], { default: 'print' }),
    ...renderingFields,
    outline: Type.Boolean({ default: true, description: 'Bookmarks from headings.' }),
    tagged: Type.Boolean({ default: true }),
    metadata: MetadataField,
    failOn: Type.Array(Choice(['resource', 'console', 'font']), { default: [], maxItems: 3 }),
    maxPages: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: MOST_PAGES,
        description: `The most pages you will pay for; left out: ${PAGES_AT_LEAST} and one for each ${BYTES_A_PAGE} bytes.`,
      }),
    ),
  }),
  output: Type.Object({ output: FileOutput('application/pdf'), pages: Type.Integer({ minimum: 1 }) }),
  errors: [...RENDERING_ERRORS, 'RESOURCE_FAILED', 'FONT_UNAVAILABLE', 'TOO_MANY_PAGES', 'BAD_RANGE'],
  examples: [
    {
      title: 'A letter on A4',
      input: { html: '<title>Letter</title><h1>Dear Sir or Madam</h1><p>All is well.</p>' },
      answer: { pages: 1 },
    },
    {
      title: 'Two pages with their numbers',
      input: {
        html: '<h1>One</h1><h1 style="break-before: page">Two</h1>',
        page: { format: 'A5', landscape: true, margin: '15mm' },
        footer: '<p style="width: 100%; text-align: center"><span class="pageNumber"></span></p>',
      },
      answer: { pages: 2 },
    },
  ],

  async run(input, { chromium, unzip, out }) {
    const source = await htmlSource(input, unzip)
    const { page, metadata, wait, javascript, network, locale, timezone, colorScheme, failOn } = input
    const { header, footer, background, media, outline, tagged } = input
    const { keywords, ...said } = metadata ?? {}
    const options = {
      ...sheetOf(page),
      ...{ header, footer, background, media, outline, tagged, failOn, maxPages: ceilingOf(input) },
      ...{ wait, javascript, network, locale, timezone, colorScheme },
      metadata: metadata && { ...said, keywords: keywords?.join(', ') },
    }
    const to = out('printed.pdf')
    const { pages, warnings } = await chromium.print(source, options, to)
    const output = { path: to, contentType: 'application/pdf', name: 'page.pdf' }
    return { result: { output, pages }, units: beyond(pages), warnings }
  },
})

function ceilingOf({ html, file, maxPages }: Sized): number {
  const sizeBytes = html === undefined ? (file?.sizeBytes ?? 0) : Buffer.byteLength(html)
  return maxPages ?? Math.min(MOST_PAGES, PAGES_AT_LEAST + Math.ceil(sizeBytes / BYTES_A_PAGE))
}

function beyond(pages: number): number {
  return Math.max(0, pages - COVERED_PAGES)
}
