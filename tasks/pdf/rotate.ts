import { Type } from 'typebox'
import { Choice, define, FileOutput, type InputFile, PageRanges, perPage } from '#kit'
import { isReadableAsIs } from '../formats/pdf/opening.ts'
import {
  allowBreakSignatures,
  collectInputWarnings,
  isSigned,
  PDF,
  PDF_ERRORS,
  PdfInput,
  password,
  rejectIfSigned,
  SIGNATURES_REMOVED,
  selectPages,
} from './schema.ts'

export default define({
  summary: 'Rotate pages of a PDF clockwise.',
  keywords:
    'turn, orientation, upside down, right way up, sideways, degrees, landscape, rotate the first page of a pdf',
  description: 'Rotates relative to the current rotation of each page. A page named twice is rotated once.',
  price: perPage(
    '0.001',
    ({ file, pages }: { file: InputFile; pages: string }) => listPagesToRotate(file, pages).length,
    'rotated page',
  ),
  uses: ['qpdf', 'libpdf'],
  input: Type.Object({
    file: PdfInput(),
    degrees: Type.Union(
      [Choice(['90', '180', '270']), Type.Unsafe<90 | 180 | 270>({ type: 'integer', enum: [90, 180, 270] })],
      {
        description: 'Clockwise; a number is accepted too.',
      },
    ),
    pages: PageRanges({ default: 'all' }),
    password,
    allowBreakSignatures,
  }),
  output: Type.Object({ output: FileOutput(PDF), rotatedPages: Type.Integer({ minimum: 1 }) }),
  errors: [...PDF_ERRORS, 'BAD_RANGE', 'PDF_SIGNED'],
  examples: [
    {
      title: 'Rotate the first page',
      input: { file: 'sample:two-pages.pdf', degrees: '90', pages: '1' },
      answer: { rotatedPages: 1 },
    },
    {
      title: 'Turn every page upside down',
      input: { file: 'sample:two-pages.pdf', degrees: '180' },
      answer: { rotatedPages: 2 },
    },
  ],

  async run(input, { qpdf, libpdf, out }) {
    const { file } = input
    rejectIfSigned(file, input.allowBreakSignatures)
    const pages = listPagesToRotate(file, input.pages)
    const degrees = Number(input.degrees)
    const options = { degrees, pages, to: out('turned.pdf') }
    const rotated = isReadableAsIs(file)
      ? await libpdf.rotatePages(file.path, options)
      : await qpdf.rotate(file.path, { ...options, password: input.password })
    const path = isSigned(file) ? await libpdf.dropSignatures(rotated, { to: out('unsigned.pdf') }) : rotated
    const warnings = [...collectInputWarnings([file]), ...(isSigned(file) ? [SIGNATURES_REMOVED] : [])]
    const output = { path, contentType: PDF, name: 'rotated.pdf' }
    return { result: { output, rotatedPages: pages.length }, units: pages.length, warnings }
  },
})

function listPagesToRotate(file: InputFile, pages: string): number[] {
  return selectPages(file, pages).sort((a, b) => a - b)
}
