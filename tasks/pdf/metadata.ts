import { Type } from 'typebox'
import { Choice, define, FileOutput, Problem, perCall } from '#kit'
import { factsOf, ReadFacts } from './facts-shape.ts'
import { Change, newMetadata } from './metadata-shape.ts'
import { opened } from './open-shape.ts'
import {
  allowBreakSignatures,
  isSigned,
  PDF,
  PDF_ERRORS,
  PdfInput,
  password,
  refuseSigned,
  SIGNATURES_REMOVED,
  warningsOf,
} from './shape.ts'

const PDFA_LOST = { code: 'PDFA_LOST', message: 'The claim to be PDF/A went with the metadata that it stood in.' }

export default define({
  summary: 'Read, write or strip what a PDF says of itself.',
  description:
    'Writing keeps the information dictionary and the XMP in step, and digital signatures valid where the signer allowed ' +
    'changes. Stripping takes away both, thumbnails and what programs left behind on pages and pictures.',
  price: { ...perCall('0.001'), units: ({ action }: { action: string }) => (action === 'read' ? 1 : 2) },
  uses: ['qpdf', 'libpdf', 'poppler'],
  input: Type.Object({
    file: PdfInput(),
    action: Choice(['read', 'write', 'strip'], { default: 'read' }),
    set: Type.Optional(Change),
    password,
    allowBreakSignatures,
  }),
  output: Type.Object({ ...ReadFacts, output: Type.Optional(FileOutput(PDF)) }),
  errors: [...PDF_ERRORS, 'CONFLICTING_OPTIONS', 'METADATA_INVALID', 'MISSING_FIELD', 'PDF_SIGNED'],
  examples: [
    {
      title: 'What is known of a letter',
      input: { file: 'sample:letter.pdf' },
      answer: { pageCount: 2, encrypted: false, hasTextLayer: true, attachments: 0 },
    },
    {
      title: 'A title and its authors',
      input: {
        file: 'sample:letter.pdf',
        action: 'write',
        set: { title: 'Harbour report', author: 'R. Oduya', keywords: ['harbour', 'stores'], language: 'en' },
      },
    },
    { title: 'Nothing of its makers', input: { file: 'sample:letter.pdf', action: 'strip' } },
  ],

  async run(input, { qpdf, libpdf, poppler, out, now }) {
    const { file, action, set } = input
    checkAction(action, set)
    if (action === 'strip') refuseSigned(file, input.allowBreakSignatures)
    const path = await opened(file, { qpdf, password: input.password, to: out('opened.pdf') })
    const known = await libpdf.describe(path, file.path)
    const warnings = warningsOf([file])
    if (action === 'read') {
      const result = await factsOf(known, { file, path, password: input.password }, { qpdf, poppler })
      return { result, warnings: warnings.filter(({ code }) => code !== 'ENCRYPTION_REMOVED') }
    }
    const name = action === 'strip' ? 'stripped.pdf' : 'metadata.pdf'
    // A signature holds only for the very bytes it was given for: such a file is added to and never rewritten.
    const isAddedTo = action === 'write' && isSigned(file) && path === file.path
    const isUnsigned = isSigned(file) && !isAddedTo
    const time = `${now().toISOString().slice(0, 19)}Z`
    const to = out('written.pdf')
    const made = set
      ? await libpdf.writeMetadata(path, { ...newMetadata(known, set, time), isSigned: isAddedTo, to })
      : await libpdf.stripMetadata(path, { to })
    const unsigned = isUnsigned ? await libpdf.dropSignatures(made, { to: out('unsigned.pdf') }) : made
    const whole = isAddedTo ? unsigned : await qpdf.tidy(unsigned, { to: out(name), keepsForm: true })
    if (isUnsigned) warnings.push(SIGNATURES_REMOVED)
    if (action === 'strip' && known.claims.pdfa) warnings.push(PDFA_LOST)
    return { result: { output: { path: whole, contentType: PDF, name } }, warnings }
  },
})

function checkAction(action: string, set: unknown): void {
  if (action === 'write' && !set) throw new Problem('MISSING_FIELD', { field: 'set' })
  if (action !== 'write' && set) throw new Problem('CONFLICTING_OPTIONS', { fields: ['action', 'set'] })
}
