import { Type } from 'typebox'
import { Choice, define, FileOutput, type InputFile, perPage, Secret } from '#kit'
import { checkLists, type MergeInput, needsStitching, opened, pagesIn, partsOf } from './merge-shape.ts'
import { isSigned, PDF, PDF_ERRORS, PdfInput, SIGNATURES_REMOVED, warningsOf } from './shape.ts'

const Nullable = (schema: object) => ({ anyOf: [schema, { type: 'null' }] })

export default define({
  summary: 'Join PDFs in the order given.',
  description:
    'Outlines, named destinations, links, form fields, layers, labels and attachments of every file stay; title and ' +
    'other document facts come from the first.',
  price: perPage('0.001', (input: MergeInput) => pagesIn(input)),
  uses: ['qpdf', 'libpdf'],
  input: Type.Object({
    files: Type.Array(PdfInput(), { minItems: 2, maxItems: 200, description: 'At most 100.' }),
    passwords: Type.Optional(
      Type.Array(Type.Unsafe<string | null>(Nullable(Secret({ maxLength: 127 }))), {
        maxItems: 100,
        description: 'One for each file, null where none is needed.',
      }),
    ),
    ranges: Type.Optional(
      Type.Array(Type.Unsafe<string | null>(Nullable({ type: 'string', maxLength: 10_000 })), {
        maxItems: 100,
        description: 'The pages taken from each file, null for all.',
      }),
    ),
    bookmarks: Choice(['keep', 'per-file', 'none'], {
      default: 'keep',
      description: '`per-file`: a bookmark for each file, with its own below it.',
    }),
    titles: Type.Optional(
      Type.Array(Type.String({ maxLength: 512 }), { maxItems: 100, description: 'Of the bookmarks `per-file`.' }),
    ),
    padToEven: Type.Boolean({
      default: false,
      description: 'A blank page after each part with an odd number of pages, for printing on both sides.',
    }),
  }),
  output: Type.Object({ output: FileOutput(PDF), pages: Type.Integer({ minimum: 1 }) }),
  errors: [...PDF_ERRORS, 'BAD_RANGE', 'INVALID_PARAM', 'TOO_MANY_INPUTS'],
  examples: [
    {
      title: 'Two files into one',
      input: { files: ['sample:two-pages.pdf', 'sample:bookmarked.pdf'] },
      answer: { pages: 4 },
    },
    {
      title: 'Chosen pages, a bookmark for each file',
      input: {
        files: ['sample:two-pages.pdf', 'sample:bookmarked.pdf'],
        ranges: ['2', null],
        bookmarks: 'per-file',
        titles: ['Letter', 'Report'],
      },
      answer: { pages: 3 },
    },
  ],

  async run(input, { qpdf, libpdf, out, progress }) {
    checkLists(input)
    const { bookmarks, padToEven } = input
    const files = await opened(input, (file, index, password) =>
      qpdf.clean(file.path, { to: out(`clean-${index}.pdf`), password }).then(({ path }) => path),
    )
    const parts = partsOf(input, files)
    const attachmentsFrom = attached(input.files, files)
    const joined = await qpdf.join(parts, { to: out('joined.pdf'), attachmentsFrom })
    progress(1, 2, 'steps')
    const path = needsStitching(input)
      ? await qpdf.tidy(await libpdf.stitch(joined, parts, { bookmarks, padToEven, to: out('stitched.pdf') }), {
          to: out('merged.pdf'),
        })
      : joined
    const warnings = [...warningsOf(input.files), ...(input.files.some(isSigned) ? [SIGNATURES_REMOVED] : [])]
    const pages = pagesIn(input)
    return { result: { output: { path, contentType: PDF, name: 'merged.pdf' }, pages }, units: pages, warnings }
  },
})

function attached(inputs: readonly InputFile[], files: readonly string[]): string[] {
  return files.filter((_, index) => index > 0 && inputs[index]!.facts.marks?.includes('attachments'))
}
