import { Type } from 'typebox'
import { Choice, define, FileOutput, htmlFields, RENDERING_ERRORS, readHtmlSource, renderingFields } from '#kit'
import { makeArchival } from '../formats/pdf/archival.ts'
import { MetadataField, PageField, PageHtml, resolvePageSetup } from '../formats/pdf/page-setup.ts'
import {
  CHARS_PER_ALLOWED_PAGE,
  computePageLimit,
  countExtraPages,
  FREELY_ALLOWED_PAGES,
  FROM_HTML_PRICE,
  MAX_PAGES,
} from '../formats/pdf/printed-price.ts'

export default define({
  summary: 'Print HTML as a PDF.',
  keywords: 'html to pdf, web page to pdf, print, invoice, report, create pdf, chromium, pdf/a, archival pdf',
  converts: [{ from: 'html', to: 'pdf' }],
  isFeatured: true,
  description:
    'Printed by Chromium, backgrounds included, with an outline and tags for screen readers. Scripts run; local files ' +
    'and private addresses are blocked. A resource that fails to load gives a warning, or a failure if failOn names it.',
  price: FROM_HTML_PRICE,
  uses: ['chromium', 'libpdf', 'qpdf', 'unzip'],
  input: Type.Object({
    ...htmlFields,
    page: PageField,
    header: PageHtml,
    footer: PageHtml,
    background: Type.Boolean({ default: true }),
    media: Choice(['print', 'screen'], { default: 'print' }),
    ...renderingFields,
    outline: Type.Boolean({ default: true, description: 'Bookmarks from headings.' }),
    tagged: Type.Boolean({ default: true }),
    metadata: MetadataField,
    pdfa: Type.Optional(
      Choice(['2b', '3b'], {
        description: 'Write PDF/A of this level; what a validator would find is checked in part.',
      }),
    ),
    failOn: Type.Array(Choice(['resource', 'console', 'font']), { default: [], maxItems: 3 }),
    maxPages: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: MAX_PAGES,
        description: `Maximum number of pages to pay for; default: ${FREELY_ALLOWED_PAGES} plus one per ${CHARS_PER_ALLOWED_PAGE} characters without styles.`,
      }),
    ),
  }),
  output: Type.Object({
    output: FileOutput('application/pdf'),
    pages: Type.Integer({ minimum: 1 }),
    conformance: Type.Optional(Type.Literal('claimed', { description: 'The file says that it is PDF/A.' })),
  }),
  errors: [
    ...RENDERING_ERRORS,
    'RESOURCE_FAILED',
    'FONT_UNAVAILABLE',
    'TOO_MANY_PAGES',
    'BAD_RANGE',
    'PDFA_NOT_REACHED',
  ],
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

  async run(input, { chromium, unzip, libpdf, qpdf, out, now }) {
    const source = await readHtmlSource(input, unzip)
    const { page, metadata, wait, javascript, network, locale, timezone, colorScheme, failOn } = input
    const { header, footer, background, media, outline, tagged, pdfa } = input
    const { keywords, ...properties } = metadata ?? {}
    const options = {
      ...resolvePageSetup(page),
      ...{ header, footer, background, media, outline, tagged, failOn, maxPages: computePageLimit(input) },
      ...{ wait, javascript, network, locale, timezone, colorScheme },
      metadata: metadata && { ...properties, keywords: keywords?.join(', ') },
    }
    const to = out('printed.pdf')
    const { pages, warnings } = await chromium.print(source, options, to)
    const path = pdfa ? await makeArchival(to, pdfa, { libpdf, qpdf, out, now }) : to
    const output = { path, contentType: 'application/pdf', name: 'page.pdf' }
    const claims = pdfa ? { conformance: 'claimed' as const } : {}
    return { result: { output, pages, ...claims }, units: countExtraPages(pages), warnings }
  },
})
