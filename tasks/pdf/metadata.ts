import { Type } from 'typebox'
import { Choice, define, FileOutput, Problem } from '#kit'
import { openPdf } from '../formats/pdf/opening.ts'
import { planMetadata } from '../formats/pdf/properties.ts'
import { PdfMetadataChangeSchema } from './metadata/change.ts'
import { buildReadResult, ReadResult } from './metadata/facts.ts'
import {
  allowBreakSignatures,
  collectInputWarnings,
  collectReadWarnings,
  isSigned,
  PDF,
  PDF_ERRORS,
  PdfInput,
  password,
  perChange,
  rejectIfSigned,
  SIGNATURES_REMOVED,
} from './schema.ts'

const PDFA_LOST = { code: 'PDFA_LOST', message: 'The PDF/A claim was part of the removed metadata.' }

export default define({
  summary: 'Tell what a PDF is: pages, fonts, encryption, properties. Or write or strip its metadata.',
  keywords:
    'title, author, properties, number of pages, page count, page sizes, size of each page, which pages are landscape or portrait, how many pages a pdf has, is this pdf encrypted, info, inspect, fonts used, is it encrypted, password protected, subject, creator, xmp, read metadata',
  description:
    'Writing keeps the information dictionary and the XMP consistent, and digital signatures valid where the signer ' +
    'allowed changes. Stripping removes both, thumbnails, and the data that programs stored on pages and images.',
  price: perChange('read'),
  uses: ['qpdf', 'libpdf', 'poppler'],
  input: Type.Object({
    file: PdfInput(),
    action: Choice(['read', 'write', 'strip'], { default: 'read' }),
    set: Type.Optional(PdfMetadataChangeSchema),
    password,
    allowBreakSignatures,
  }),
  output: Type.Object({ ...ReadResult, output: Type.Optional(FileOutput(PDF)) }),
  errors: [...PDF_ERRORS, 'CONFLICTING_OPTIONS', 'METADATA_INVALID', 'MISSING_FIELD', 'PDF_SIGNED'],
  examples: [
    {
      title: 'Read the metadata of a letter',
      input: { file: 'sample:letter.pdf' },
      answer: { pageCount: 2, encrypted: false, hasTextLayer: true, attachments: 0 },
    },
    {
      title: 'Write title and author',
      input: {
        file: 'sample:letter.pdf',
        action: 'write',
        set: { title: 'Harbour report', author: 'R. Oduya', keywords: ['harbour', 'stores'], language: 'en' },
      },
    },
    { title: 'Remove all metadata', input: { file: 'sample:letter.pdf', action: 'strip' } },
  ],

  async run(input, { qpdf, libpdf, poppler, out, now }) {
    const { file, action, set } = input
    checkAction(action, set)
    if (action === 'strip') rejectIfSigned(file, input.allowBreakSignatures)
    const path = await openPdf(file, { qpdf, password: input.password, to: out('opened.pdf') })
    const description = await libpdf.describe(path, file.path)
    const warnings = collectInputWarnings([file])
    if (action === 'read') {
      const result = await buildReadResult(description, { file, path, password: input.password }, { qpdf, poppler })
      return { result, warnings: collectReadWarnings(file) }
    }
    const name = action === 'strip' ? 'stripped.pdf' : 'metadata.pdf'
    // A signature covers the exact bytes of the file: a signed file is only appended to, never rewritten.
    const isIncrementalUpdate = action === 'write' && isSigned(file) && path === file.path
    const dropsSignatures = isSigned(file) && !isIncrementalUpdate
    const modifiedAt = `${now().toISOString().slice(0, 19)}Z`
    const to = out('written.pdf')
    const changed = set
      ? await libpdf.writeMetadata(path, {
          ...planMetadata(description, set, modifiedAt),
          isSigned: isIncrementalUpdate,
          to,
        })
      : await libpdf.dropMetadata(path, { to })
    const unsigned = dropsSignatures ? await libpdf.dropSignatures(changed, { to: out('unsigned.pdf') }) : changed
    const outputPath = isIncrementalUpdate ? unsigned : await qpdf.rewrite(unsigned, { to: out(name), keepsForm: true })
    if (dropsSignatures) warnings.push(SIGNATURES_REMOVED)
    if (action === 'strip' && description.claims.pdfa) warnings.push(PDFA_LOST)
    return { result: { output: { path: outputPath, contentType: PDF, name } }, warnings }
  },
})

function checkAction(action: string, set: unknown): void {
  if (action === 'write' && !set) throw new Problem('MISSING_FIELD', { field: 'set' })
  if (action !== 'write' && set) throw new Problem('CONFLICTING_OPTIONS', { fields: ['action', 'set'] })
}
