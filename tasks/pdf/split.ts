import { Type } from 'typebox'
import { define, FileManifest, FileOutput, type InputFile, PageRanges, perPage } from '#kit'
import { carriedEach, refersToPages } from './carry-shape.ts'
import { opened } from './open-shape.ts'
import { parcelOf, ZIP, zip } from './parcel-shape.ts'
import { isSigned, PDF, PDF_ERRORS, PdfInput, pageCountOf, password, SIGNATURES_REMOVED, warningsOf } from './shape.ts'
import { type Cut, checkCuts, cutsOf, halves, outputOf, partTooLarge } from './split-shape.ts'

const FACTS = {
  pages: Type.Integer({ minimum: 1 }),
  range: Type.String(),
  title: Type.Optional(Type.String()),
}

export default define({
  summary: 'Cut a PDF into several.',
  description:
    'Each page by itself, unless one of ranges, every, atBookmarks and maxPartBytes says how. Bookmarks, links, form ' +
    'fields and labels stay with their pages.',
  price: perPage('0.001', ({ file }: { file: InputFile }) => pageCountOf(file)),
  uses: ['qpdf', 'libpdf', 'zip'],
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
      Type.Array(Type.String({ maxLength: 255 }), {
        maxItems: 1000,
        description: 'File names of the parts, in order.',
      }),
    ),
    zip,
    password,
  }),
  output: Type.Object({
    files: Type.Optional(FileManifest(PDF, FACTS)),
    output: Type.Optional(FileOutput(ZIP)),
    parts: Type.Optional(Type.Array(Type.Object({ ...FACTS, name: Type.String(), contentType: Type.String() }))),
  }),
  errors: [...PDF_ERRORS, 'BAD_RANGE', 'CONFLICTING_OPTIONS', 'INVALID_PARAM', 'NO_BOOKMARKS', 'TOO_MANY_OUTPUTS'],
  examples: [
    { title: 'Each page by itself', input: { file: 'sample:two-pages.pdf' } },
    {
      title: 'A part for each chapter',
      input: { file: 'sample:bookmarked.pdf', atBookmarks: 1 },
    },
    {
      title: 'Pages under names of their own, in a zip',
      input: { file: 'sample:two-pages.pdf', names: ['front', 'back'], zip: true },
      answer: { parts: [{ name: 'front.pdf', pages: 1, range: '1' }, { name: 'back.pdf' }] },
    },
  ],

  async run(input, { qpdf, libpdf, zip, out, progress }) {
    const { file, maxPartBytes = Infinity } = input
    const path = await opened(file, { qpdf, password: input.password, to: out('opened.pdf') })
    const done: Part[] = []
    let waiting = cutsOf(input, input.atBookmarks ? await libpdf.bookmarks(path) : [])
    for (let round = 1; waiting.length > 0; round += 1) {
      const wanted = waiting.map((cut, index) => ({ cut, pages: cut.pages, to: out(`part-${round}-${index}.pdf`) }))
      const taken = (isBare(file) && (await libpdf.cut(path, wanted))) || (await qpdf.take(path, wanted))
      const parts = wanted.map(({ pages }, index) => ({ path: taken[index]!, pages }))
      const whole = refersToPages(file) ? await carriedEach(path, parts, { qpdf, libpdf }) : taken
      const sizes = await qpdf.sizesOf(whole)
      const made = waiting.map((cut, index) => ({ cut, path: whole[index]!, isOver: sizes[index]! > maxPartBytes }))
      const isToHalve = ({ cut, isOver }: Part) => isOver && cut.pages.length > 1
      done.push(...made.filter(part => !isToHalve(part)))
      waiting = made.filter(isToHalve).flatMap(({ cut }) => halves(cut))
      checkCuts([...done.map(({ cut }) => cut), ...waiting], { zip: input.zip })
      progress(done.length, done.length + waiting.length, 'parts')
    }
    const parts = maxPartBytes === Infinity ? done : done.sort((a, b) => a.cut.pages[0]! - b.cut.pages[0]!)
    checkCuts(
      parts.map(({ cut }) => cut),
      input,
    )
    const files = parts.map((part, index) => outputOf(part.cut, part.path, input.names?.[index], index))
    const result = await parcelOf(files, { zip, isZipped: input.zip, out, name: 'parts.zip' })
    const over = parts.filter(({ isOver }) => isOver).map(({ cut }) => partTooLarge(cut))
    const warnings = [...warningsOf([file]), ...(isSigned(file) ? [SIGNATURES_REMOVED] : []), ...over]
    return { result, warnings }
  },
})

interface Part {
  cut: Cut
  path: string
  isOver: boolean
}

const LARGEST_BARE_BYTES = 16 * 2 ** 20

/** It may be nothing but pages, such as a scan. */
function isBare({ facts, sizeBytes }: InputFile): boolean {
  return sizeBytes <= LARGEST_BARE_BYTES && (facts.marks ?? []).length === 0
}
