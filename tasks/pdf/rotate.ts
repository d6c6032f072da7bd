import { Type } from 'typebox'
import { Choice, define, FileOutput, type InputFile, PageRanges, pagesOf, perPage } from '#kit'
import { opensPlainly } from './open-shape.ts'
import {
  allowBreakSignatures,
  isSigned,
  PDF,
  PDF_ERRORS,
  PdfInput,
  pageCountOf,
  password,
  refuseSigned,
  SIGNATURES_REMOVED,
  warningsOf,
} from './shape.ts'

export default define({
  summary: 'Turn pages of a PDF clockwise.',
  description: 'Turns relative to how each page stands now. A page named twice is turned once.',
  price: perPage('0.001', ({ file, pages }: { file: InputFile; pages: string }) => pagesToTurn(file, pages).length),
  uses: ['qpdf', 'libpdf'],
  input: Type.Object({
    file: PdfInput(),
    degrees: Type.Union(
      [Choice(['90', '180', '270']), Type.Unsafe<90 | 180 | 270>({ type: 'integer', enum: [90, 180, 270] })],
      {
        description: 'Clockwise; a number is taken too.',
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
      title: 'Turn the first page',
      input: { file: 'sample:two-pages.pdf', degrees: '90', pages: '1' },
      answer: { rotatedPages: 1 },
    },
    {
      title: 'Stand every page on its head',
      input: { file: 'sample:two-pages.pdf', degrees: '180' },
      answer: { rotatedPages: 2 },
    },
  ],

  async run(input, { qpdf, libpdf, out }) {
    const { file } = input
    refuseSigned(file, input.allowBreakSignatures)
    const pages = pagesToTurn(file, input.pages)
    const degrees = Number(input.degrees)
    const how = { degrees, pages, to: out('turned.pdf') }
    const turned = opensPlainly(file)
      ? await libpdf.turn(file.path, how)
      : await qpdf.rotate(file.path, { ...how, password: input.password })
    const path = isSigned(file) ? await libpdf.dropSignatures(turned, { to: out('unsigned.pdf') }) : turned
    const warnings = [...warningsOf([file]), ...(isSigned(file) ? [SIGNATURES_REMOVED] : [])]
    const output = { path, contentType: PDF, name: 'rotated.pdf' }
    return { result: { output, rotatedPages: pages.length }, units: pages.length, warnings }
  },
})

function pagesToTurn(file: InputFile, pages: string): number[] {
  return [...new Set(pagesOf(pages, pageCountOf(file)))].sort((a, b) => a - b)
}
