import { Type } from 'typebox'
import { Choice, define, FileOutput, Problem, perCall } from '#kit'
import { opened } from './open-shape.ts'
import { Bookmarks, checkBookmarks, sizeOf } from './outline-shape.ts'
import { isSigned, PDF, PDF_ERRORS, PdfInput, pageCountOf, password, SIGNATURES_REMOVED, warningsOf } from './shape.ts'

export default define({
  summary: 'Read or write the bookmarks of a PDF.',
  description: 'What read gives, write takes. Writing keeps digital signatures valid where the signer allowed changes.',
  price: { ...perCall('0.001'), units: ({ action }: { action: string }) => (action === 'read' ? 1 : 2) },
  uses: ['qpdf', 'libpdf'],
  input: Type.Object({
    file: PdfInput(),
    action: Choice(['read', 'write', 'clear'], { default: 'read' }),
    bookmarks: Type.Optional(Bookmarks),
    mode: Choice(['replace', 'append'], { default: 'replace', description: 'Of write: what becomes of those there.' }),
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
    { title: 'The outline of a report', input: { file: 'sample:bookmarked.pdf' } },
    {
      title: 'An outline for a letter',
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
    const path = await opened(file, { qpdf, password: input.password, to: out('opened.pdf') })
    if (action === 'read') {
      const found = await libpdf.bookmarks(path)
      const warnings = warningsOf([file]).filter(({ code }) => code !== 'ENCRYPTION_REMOVED')
      return { result: { bookmarks: found, ...sizeOf(found) }, warnings }
    }
    const plan = { nodes: bookmarks ?? [], isAppending: action === 'write' && mode === 'append' }
    const written = await libpdf.writeBookmarks(path, { ...plan, to: out('written.pdf') })
    // A signature holds only for the very bytes it was given for: such a file is added to and never rewritten.
    const isAddedTo = isSigned(file) && path === file.path
    const isBroken = isSigned(file) && !isAddedTo
    const unsigned = isBroken ? await libpdf.dropSignatures(written, { to: out('unsigned.pdf') }) : written
    const whole = isAddedTo ? written : await qpdf.tidy(unsigned, { to: out('bookmarks.pdf') })
    const warnings = [...warningsOf([file]), ...(isBroken ? [SIGNATURES_REMOVED] : [])]
    return { result: { output: { path: whole, contentType: PDF, name: 'bookmarks.pdf' } }, warnings }
  },
})

function checkAction(action: string, bookmarks: unknown): void {
  if (action === 'write' && !bookmarks) throw new Problem('MISSING_FIELD', { field: 'bookmarks' })
  if (action !== 'write' && bookmarks) throw new Problem('CONFLICTING_OPTIONS', { fields: ['action', 'bookmarks'] })
}
