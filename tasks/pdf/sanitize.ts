import { Type } from 'typebox'
import { define, FileOutput, perCall, type Warning } from '#kit'
import type { SanitizeCounts } from '../formats/pdf/document.ts'
import { openPdf } from '../formats/pdf/opening.ts'
import {
  allowBreakSignatures,
  collectRewriteWarnings,
  PDF,
  PDF_ERRORS,
  PdfInput,
  password,
  rejectIfSigned,
  removeSignatures,
} from './schema.ts'

const Removes = (isDefault: boolean, description: string) => Type.Boolean({ default: isDefault, description })
const Count = (description?: string) => Type.Integer({ minimum: 0, description })

const XFA_REMOVED: Warning = {
  code: 'XFA_REMOVED',
  message: 'The XFA form was removed. Pages that viewers made from it are left as other viewers showed them.',
}

export default define({
  summary: 'Remove scripts, actions, attached files and other active content from a PDF.',
  keywords:
    'clean a pdf, disarm, cdr, content disarm and reconstruction, malicious pdf, untrusted, javascript, ' +
    'remove scripts, remove macros, launch action, submit action, remove links, rich media, flash, 3d, xfa, safe pdf',
  description:
    'For documents from sources that are not trusted, before people or programs open them, and for those that must not ' +
    'call home. Pages look as before; text, form fields, bookmarks and links within the document stay. The file is written ' +
    'anew, so that earlier revisions and what nothing refers to are gone too. `removed` counts what was there. It does not ' +
    'hide text: use pdf.redact for that.',
  price: perCall('0.002'),
  uses: ['qpdf', 'libpdf'],
  input: Type.Object({
    file: PdfInput(),
    javascript: Removes(true, 'Scripts of the document, its pages, fields, links and 3D models.'),
    actions: Removes(
      true,
      'What starts programs, opens other files, sends or imports form data, plays media, or loads parts of the document ' +
        'from outside; links to addresses that are not of the web, mail or telephone too.',
    ),
    links: Removes(false, 'Links to the web. Their text stays.'),
    files: Removes(true, 'Attached files: of the document, of pages and of annotations, and portfolios.'),
    media: Removes(true, 'Sound, video, Flash and 3D annotations, with their files.'),
    xfa: Removes(true, 'XFA forms; the fields that other viewers show stay.'),
    metadata: Removes(false, 'Properties, XMP, thumbnails, and what programs stored on pages and images.'),
    password,
    allowBreakSignatures,
  }),
  output: Type.Object({
    output: FileOutput(PDF),
    removed: Type.Object(
      {
        javascript: Count(),
        actions: Count(),
        links: Count(),
        files: Count('Embedded files, and annotations that held one.'),
        media: Count('Annotations, their files, and lists of media.'),
        xfa: Count(),
        metadata: Count(),
      },
      { description: 'How many of each there were; 0 for what was to stay.' },
    ),
  }),
  errors: [...PDF_ERRORS, 'PDF_SIGNED'],
  examples: [
    {
      title: 'A letter with nothing to remove',
      input: { file: 'sample:letter.pdf' },
      answer: { removed: { javascript: 0, actions: 0, links: 0, files: 0, media: 0, xfa: 0, metadata: 0 } },
    },
    {
      title: 'The links to the web of a form',
      input: { file: 'sample:order-form.pdf', links: true },
      answer: { removed: { links: 1, javascript: 0 } },
    },
    {
      title: 'Metadata too',
      input: { file: 'sample:letter.pdf', metadata: true },
      answer: { removed: { metadata: 1 } },
    },
  ],

  async run(input, { qpdf, libpdf, out }) {
    const { file, javascript, actions, links, files, media, xfa, metadata } = input
    rejectIfSigned(file, input.allowBreakSignatures)
    const opened = await openPdf(file, { qpdf, password: input.password, to: out('opened.pdf') })
    // Written anew first, so that all readers find the same objects in it.
    const plain = opened === file.path ? await qpdf.rewrite(opened, { to: out('plain.pdf'), keepsForm: true }) : opened
    const unsigned = await removeSignatures(file, plain, { libpdf, to: out('unsigned.pdf') })
    const plan = { javascript, actions, links, files, media, xfa, metadata }
    const cleaned = await libpdf.removeActiveContent(unsigned, { ...plan, to: out('cleaned.pdf') })
    const path = await qpdf.rewrite(cleaned.path, { to: out('sanitized.pdf'), keepsForm: true })
    const output = { path, contentType: PDF, name: 'sanitized.pdf' }
    return {
      result: { output, removed: cleaned.removed },
      warnings: [...collectRewriteWarnings(file), ...collectWarnings(cleaned.removed)],
    }
  },
})

function collectWarnings({ xfa }: SanitizeCounts): Warning[] {
  return xfa > 0 ? [XFA_REMOVED] : []
}
