import { Type } from 'typebox'
import { define, FileManifest, FileOutput, type InputFile, PageRanges, perPage } from '#kit'
import { carryOverEach, hasPageReferences } from '../formats/pdf/carry-over.ts'
import { packageParts, ZIP, zip } from '../formats/pdf/manifest.ts'
import { mayHoldOnlyPages, openPdf } from '../formats/pdf/opening.ts'
import {
  collectInputWarnings,
  isSigned,
  PDF,
  PDF_ERRORS,
  PdfInput,
  pageCountOf,
  password,
  SIGNATURES_REMOVED,
} from './schema.ts'
import {
  buildPartTooLargeWarning,
  checkPlannedParts,
  describePart,
  halvePart,
  type PlannedPart,
  planParts,
} from './split/plan.ts'

const PART_FIELDS = {
  pages: Type.Integer({ minimum: 1 }),
  range: Type.String(),
  title: Type.Optional(Type.String()),
}

export default define({
  summary: 'Split a PDF into several files.',
  keywords:
    'separate, single pages, burst, divide, every n pages, chapters, cut, extract pages, keep only some pages, pages of a pdf as a new file, one file for each page, pages 3 to 4 of a pdf',
  isFeatured: true,
  description:
    'Into single pages, unless one of ranges, every, atBookmarks and maxPartBytes is given. Bookmarks, links, form ' +
    'fields and labels stay with their pages.',
  price: perPage('0.001', ({ file }: { file: InputFile }) => pageCountOf(file)),
  uses: ['qpdf', 'libpdf', 'zip'],
  input: Type.Object({
    file: PdfInput(),
    ranges: Type.Optional(PageRanges({ description: 'One part per comma-separated segment, such as 1-3,7-,last.' })),
    burst: Type.Boolean({ default: false, description: 'Split into single pages.' }),
    every: Type.Optional(Type.Integer({ minimum: 1, maximum: 1000, description: 'Pages per part.' })),
    atBookmarks: Type.Optional(
      Type.Integer({ minimum: 1, maximum: 6, description: 'One part per bookmark down to this level.' }),
    ),
    maxPartBytes: Type.Optional(Type.Integer({ minimum: 65_536, description: 'Maximum size of a part.' })),
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
    files: Type.Optional(FileManifest(PDF, PART_FIELDS)),
    output: Type.Optional(FileOutput(ZIP)),
    parts: Type.Optional(Type.Array(Type.Object({ ...PART_FIELDS, name: Type.String(), contentType: Type.String() }))),
  }),
  errors: [...PDF_ERRORS, 'BAD_RANGE', 'CONFLICTING_OPTIONS', 'INVALID_PARAM', 'NO_BOOKMARKS', 'TOO_MANY_OUTPUTS'],
  examples: [
    { title: 'Single pages', input: { file: 'sample:two-pages.pdf' } },
    {
      title: 'One part per chapter',
      input: { file: 'sample:bookmarked.pdf', atBookmarks: 1 },
    },
    {
      title: 'Named pages in a zip',
      input: { file: 'sample:two-pages.pdf', names: ['front', 'back'], zip: true },
      answer: { parts: [{ name: 'front.pdf', pages: 1, range: '1' }, { name: 'back.pdf' }] },
    },
  ],

  async run(input, { qpdf, libpdf, zip, out, progress }) {
    const { file, maxPartBytes = Infinity } = input
    const path = await openPdf(file, { qpdf, password: input.password, to: out('opened.pdf') })
    const finished: WrittenPart[] = []
    let pending = planParts(input, input.atBookmarks ? await libpdf.readBookmarks(path) : [])
    for (let round = 1; pending.length > 0; round += 1) {
      const requests = pending.map((plan, index) => ({ pages: plan.pages, to: out(`part-${round}-${index}.pdf`) }))
      const extracted =
        (mayHoldOnlyPages([file]) && (await libpdf.extractPagesIfPlain(path, requests))) ||
        (await qpdf.extractPages(path, requests))
      const parts = requests.map(({ pages }, index) => ({ path: extracted[index]!, pages }))
      const paths = hasPageReferences(file) ? await carryOverEach(path, parts, { qpdf, libpdf }) : extracted
      const sizes = await qpdf.fileSizes(paths)
      const written = pending.map((plan, index) => ({
        plan,
        path: paths[index]!,
        isTooLarge: sizes[index]! > maxPartBytes,
      }))
      const needsHalving = ({ plan, isTooLarge }: WrittenPart) => isTooLarge && plan.pages.length > 1
      finished.push(...written.filter(part => !needsHalving(part)))
      pending = written.filter(needsHalving).flatMap(({ plan }) => halvePart(plan))
      checkPlannedParts([...finished.map(({ plan }) => plan), ...pending], { zip: input.zip })
      progress(finished.length, finished.length + pending.length, 'parts')
    }
    const parts = maxPartBytes === Infinity ? finished : finished.sort((a, b) => a.plan.pages[0]! - b.plan.pages[0]!)
    const plans = parts.map(({ plan }) => plan)
    checkPlannedParts(plans, input)
    const files = parts.map((part, index) => describePart(part.plan, part.path, input.names?.[index], index))
    const result = await packageParts(files, { zip, isZipped: input.zip, out, name: 'parts.zip' })
    const warnings = [...collectInputWarnings([file]), ...(isSigned(file) ? [SIGNATURES_REMOVED] : [])]
    const tooLarge = parts.filter(({ isTooLarge }) => isTooLarge)
    return { result, warnings: [...warnings, ...tooLarge.map(({ plan }) => buildPartTooLargeWarning(plan))] }
  },
})

interface WrittenPart {
  plan: PlannedPart
  path: string
  isTooLarge: boolean
}
