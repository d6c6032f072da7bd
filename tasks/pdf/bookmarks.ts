import { Type } from 'typebox'
import { Choice, define, FileOutput, Problem } from '#kit'
import { openPdf } from '../formats/pdf/opening.ts'
import { Bookmarks, checkBookmarks, measureTree } from './bookmarks/tree.ts'
import {
  collectInputWarnings,
  collectReadWarnings,
  isSigned,
  PDF,
  PDF_ERRORS,
  PdfInput,
  pageCountOf,
  password,
  perChange,
  SIGNATURES_REMOVED,
} from './schema.ts'

export default define({
  summary: 'Read or write the bookmarks of a PDF.',
  keywords: 'outline, table of contents, toc, chapters, navigation',
  description: '`write` accepts what `read` returns. Writing leaves signatures intact, but checks of them report it.',
  price: perChange('read'),
  uses: ['qpdf', 'libpdf'],
  input: Type.Object({
    file: PdfInput(),
    action: Choice(['read', 'write', 'clear'], { default: 'read' }),
    bookmarks: Type.Optional(Bookmarks),
    mode: Choice(['replace', 'append'], {
      default: 'replace',
      description: 'For write: replace the existing bookmarks or add to them.',
    }),
    password,
  }),
  output: Type.Object({
    bookmarks: Type.Optional(Bookmarks),
    count: Type.Optional(Type.Integer({ minimum: 0 })),
    maxDepth: Type.Optional(Type.Integer({ minimum: 0 })),
    output: Type.Optional(FileOutput(PDF)),
  }),
  errors: [...PDF_ERRORS, 'BAD_RANGE', 'CONFLICTING_OPTIONS', 'INVALID_BOOKMARKS', 'MISSING_FIELD'],
  examples: [
    { title: 'Read the outline of a report', input: { file: 'sample:bookmarked.pdf' } },
    {
      title: 'Add an outline to a letter',
      input: {
        file: 'sample:letter.pdf',
        action: 'write',
        bookmarks: [{ title: 'Report', page: 1, children: [{ title: 'Stores', page: 2, bold: true }] }],
      },
    },
  ],

  async run(input, { qpdf, libpdf, out }) {
    const { file, action, bookmarks, mode } = input
    checkAction(action, bookmarks)
    checkBookmarks(bookmarks ?? [], pageCountOf(file))
    const path = await openPdf(file, { qpdf, password: input.password, to: out('opened.pdf') })
    if (action === 'read') {
      const bookmarkTree = await libpdf.readBookmarks(path)
      const warnings = collectReadWarnings(file)
      return { result: { bookmarks: bookmarkTree, ...measureTree(bookmarkTree) }, warnings }
    }
    const plan = { nodes: bookmarks ?? [], isAppending: action === 'write' && mode === 'append' }
    const written = await libpdf.writeBookmarks(path, { ...plan, to: out('written.pdf') })
    // A signature covers the exact bytes of the file: a signed file is only appended to, never rewritten.
    const isIncrementalUpdate = isSigned(file) && path === file.path
    const dropsSignatures = isSigned(file) && !isIncrementalUpdate
    const unsigned = dropsSignatures ? await libpdf.dropSignatures(written, { to: out('unsigned.pdf') }) : written
    const outputPath = isIncrementalUpdate ? written : await qpdf.rewrite(unsigned, { to: out('bookmarks.pdf') })
    const warnings = [...collectInputWarnings([file]), ...(dropsSignatures ? [SIGNATURES_REMOVED] : [])]
    return { result: { output: { path: outputPath, contentType: PDF, name: 'bookmarks.pdf' } }, warnings }
  },
})

function checkAction(action: string, bookmarks: unknown): void {
  if (action === 'write' && !bookmarks) throw new Problem('MISSING_FIELD', { field: 'bookmarks' })
  if (action !== 'write' && bookmarks) throw new Problem('CONFLICTING_OPTIONS', { fields: ['action', 'bookmarks'] })
}
