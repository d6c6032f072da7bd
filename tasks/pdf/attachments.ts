import { Type } from 'typebox'
import { Choice, define, FileManifest, FileOutput, perCall } from '#kit'
import {
  checkAction,
  checkNew,
  chosen,
  FACTS,
  GivenAttachment,
  givenOf,
  Listed,
  listed,
  partOf,
  UNKNOWN,
} from './attachment-shape.ts'
import { pdfTimeOf } from './metadata-shape.ts'
import { opened } from './open-shape.ts'
import { checkParts, parcelOf, ZIP, zip } from './parcel-shape.ts'
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

const Names = Type.Array(Type.String({ minLength: 1, maxLength: 1024 }), {
  minItems: 1,
  maxItems: 1000,
  description: 'Of extract and remove; extract takes all where it is left out.',
})
const PDFA_LOST = { code: 'PDFA_LOST', message: 'This kind of PDF/A allows no such files; the claim was removed.' }

export default define({
  summary: 'List, take out, add or remove files inside a PDF.',
  description:
    'Also those that hang on notes of a page, and the files of a portfolio. Adding keeps digital signatures valid where ' +
    'the signer allowed changes.',
  price: { ...perCall('0.001'), units: ({ action }: { action: string }) => (action === 'list' ? 1 : 2) },
  uses: ['qpdf', 'libpdf', 'zip'],
  input: Type.Object({
    file: PdfInput(),
    action: Choice(['list', 'extract', 'add', 'remove'], { default: 'list' }),
    names: Type.Optional(Names),
    attachments: Type.Optional(Type.Array(GivenAttachment, { minItems: 1, maxItems: 50, description: 'Of add.' })),
    replace: Type.Boolean({ default: false, description: 'Of add: put files in the place of those of their name.' }),
    zip,
    password,
    allowBreakSignatures,
  }),
  output: Type.Object({
    attachments: Type.Optional(Type.Array(Listed)),
    files: Type.Optional(FileManifest(UNKNOWN, FACTS)),
    parts: Type.Optional(Type.Array(Type.Object({ ...FACTS, name: Type.String(), contentType: Type.String() }))),
    output: Type.Optional(FileOutput([PDF, ZIP])),
  }),
  errors: [
    ...PDF_ERRORS,
    ...(['ATTACHMENT_EXISTS', 'ATTACHMENT_NOT_FOUND', 'CONFLICTING_OPTIONS', 'MISSING_FIELD'] as const),
    ...(['OUTPUT_TOO_LARGE', 'PDF_SIGNED', 'TOO_MANY_OUTPUTS'] as const),
  ],
  examples: [
    {
      title: 'The files inside',
      input: { file: 'sample:letter.pdf' },
      answer: { attachments: [] },
    },
    {
      title: 'The figures go along with the letter',
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
    if (action === 'remove') refuseSigned(file, input.allowBreakSignatures)
    const path = await opened(file, { qpdf, password: input.password, to: out('opened.pdf') })
    const found = await libpdf.attachments(path)
    const warnings = warningsOf([file])
    const told = warnings.filter(({ code }) => code !== 'ENCRYPTION_REMOVED')
    if (action === 'list') return { result: { attachments: found.map(listed) }, warnings: told }
    if (action === 'extract') {
      const wanted = chosen(found, input.names)
      checkParts(wanted.length, input.zip)
      const streams = wanted.map(({ stream }, index) => ({ object: stream, to: out(`attachment-${index}`) }))
      const paths = await qpdf.unpack(path, streams)
      const parts = wanted.map((each, index) => partOf(each, paths[index]!, index))
      return {
        result: await parcelOf(parts, { zip, isZipped: input.zip, out, name: 'attachments.zip' }),
        warnings: told,
      }
    }
    const isRemoving = action === 'remove'
    // A signature holds only for the very bytes it was given for: such a file is added to and never rewritten.
    const isAddedTo = !isRemoving && isSigned(file) && path === file.path
    const streams = chosen(found, input.names).map(({ stream }) => stream)
    const { attachments: added = [] } = input
    const given = added.map(givenOf)
    checkNew(given, found, input.replace)
    const files = added.map(each => each.file.path)
    const plan = { given, now: pdfTimeOf(now().toISOString()), isSigned: isAddedTo, to: out('changed.pdf') }
    const made = isRemoving
      ? { path: await libpdf.removeAttachments(path, { streams, to: out('changed.pdf') }), lostClaim: false }
      : await libpdf.addAttachments(path, files, plan)
    if (made.lostClaim) warnings.push(PDFA_LOST)
    const isBroken = !isAddedTo && isSigned(file)
    if (isBroken) warnings.push(SIGNATURES_REMOVED)
    const unsigned = isBroken ? await libpdf.dropSignatures(made.path, { to: out('unsigned.pdf') }) : made.path
    const whole = isAddedTo ? unsigned : await qpdf.tidy(unsigned, { to: out('attachments.pdf'), keepsForm: true })
    return { result: { output: { path: whole, contentType: PDF, name: 'attachments.pdf' } }, warnings }
  },
})
