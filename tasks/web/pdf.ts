import { Type } from 'typebox'
import { Choice, define, FileOutput, type Price, usd, Warnings } from '#kit'
import { PageField, resolvePageSetup } from '../formats/pdf/page-setup.ts'
import { browserFields, readSiteOptions, SITE_ERRORS, SitePageResult, siteFields } from './schema.ts'

const INCLUDED_PAGES = 10
const DEFAULT_PAGES = 50
const MAX_PAGES = 2000

const countExtraPages = (pages: number) => Math.max(0, pages - INCLUDED_PAGES)

/** The hold covers as many pages as are allowed; the charge covers the pages that were printed. */
const PRICE: Price<{ maxPages: number }> = {
  unit: `page beyond the first ${INCLUDED_PAGES}`,
  rateMicros: usd('0.0005'),
  baseMicros: usd('0.008'),
  basis: 'body',
  units: ({ maxPages }) => countExtraPages(maxPages),
  expectedUnits: () => 0,
  maxUnits: countExtraPages(MAX_PAGES),
  note: 'Only the pages that were printed are charged.',
}

const Html = Type.Optional(
  Type.String({
    maxLength: 20_000,
    description: 'HTML; elements of class date, title, url, pageNumber or totalPages are filled in.',
  }),
)

export default define({
  summary: 'Print a web page as a PDF.',
  keywords: 'url to pdf, website to pdf, save page as pdf, webpage archive, article pdf',
  converts: [{ from: 'url', to: 'pdf' }],
  description:
    'By Chromium, in a session of its own: print styles are honoured, late images are loaded, cookie banners hidden, and ' +
    'fixed headers drawn once. Only public web servers are reached. An address of a PDF gives that PDF, with a warning.',
  price: PRICE,
  uses: ['chromium', 'web'],
  input: Type.Object({
    ...siteFields,
    ...browserFields,
    page: PageField,
    header: Html,
    footer: Html,
    background: Type.Boolean({ default: true }),
    media: Choice(['print', 'screen'], { default: 'print' }),
    outline: Type.Boolean({ default: true, description: 'Bookmarks from headings.' }),
    tagged: Type.Boolean({ default: true }),
    maxPages: Type.Integer({
      default: DEFAULT_PAGES,
      minimum: 1,
      maximum: MAX_PAGES,
      description: 'Maximum number of pages to pay for; a longer page is refused.',
    }),
  }),
  output: Type.Object({
    output: FileOutput('application/pdf'),
    pages: Type.Optional(Type.Integer({ minimum: 1, description: 'Absent if the address was that of a PDF.' })),
    page: SitePageResult,
    warnings: Warnings,
  }),
  errors: [...SITE_ERRORS, 'TOO_MANY_PAGES', 'BAD_RANGE'],
  examples: [
    { title: 'A page on A4', input: { url: 'https://example.com/' }, answer: { pages: 1 } },
    {
      title: 'As it looks on screen, on one long page',
      input: { url: 'https://example.com/', media: 'screen', page: { single: true, margin: 0 } },
      answer: { pages: 1 },
    },
  ],

  async run(input, { chromium, web, out }) {
    const { header, footer, background, media, outline, tagged, maxPages } = input
    const site = readSiteOptions(input)
    const setup = resolvePageSetup(input.page)
    await web.check(site.url)
    const to = out('printed.pdf')
    const options = { ...setup, header, footer, background, media, outline, tagged, maxPages }
    const { page, pages, warnings } = await chromium.printSite(site, options, to)
    const output = { path: to, contentType: 'application/pdf', name: 'page.pdf' }
    return {
      result: { output, page, ...(pages !== undefined && { pages }) },
      units: countExtraPages(pages ?? 0),
      warnings,
    }
  },
})
