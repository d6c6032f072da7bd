import { Type } from 'typebox'
import { define, FileOutput, PageRanges, perPage, Secret } from '#kit'
import { carryOver, hasPageReferences } from '../formats/pdf/carry-over.ts'
import { openPdf } from '../formats/pdf/opening.ts'
import { countPages, listPageSources, type PagesInput, planOrder, repeatsPages } from './pages/order.ts'
import { collectInputWarnings, isSigned, PDF, PDF_ERRORS, PdfInput, password, SIGNATURES_REMOVED } from './schema.ts'

const Action = <const Name extends string>(name: Name) => Type.Unsafe<Name>({ type: 'string', const: name })

const Delete = Type.Object({
  action: Action('delete'),
  file: PdfInput(),
  pages: PageRanges({ description: 'The pages to delete, such as 1-3,5, last or even.' }),
  password,
})

const Reorder = Type.Object({
  action: Action('reorder'),
  file: PdfInput(),
  order: Type.Array(Type.Integer({ minimum: 1 }), {
    minItems: 1,
    maxItems: 2000,
    description: 'The pages of the result by their current numbers; pages may be left out or repeated.',
  }),
  password,
})

const Insert = Type.Object({
  action: Action('insert'),
  file: PdfInput(),
  insert: PdfInput('The document whose pages are inserted.'),
  at: Type.Integer({ minimum: 1, description: 'Page number of the first inserted page; one past the end appends.' }),
  insertPages: PageRanges({ default: 'all' }),
  insertPassword: Type.Optional(Secret({ maxLength: 127 })),
  password,
})

export default define({
  summary: 'Delete, reorder or insert pages of a PDF.',
  keywords:
    'take pages out, keep pages 3 to 7, delete page, remove page, reorder, insert, move, add blank page, cover page, reverse',
  description:
    'Bookmarks and links follow the pages they point to; bookmarks of deleted pages are removed, links to them are ' +
    'disabled.',
  price: perPage('0.001', (input: PagesInput) => countPages(planOrder(input)), 'page of the result'),
  uses: ['qpdf', 'libpdf'],
  input: Type.Unsafe<PagesInput>({ oneOf: [Delete, Reorder, Insert], discriminator: { propertyName: 'action' } }),
  output: Type.Object({ output: FileOutput(PDF), pages: Type.Integer({ minimum: 1 }) }),
  errors: [...PDF_ERRORS, 'BAD_RANGE', 'NO_PAGES_LEFT'],
  examples: [
    {
      title: 'Delete the first page',
      input: { action: 'delete', file: 'sample:two-pages.pdf', pages: '1' },
      answer: { pages: 1 },
    },
    {
      title: 'Reverse the order',
      input: { action: 'reorder', file: 'sample:two-pages.pdf', order: [2, 1] },
      answer: { pages: 2 },
    },
    {
      title: 'Insert a letter before a report',
      input: { action: 'insert', file: 'sample:bookmarked.pdf', insert: 'sample:letter.pdf', at: 1, insertPages: '1' },
    },
  ],

  async run(input, { qpdf, libpdf, out }) {
    const { file } = input
    const order = planOrder(input)
    const path = await openPdf(file, { qpdf, password: input.password, to: out('opened.pdf') })
    const insertedPath =
      input.action === 'insert'
        ? await openPdf(input.insert, { qpdf, password: input.insertPassword, to: out('inserted.pdf') })
        : undefined
    const parts = order.map(({ isInserted, pages }) => ({ path: isInserted ? insertedPath! : path, pages }))
    const files = input.action === 'insert' ? [file, input.insert] : [file]
    const hasAttachments = files.slice(1).some(({ facts }) => facts.marks?.includes('attachments'))
    const attachmentsFrom = hasAttachments ? [insertedPath!] : []
    const joined = await qpdf.arrange(path, parts, { to: out('pages.pdf'), attachmentsFrom })
    const needsCarryOver =
      repeatsPages(order) ||
      files.some(hasPageReferences) ||
      files.slice(1).some(({ facts }) => facts.marks?.includes('layers'))
    const outputPath = needsCarryOver
      ? await carryOver(joined, listPageSources(order, path, insertedPath), { qpdf, libpdf })
      : joined
    const warnings = [...collectInputWarnings(files), ...(files.some(isSigned) ? [SIGNATURES_REMOVED] : [])]
    const pages = countPages(order)
    const output = { path: outputPath, contentType: PDF, name: 'pages.pdf' }
    return { result: { output, pages }, units: pages, warnings }
  },
})
