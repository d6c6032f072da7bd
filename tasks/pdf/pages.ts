import { Type } from 'typebox'
import { define, FileOutput, type InputFile, perPage, type Warning } from '#kit'
import { carryOver, hasPageReferences, mixesLabels } from '../formats/pdf/carry-over.ts'
import { openPdf } from '../formats/pdf/opening.ts'
import { findBlankPages } from './pages/blank.ts'
import { countPages, listPageSources, type PagesInput, planOrder, repeatsPages } from './pages/order.ts'
import { PagesInputSchema } from './pages/schema.ts'
import {
  collectInputWarnings,
  collectRewriteWarnings,
  isSigned,
  PDF,
  PDF_ERRORS,
  pageCountOf,
  SIGNATURES_REMOVED,
} from './schema.ts'

export default define({
  summary: 'Delete, reorder or insert pages of a PDF, or remove its blank pages.',
  keywords:
    'take pages out, keep pages 3 to 7, delete page, remove page, reorder, insert, move, add blank page, cover page, reverse, ' +
    'remove blank pages, delete empty pages, skip white pages of a scan',
  description:
    'Bookmarks and links follow the pages they point to; bookmarks of deleted pages are removed, links to them are ' +
    'disabled. `delete-blank` looks at each page as a viewer draws it, finds the empty sides of a scan too, and names ' +
    'what it removed.',
  price: {
    ...perPage('0.001', (input: PagesInput) => countPages(planOrder(input)), 'page of the result'),
    note: '`delete-blank` costs for all pages of the document, as it looks at each.',
  },
  uses: ['qpdf', 'libpdf', 'pageSnapshots'],
  input: PagesInputSchema,
  output: Type.Object({
    output: FileOutput(PDF),
    pages: Type.Integer({ minimum: 1 }),
    removed: Type.Optional(
      Type.Array(Type.Integer({ minimum: 1 }), { description: 'For delete-blank: the pages that were blank.' }),
    ),
  }),
  errors: [...PDF_ERRORS, 'BAD_RANGE', 'NO_PAGES_LEFT'],
  examples: [
    {
      title: 'Delete the first page',
      input: { action: 'delete', file: 'sample:two-pages.pdf', pages: '1' },
      answer: { pages: 1 },
    },
    {
      title: 'Remove the blank pages',
      input: { action: 'delete-blank', file: 'sample:letter.pdf' },
      answer: { pages: 2, removed: [] },
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

  async run(input, { qpdf, libpdf, pageSnapshots, out, progress }) {
    const { file } = input
    planOrder(input)
    const path = await openPdf(file, { qpdf, password: input.password, to: out('opened.pdf') })
    const removed =
      input.action === 'delete-blank'
        ? await findBlankPages(path, input, { find: pageSnapshots.findBlank, progress })
        : undefined
    if (removed?.length === 0) return { result: describeWhole(file, path), warnings: collectWholeWarnings(file, path) }
    const order = planOrder(input, removed)
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
      mixesLabels(files) ||
      files.slice(1).some(({ facts }) => facts.marks?.includes('layers'))
    const outputPath = needsCarryOver
      ? await carryOver(joined, listPageSources(order, path, insertedPath), { qpdf, libpdf })
      : joined
    const warnings = [...collectInputWarnings(files), ...(files.some(isSigned) ? [SIGNATURES_REMOVED] : [])]
    const pages = countPages(order)
    const output = { path: outputPath, contentType: PDF, name: 'pages.pdf' }
    const units = removed ? pageCountOf(file) : pages
    return { result: { output, pages, ...(removed && { removed }) }, units, warnings }
  },
})

/** Nothing is blank: the document is returned as it is, with the signatures it has. */
function describeWhole(file: InputFile, path: string) {
  return { output: { path, contentType: PDF, name: 'pages.pdf' }, pages: pageCountOf(file), removed: [] }
}

function collectWholeWarnings(file: InputFile, path: string): Warning[] {
  return path === file.path ? collectInputWarnings([file]) : collectRewriteWarnings(file)
}
