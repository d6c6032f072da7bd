import { Type } from 'typebox'
import { Choice, define, FileOutput, type InputFile, perPage, type Warning } from '#kit'
import { makeArchival } from '../formats/pdf/archival.ts'
import { openPdf } from '../formats/pdf/opening.ts'
import {
  allowBreakSignatures,
  collectRewriteWarnings,
  PDF,
  PDF_ERRORS,
  PdfInput,
  pageCountOf,
  password,
  rejectIfSigned,
  removeSignatures,
} from './schema.ts'
import { warnOfLostText } from './to-pdfa/lost-text.ts'

export default define({
  summary: 'Convert a PDF to PDF/A for archives.',
  keywords:
    'pdfa, pdf/a-1b, pdf/a-2b, pdf/a-3b, archive, archival, long-term preservation, court filing, embed fonts, iso 19005',
  converts: [{ from: 'pdf', to: 'pdfa' }],
  description:
    'Draws the pages anew with all fonts embedded and colours in sRGB; text stays text, links and bookmarks stay. Form ' +
    'fields become part of the pages; tags, scripts and attached files are removed. The result is checked for what can ' +
    'be seen in its structure, and refused if a font cannot be embedded; no outside validator confirms it.',
  price: perPage('0.001', (input: { file: InputFile }) => pageCountOf(input.file), 'page'),
  uses: ['ghostscript', 'qpdf', 'libpdf', 'poppler'],
  limitSeconds: 120,
  input: Type.Object({
    file: PdfInput(),
    level: Choice(['1b', '2b', '3b'], {
      default: '2b',
      description:
        '`1b` has no transparency: a page that has some becomes an image without text, which the warning ' +
        'TEXT_BECAME_IMAGE says. `3b` may hold attached files.',
    }),
    password,
    allowBreakSignatures,
  }),
  output: Type.Object({
    output: FileOutput(PDF),
    pages: Type.Integer({ minimum: 1 }),
    conformance: Type.Literal('claimed', { description: 'The file says that it is PDF/A.' }),
  }),
  errors: [...PDF_ERRORS, 'PDFA_NOT_REACHED', 'PDF_SIGNED'],
  examples: [
    {
      title: 'A letter for the archive',
      input: { file: 'sample:letter.pdf' },
      answer: { pages: 2, conformance: 'claimed' },
    },
    {
      title: 'An order form as PDF/A-3',
      input: { file: 'sample:order-form.pdf', level: '3b' },
      answer: { pages: 2 },
    },
  ],

  async run(input, { ghostscript, qpdf, libpdf, poppler, out, now }) {
    const { file, level } = input
    rejectIfSigned(file, input.allowBreakSignatures)
    const opened = await openPdf(file, { qpdf, password: input.password, to: out('opened.pdf') })
    const unsigned = await removeSignatures(file, opened, { libpdf, to: out('unsigned.pdf') })
    const attached = await libpdf.listAttachments(unsigned)
    const streams = attached.map(({ stream }) => stream)
    // Of some documents ghostscript copies the attached files.
    const bare =
      streams.length > 0 ? await libpdf.removeAttachments(unsigned, { streams, to: out('bare.pdf') }) : unsigned
    const flat = await qpdf.flatten(bare, { to: out('flat.pdf') })
    const expanded = await libpdf.expandUnicodeRanges(flat, { to: out('expanded.pdf') })
    const redrawn = await ghostscript.redrawForArchive(expanded ?? flat, { level, to: out('redrawn.pdf') })
    const nodes = await libpdf.readBookmarks(unsigned)
    const bookmarked = await libpdf.writeBookmarks(redrawn, { nodes, isAppending: false, to: out('bookmarked.pdf') })
    const path = await makeArchival(bookmarked, level, { libpdf, qpdf, out, now })
    const pages = pageCountOf(file)
    const warnings = [
      ...collectRewriteWarnings(file),
      ...(attached.length > 0 ? [ATTACHMENTS_REMOVED] : []),
      ...(level === '1b' ? await warnOfLostText([flat, path], pages, { poppler }) : []),
    ]
    const output = { path, contentType: PDF, name: 'archive.pdf' }
    return { result: { output, pages, conformance: 'claimed' as const }, units: pages, warnings }
  },
})

const ATTACHMENTS_REMOVED: Warning = {
  code: 'ATTACHMENTS_REMOVED',
  message: 'Attached files were removed; pdf.attachments can add them to PDF/A-3 again.',
}
