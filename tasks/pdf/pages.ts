import { Type } from 'typebox'
import { define, FileOutput, PageRanges, perPage, Secret } from '#kit'
import { carried, refersToPages } from './carry-shape.ts'
import { opened } from './open-shape.ts'
import { orderOf, originsOf, type PagesInput, pagesIn, repeatsPages } from './order-shape.ts'
import { isSigned, PDF, PDF_ERRORS, PdfInput, password, SIGNATURES_REMOVED, warningsOf } from './shape.ts'

const Action = <const Word extends string>(word: Word) => Type.Unsafe<Word>({ type: 'string', const: word })

const Delete = Type.Object({
  action: Action('delete'),
  file: PdfInput(),
  pages: PageRanges({ description: 'The pages that go, such as 1-3,5, last or even.' }),
  password,
})

const Reorder = Type.Object({
  action: Action('reorder'),
  file: PdfInput(),
  order: Type.Array(Type.Integer({ minimum: 1 }), {
    minItems: 1,
    maxItems: 2000,
    description: 'The pages of the result by their present numbers; a page may be left out or repeated.',
  }),
  password,
})

const Insert = Type.Object({
  action: Action('insert'),
  file: PdfInput(),
  insert: PdfInput('The document whose pages are inserted.'),
  at: Type.Integer({ minimum: 1, description: 'The number the first inserted page gets; one past the end appends.' }),
  insertPages: PageRanges({ default: 'all' }),
  insertPassword: Type.Optional(Secret({ maxLength: 127 })),
  password,
})

export default define({
  summary: 'Delete, reorder or insert pages of a PDF.',
  description:
    'Bookmarks and links follow the pages they lead to; those that lead to deleted pages go or lead nowhere.',
  price: perPage('0.001', (input: PagesInput) => pagesIn(orderOf(input))),
  uses: ['qpdf', 'libpdf'],
  input: Type.Unsafe<PagesInput>({ oneOf: [Delete, Reorder, Insert], discriminator: { propertyName: 'action' } }),
  output: Type.Object({ output: FileOutput(PDF), pages: Type.Integer({ minimum: 1 }) }),
  errors: [...PDF_ERRORS, 'BAD_RANGE', 'NO_PAGES_LEFT'],
  examples: [
    {
      title: 'Leave out the first page',
      input: { action: 'delete', file: 'sample:two-pages.pdf', pages: '1' },
      answer: { pages: 1 },
    },
    {
      title: 'Turn the order round',
      input: { action: 'reorder', file: 'sample:two-pages.pdf', order: [2, 1] },
      answer: { pages: 2 },
    },
    {
      title: 'A letter before the report',
      input: { action: 'insert', file: 'sample:bookmarked.pdf', insert: 'sample:letter.pdf', at: 1, insertPages: '1' },
    },
  ],

  async run(input, { qpdf, libpdf, out }) {
    const { file } = input
    const order = orderOf(input)
    const path = await opened(file, { qpdf, password: input.password, to: out('opened.pdf') })
    const inserted =
      input.action === 'insert'
        ? await opened(input.insert, { qpdf, password: input.insertPassword, to: out('inserted.pdf') })
        : undefined
    const parts = order.map(({ isInserted, pages }) => ({ path: isInserted ? inserted! : path, pages }))
    const files = input.action === 'insert' ? [file, input.insert] : [file]
    const hasFiles = files.slice(1).some(({ facts }) => facts.marks?.includes('attachments'))
    const attachmentsFrom = hasFiles ? [inserted!] : []
    const joined = await qpdf.arrange(path, parts, { to: out('pages.pdf'), attachmentsFrom })
    const needsCare =
      repeatsPages(order) ||
      files.some(refersToPages) ||
      files.slice(1).some(({ facts }) => facts.marks?.includes('layers'))
    const whole = needsCare ? await carried(joined, originsOf(order, path, inserted), { qpdf, libpdf }) : joined
    const warnings = [...warningsOf(files), ...(files.some(isSigned) ? [SIGNATURES_REMOVED] : [])]
    const pages = pagesIn(order)
    return { result: { output: { path: whole, contentType: PDF, name: 'pages.pdf' }, pages }, units: pages, warnings }
  },
})
