import { Type } from 'typebox'
import { Choice, define, FileOutput, htmlFields, RENDERING_ERRORS, readHtmlSource, renderingFields } from '#kit'
import { MetadataField, PageField, resolvePageSetup } from '../formats/pdf/page-setup.ts'
import {
  CHARS_PER_ALLOWED_PAGE,
  computePageLimit,
  countExtraPages,
  FREELY_ALLOWED_PAGES,
  FROM_HTML_PRICE,
  MAX_PAGES,
} from './from-html/price.ts'

const Html = Type.Optional(
  Type.String({
    maxLength: 20_000,
    description: 'HTML; elements of class date, title, url, pageNumber or totalPages are filled in.',
  }),
)

export default define({
  summary: 'Print HTML as a PDF.',
  keywords: 'html to pdf, web page to pdf, print, invoice, report, create pdf, chromium',
  isFeatured: true,
  description:
    'Printed by Chromium, backgrounds included, with an outline and tags for screen readers. Scripts run; local files ' +
    'and private addresses are blocked. A resource that fails to load gives a warning, or a failure if failOn names it.',
  price: FROM_HTML_PRICE,
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
        maximum: MAX_PAGES,
        description: `Maximum number of pages to pay for; default: ${FREELY_ALLOWED_PAGES} plus one per ${CHARS_PER_ALLOWED_PAGE} characters without styles.`,
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
      title: 'Two numbered pages',
      input: {
        html: '<h1>One</h1><h1 style="break-before: page">Two</h1>',
        page: { format: 'A5', landscape: true, margin: '15mm' },
        footer: '<p style="width: 100%; text-align: center"><span class="pageNumber"></span></p>',
      },
      answer: { pages: 2 },
    },
  ],

  async run(input, { chromium, unzip, out }) {
    const source = await readHtmlSource(input, unzip)
    const { page, metadata, wait, javascript, network, locale, timezone, colorScheme, failOn } = input
    const { header, footer, background, media, outline, tagged } = input
    const { keywords, ...properties } = metadata ?? {}
    const options = {
      ...resolvePageSetup(page),
      ...{ header, footer, background, media, outline, tagged, failOn, maxPages: computePageLimit(input) },
      ...{ wait, javascript, network, locale, timezone, colorScheme },
      metadata: metadata && { ...properties, keywords: keywords?.join(', ') },
    }
    const to = out('printed.pdf')
    const { pages, warnings } = await chromium.print(source, options, to)
    const output = { path: to, contentType: 'application/pdf', name: 'page.pdf' }
    return { result: { output, pages }, units: countExtraPages(pages), warnings }
  },
})
