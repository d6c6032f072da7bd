import { type Static, Type } from 'typebox'
import {
  Choice,
  define,
  exactlyOne,
  FileInput,
  FileOutput,
  htmlFields,
  Problem,
  RENDERING_ERRORS,
  renderingFields,
  requireAssetName,
} from '#kit'
import { readTextFile } from '../formats/charsets/read-text.ts'
import { splitFrontMatter } from '../formats/markup/markdown-page.ts'
import { makeArchival } from '../formats/pdf/archival.ts'
import { MetadataField, PageField, PageHtml, resolvePageSetup } from '../formats/pdf/page-setup.ts'
import { computePageLimit, countExtraPages, FROM_HTML_PRICE, MAX_PAGES } from '../formats/pdf/printed-price.ts'
import { buildDocument } from './from-markdown/document.ts'
import { warnOfMath } from './from-markdown/math.ts'

const MAX_TEXT_BYTES = 4 * 2 ** 20

const Input = Type.Object({
  markdown: Type.Optional(Type.String({ maxLength: MAX_TEXT_BYTES, description: 'The text; at most 4 MiB.' })),
  file: Type.Optional(FileInput({ description: 'Instead of markdown: the text as a file.' })),
  assets: htmlFields.assets,
  page: PageField,
  css: Type.Optional(Type.String({ maxLength: 100_000, description: 'Styles that come after those built in.' })),
  contents: Type.Boolean({ default: false, description: 'Begin with a list of the headings, which are links.' }),
  header: PageHtml,
  footer: PageHtml,
  breaks: Type.Boolean({ default: false, description: 'Turn line ends into line breaks.' }),
  network: renderingFields.network,
  metadata: MetadataField,
  pdfa: Type.Optional(Choice(['2b', '3b'], { description: 'Write PDF/A of this level.' })),
  maxPages: Type.Optional(Type.Integer({ minimum: 1, maximum: MAX_PAGES, description: 'Of pages to pay for.' })),
})

export default define({
  summary: 'Print Markdown as a PDF.',
  keywords: 'md to pdf, readme to pdf, report from markdown, typeset notes, printable document, chromium',
  converts: [{ from: 'markdown', to: 'pdf' }],
  description:
    'As GitHub reads it, with tables, task lists, footnotes and coloured code. HTML in it is kept, but no script runs. ' +
    'Front matter is left out; its `title` names the PDF. Pictures are `assets`, by the names that the text has.',
  price: FROM_HTML_PRICE,
  uses: ['markdown', 'chromium', 'libpdf', 'qpdf'],
  input: Input,
  output: Type.Object({
    output: FileOutput('application/pdf'),
    pages: Type.Integer({ minimum: 1 }),
    conformance: Type.Optional(Type.Literal('claimed', { description: 'The file says that it is PDF/A.' })),
  }),
  errors: [...RENDERING_ERRORS, 'TOO_MANY_PAGES', 'BAD_RANGE', 'PDFA_NOT_REACHED'],
  examples: [
    {
      title: 'A report with a table',
      input: { markdown: '# Tide\n\n| day | high |\n|-----|------|\n| Mon | 06:12 |\n\n- [x] checked' },
      answer: { pages: 1 },
    },
    {
      title: 'With a list of the headings and page numbers',
      input: {
        markdown: '# Plan\n\n## Why\n\nBecause.\n\n## How\n\nSo.',
        contents: true,
        footer: '<p style="width: 100%; text-align: center"><span class="pageNumber"></span></p>',
      },
      answer: { pages: 2 },
    },
  ],

  async run(input, { markdown, chromium, libpdf, qpdf, out, now }) {
    const { frontMatter, body } = splitFrontMatter(await readMarkdown(input))
    const { html, toc } = await markdown.render(body, { ...RENDERING, breaks: input.breaks })
    const document = buildDocument({ html, toc, frontMatter }, input)
    const source = { html: document, assets: input.assets.map(requireAssetName) }
    const to = out('printed.pdf')
    const { pages, warnings } = await chromium.print(source, buildPrinting(input), to)
    const path = input.pdfa ? await makeArchival(to, input.pdfa, { libpdf, qpdf, out, now }) : to
    const output = { path, contentType: 'application/pdf', name: `${nameOf(input.file?.name)}.pdf` }
    const claims = input.pdfa ? { conformance: 'claimed' as const } : {}
    const allWarnings = [...warnOfMath(body), ...warnings]
    return { result: { output, pages, ...claims }, units: countExtraPages(pages), warnings: allWarnings }
  },
})

const RENDERING = {
  ...{ flavor: 'gfm' as const, rawHtml: true, filterTags: false, anchors: true, highlight: true },
  ...{ footnotes: true, taskLists: true, emoji: false },
}

async function readMarkdown(input: Static<typeof Input>): Promise<string> {
  const isText = exactlyOne(input, ['markdown', 'file']) === 'markdown'
  const text = isText ? input.markdown! : (await readTextFile(input.file!)).text
  const sizeBytes = Buffer.byteLength(text)
  if (text.trim() === '') throw new Problem('INPUT_EMPTY')
  if (sizeBytes > MAX_TEXT_BYTES) throw new Problem('INPUT_TOO_LARGE', { ceiling: MAX_TEXT_BYTES, sizeBytes })
  return text
}

function buildPrinting(input: Static<typeof Input>) {
  const { page, header, footer, network, metadata } = input
  const { keywords, ...properties } = metadata ?? {}
  return {
    ...resolvePageSetup(page),
    ...{ header, footer, background: true, media: 'print' as const, outline: true, tagged: true, failOn: [] },
    ...{ wait: WAIT, javascript: false, network, timezone: 'UTC' },
    maxPages: computePageLimit(input),
    metadata: metadata && { ...properties, keywords: keywords?.join(', ') },
  }
}

const WAIT = { delayMs: 0, networkIdle: true, timeoutMs: 20_000 }

function nameOf(name = 'document'): string {
  return name.replace(/\.[^.]*$/, '')
}
