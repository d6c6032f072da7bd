import { Type } from 'typebox'
import { Choice, define, FileManifest, FileOutput } from '#kit'
import { checkParts, packageParts, ZIP, zip } from '../formats/pdf/manifest.ts'
import { openPdf } from '../formats/pdf/opening.ts'
import { toPdfTime } from '../formats/pdf/properties.ts'
import {
  AttachmentInput,
  AttachmentNames,
  checkAction,
  checkNewNames,
  describeAttachment,
  describePart,
  ListedAttachment,
  PART_FIELDS,
  PDFA_LOST,
  selectAttachments,
  toNewAttachment,
  UNTRUSTED_CONTENT_TYPE,
} from './attachments/selection.ts'
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

export default define({
  summary: 'List, extract, add or remove files attached to a PDF.',
  keywords: 'embedded files, attach, zugferd, factur-x, xml invoice, portfolio',
  description: 'Also in annotations and portfolios. Adding leaves signatures intact, but checks of them report it.',
  price: perChange('list'),
  uses: ['qpdf', 'libpdf', 'zip'],
  input: Type.Object({
    file: PdfInput(),
    action: Choice(['list', 'extract', 'add', 'remove'], { default: 'list' }),
    names: Type.Optional(AttachmentNames),
    attachments: Type.Optional(Type.Array(AttachmentInput, { minItems: 1, maxItems: 50, description: 'For add.' })),
    replace: Type.Boolean({ default: false, description: 'For add: replace existing files with the same names.' }),
    zip,
    password,
    allowBreakSignatures,
  }),
  output: Type.Object({
    attachments: Type.Optional(Type.Array(ListedAttachment)),
    files: Type.Optional(FileManifest(UNTRUSTED_CONTENT_TYPE, PART_FIELDS)),
    parts: Type.Optional(Type.Array(Type.Object({ ...PART_FIELDS, name: Type.String(), contentType: Type.String() }))),
    output: Type.Optional(FileOutput([PDF, ZIP])),
  }),
  errors: [
    ...PDF_ERRORS,
    ...(['ATTACHMENT_EXISTS', 'ATTACHMENT_NOT_FOUND', 'CONFLICTING_OPTIONS', 'MISSING_FIELD'] as const),
    ...(['OUTPUT_TOO_LARGE', 'PDF_SIGNED', 'TOO_MANY_OUTPUTS'] as const),
  ],
  examples: [
    {
      title: 'List the attached files',
      input: { file: 'sample:letter.pdf' },
      answer: { attachments: [] },
    },
    {
      title: 'Attach a table to a letter',
      input: {
        file: 'sample:letter.pdf',
        action: 'add',
        attachments: [{ file: { text: 'oil,40\nrope,12\n' }, name: 'stores.csv', relationship: 'Data' }],
      },
    },
  ],

  async run(input, { qpdf, libpdf, zip, out, now }) {
    const { file, action } = input
    checkAction(input)
    if (action === 'remove') rejectIfSigned(file, input.allowBreakSignatures)
    const path = await openPdf(file, { qpdf, password: input.password, to: out('opened.pdf') })
    const found = await libpdf.listAttachments(path)
    if (action === 'list')
      return { result: { attachments: found.map(describeAttachment) }, warnings: collectReadWarnings(file) }
    if (action === 'extract') {
      const selected = selectAttachments(found, input.names)
      checkParts(selected.length, input.zip)
      const streams = selected.map(({ stream }, index) => ({ object: stream, to: out(`attachment-${index}`) }))
      const paths = await qpdf.extractStreams(path, streams)
      const parts = selected.map((attachment, index) => describePart(attachment, paths[index]!, index))
      const result = await packageParts(parts, { zip, isZipped: input.zip, out, name: 'attachments.zip' })
      return { result, warnings: collectReadWarnings(file) }
    }
    // A signature covers the exact bytes of the file: a signed file is only appended to, never rewritten.
    const isIncrementalUpdate = action === 'add' && isSigned(file) && path === file.path
    const streams = selectAttachments(found, input.names).map(({ stream }) => stream)
    const { attachments: added = [] } = input
    const newAttachments = added.map(toNewAttachment)
    checkNewNames(newAttachments, found, input.replace)
    const files = added.map(attachment => attachment.file.path)
    const to = out('changed.pdf')
    const options = { now: toPdfTime(now().toISOString()), isSigned: isIncrementalUpdate, to }
    const changed =
      action === 'remove'
        ? { path: await libpdf.removeAttachments(path, { streams, to }), lostClaim: false }
        : await libpdf.addAttachments(path, files, { ...options, given: newAttachments })
    const dropsSignatures = !isIncrementalUpdate && isSigned(file)
    const warnings = [
      ...collectInputWarnings([file]),
      ...(changed.lostClaim ? [PDFA_LOST] : []),
      ...(dropsSignatures ? [SIGNATURES_REMOVED] : []),
    ]
    const unsigned = dropsSignatures
      ? await libpdf.dropSignatures(changed.path, { to: out('unsigned.pdf') })
      : changed.path
    const rewriteOptions = { to: out('attachments.pdf'), keepsForm: true }
    const outputPath = isIncrementalUpdate ? unsigned : await qpdf.rewrite(unsigned, rewriteOptions)
    return { result: { output: { path: outputPath, contentType: PDF, name: 'attachments.pdf' } }, warnings }
  },
})
