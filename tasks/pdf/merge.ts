import { Type } from 'typebox'
import { Choice, define, FileOutput, type InputFile, perPage, Secret } from '#kit'
import {
  checkLists,
  countOutputPages,
  type MergeInput,
  makeFilesReadable,
  mayJoinOnlyPages,
  needsStructureRestore,
  planParts,
} from './merge/plan.ts'
import { collectInputWarnings, isSigned, PDF, PDF_ERRORS, PdfInput, SIGNATURES_REMOVED } from './schema.ts'

const Nullable = (schema: object) => ({ anyOf: [schema, { type: 'null' }] })

export default define({
  summary: 'Merge PDFs in the order given.',
  keywords:
    'combine, glue, staple, put one document behind another, join, concatenate, append, put together, bind, merge pdf files, several pdfs into one',
  isFeatured: true,
  description:
    'Keeps outlines, named destinations, links, form fields, layers, labels and attachments of every file; title and ' +
    'other document properties come from the first.',
  price: perPage('0.001', (input: MergeInput) => countOutputPages(input), 'page of the result'),
  uses: ['qpdf', 'libpdf'],
  input: Type.Object({
    files: Type.Array(PdfInput(), { minItems: 2, maxItems: 200, description: 'At most 100.' }),
    passwords: Type.Optional(
      Type.Array(Type.Unsafe<string | null>(Nullable(Secret({ maxLength: 127 }))), {
        maxItems: 100,
        description: 'One per file, null where none is needed.',
      }),
    ),
    ranges: Type.Optional(
      Type.Array(Type.Unsafe<string | null>(Nullable({ type: 'string', maxLength: 10_000 })), {
        maxItems: 100,
        description: 'Of each file, pages such as 1-3,5, 7-, last, last-2, odd, even or all; null for all.',
      }),
    ),
    bookmarks: Choice(['keep', 'per-file', 'none'], {
      default: 'keep',
      description: '`per-file`: one bookmark per file, with its own bookmarks below it.',
    }),
    titles: Type.Optional(
      Type.Array(Type.String({ maxLength: 512 }), {
        maxItems: 100,
        description: 'Titles of the `per-file` bookmarks.',
      }),
    ),
    padToEven: Type.Boolean({
      default: false,
      description: 'Add a blank page after each file with an odd number of pages, for double-sided printing.',
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
      title: 'Selected pages, one bookmark per file',
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
    const files = await makeFilesReadable(input, (file, index, password) =>
      qpdf.normalize(file.path, { to: out(`clean-${index}.pdf`), password }).then(({ path }) => path),
    )
    const parts = planParts(input, files)
    const attachmentsFrom = selectWithAttachments(input.files, files)
    const to = out('joined.pdf')
    const joined =
      (mayJoinOnlyPages(input, parts) && (await libpdf.joinPagesIfPlain(parts, { to }))) ||
      (await qpdf.join(parts, { to, attachmentsFrom }))
    progress(1, 2, 'steps')
    const restoreStructure = () =>
      libpdf.restoreStructure(joined, parts, { bookmarks, padToEven, to: out('restored.pdf') })
    const path = needsStructureRestore(input)
      ? await qpdf.rewrite(await restoreStructure(), { to: out('merged.pdf') })
      : joined
    const warnings = [...collectInputWarnings(input.files), ...(input.files.some(isSigned) ? [SIGNATURES_REMOVED] : [])]
    const pages = countOutputPages(input)
    return { result: { output: { path, contentType: PDF, name: 'merged.pdf' }, pages }, units: pages, warnings }
  },
})

function selectWithAttachments(inputs: readonly InputFile[], files: readonly string[]): string[] {
  return files.filter((_, index) => index > 0 && inputs[index]!.facts.marks?.includes('attachments'))
}
