import { Type } from 'typebox'
import { define, FileManifest, type InputFile, PageRanges, perPage } from '#kit'
import { carried, refersToPages } from './carry-shape.ts'
import { opened } from './open-shape.ts'
import { isSigned, PDF, PDF_ERRORS, PdfInput, pageCountOf, password, SIGNATURES_REMOVED, warningsOf } from './shape.ts'
import { type Cut, checkCuts, cutsOf, halves, outputOf, partTooLarge } from './split-shape.ts'

export default define({
  summary: 'Cut a PDF into several.',
  description:
    'Each page by itself, unless one of ranges, every, atBookmarks and maxPartBytes says how. Bookmarks, links, form ' +
    'fields and labels stay with their pages.',
  price: perPage('0.001', ({ file }: { file: InputFile }) => pageCountOf(file)),
  uses: ['qpdf', 'libpdf'],
  input: Type.Object({
    file: PdfInput(),
    ranges: Type.Optional(PageRanges({ description: 'A part for each comma segment, such as 1-3,7-,last.' })),
    burst: Type.Boolean({ default: false, description: 'Each page by itself.' }),
    every: Type.Optional(Type.Integer({ minimum: 1, maximum: 1000, description: 'Pages of each part.' })),
    atBookmarks: Type.Optional(
      Type.Integer({ minimum: 1, maximum: 6, description: 'A part for each bookmark down to this level.' }),
    ),
    maxPartBytes: Type.Optional(Type.Integer({ minimum: 65_536, description: 'The largest a part may be.' })),
    names: Type.Optional(
      Type.Array(Type.String({ maxLength: 255 }), { maxItems: 100, description: 'File names of the parts, in order.' }),
    ),
    password,
  }),
  output: Type.Object({
    files: FileManifest(PDF, {
      pages: Type.Integer({ minimum: 1 }),
      range: Type.String(),
      title: Type.Optional(Type.String()),
    }),
  }),
  errors: [...PDF_ERRORS, 'BAD_RANGE', 'CONFLICTING_OPTIONS', 'INVALID_PARAM', 'NO_BOOKMARKS', 'TOO_MANY_OUTPUTS'],
  examples: [
    { title: 'Each page by itself', input: { file: 'sample:two-pages.pdf' } },
    {
      title: 'A part for each chapter',
      input: { file: 'sample:bookmarked.pdf', atBookmarks: 1 },
    },
  ],

  async run(input, { qpdf, libpdf, out, progress }) {
    const { file, maxPartBytes = Infinity } = input
    const path = await opened(file, { qpdf, password: input.password, to: out('opened.pdf') })
    const done: Part[] = []
    let waiting = cutsOf(input, input.atBookmarks ? await libpdf.bookmarks(path) : [])
    for (let round = 1; waiting.length > 0; round += 1) {
      const wanted = waiting.map((cut, index) => ({ cut, pages: cut.pages, to: out(`part-${round}-${index}.pdf`) }))
      const taken = await qpdf.take(path, wanted)
      const carry = ({ to, pages }: { to: string; pages: number[] }) =>
        carried(to, [{ path, pages, start: 0 }], { qpdf, libpdf })
      const whole = refersToPages(file) ? await Promise.all(wanted.map(carry)) : taken
      const sizes = await qpdf.sizesOf(whole)
      const made = waiting.map((cut, index) => ({ cut, path: whole[index]!, isOver: sizes[index]! > maxPartBytes }))
      const isToHalve = ({ cut, isOver }: Part) => isOver && cut.pages.length > 1
      done.push(...made.filter(part => !isToHalve(part)))
      waiting = made.filter(isToHalve).flatMap(({ cut }) => halves(cut))
      checkCuts([...done.map(({ cut }) => cut), ...waiting], { names: [] })
      progress(done.length, done.length + waiting.length, 'parts')
    }
    const parts = maxPartBytes === Infinity ? done : done.sort((a, b) => a.cut.pages[0]! - b.cut.pages[0]!)
    checkCuts(
      parts.map(({ cut }) => cut),
      input,
    )
    const files = parts.map((part, index) => ({ index, ...outputOf(part.cut, part.path, input.names?.[index]) }))
    const over = parts.filter(({ isOver }) => isOver).map(({ cut }) => partTooLarge(cut))
    const warnings = [...warningsOf([file]), ...(isSigned(file) ? [SIGNATURES_REMOVED] : []), ...over]
    return { result: { files }, warnings }
  },
})

interface Part {
  cut: Cut
  path: string
  isOver: boolean
}
