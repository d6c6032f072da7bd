import { Type } from 'typebox'
import { Choice, define, FileOutput, type InputFile, Problem, perCall, Secret } from '#kit'
import { openPdf } from '../formats/pdf/opening.ts'
import { planEncryption } from './encrypt/permissions.ts'
import {
  allowBreakSignatures,
  collectReadWarnings,
  isSigned,
  PDF,
  PDF_ERRORS,
  PdfInput,
  password,
  rejectIfSigned,
  SIGNATURES_REMOVED,
} from './schema.ts'

const Permission = Type.Boolean({ default: true })
const PDFA_LOST = { code: 'PDFA_LOST', message: 'PDF/A does not allow encryption; the PDF/A claim was removed.' }

export default define({
  summary: 'Protect a PDF with passwords (permissions need an ownerPassword), or remove its protection.',
  keywords:
    'unlock, decrypt, remove password, password protect, lock, permissions, forbid printing, secure, password on a pdf',
  description:
    'To decrypt, give the `password`. With an ownerPassword alone the document opens without a password, and the ' +
    'permissions apply. Permissions other than the defaults need an ownerPassword, beside a userPassword too. The new ' +
    'protection replaces an existing one.',
  price: perCall('0.002'),
  uses: ['qpdf', 'libpdf'],
  input: Type.Object({
    file: PdfInput(),
    action: Choice(['encrypt', 'decrypt'], { default: 'encrypt' }),
    userPassword: Type.Optional(
      Secret({ maxLength: 127, description: 'To set: the password that opens the document.' }),
    ),
    ownerPassword: Type.Optional(
      Secret({ maxLength: 127, description: 'To set: the password that lifts the restrictions; needed for any.' }),
    ),
    permissions: Type.Optional(
      Type.Object(
        {
          print: Choice(['none', 'low', 'full'], { default: 'full' }),
          copy: Permission,
          modify: Permission,
          annotate: Permission,
          fillForms: Permission,
          assemble: Permission,
        },
        { description: 'What is allowed without the ownerPassword, which restrictions need.' },
      ),
    ),
    algorithm: Choice(['aes256', 'aes128'], { default: 'aes256' }),
    password,
    allowBreakSignatures,
  }),
  output: Type.Object({
    output: FileOutput(PDF),
    encrypted: Type.Boolean(),
    algorithm: Type.Optional(Choice(['aes256', 'aes128'])),
  }),
  errors: [
    ...PDF_ERRORS,
    'CONFLICTING_OPTIONS',
    'INVALID_PARAM',
    'NOT_ENCRYPTED',
    'PASSWORD_MISSING',
    'PDF_SIGNED',
    'UNSUPPORTED_FORMAT',
    'WEAK_PASSWORD',
  ],
  examples: [
    {
      title: 'Require a password to open',
      input: { file: 'sample:two-pages.pdf', userPassword: 'open sesame' },
      answer: { encrypted: true, algorithm: 'aes256' },
    },
    {
      title: 'Allow reading but not printing',
      input: { file: 'sample:two-pages.pdf', ownerPassword: 'mine alone', permissions: { print: 'none' } },
    },
  ],

  async run(input, { qpdf, libpdf, out }) {
    const { file, action, algorithm } = input
    rejectIfSigned(file, input.allowBreakSignatures)
    const isEncrypting = action === 'encrypt'
    const encryption = isEncrypting ? planEncryption(input) : undefined
    if (!isEncrypting) checkDecrypt(file, input)
    const path = await openPdf(file, { qpdf, password: input.password, to: out('opened.pdf') })
    const unsigned = isSigned(file) ? await libpdf.dropSignatures(path, { to: out('unsigned.pdf') }) : path
    const withoutPdfaClaim = encryption && (await libpdf.dropPdfaClaim(unsigned, { to: out('unclaimed.pdf') }))
    const outputPath = encryption
      ? await qpdf.encrypt(withoutPdfaClaim ?? unsigned, encryption, { to: out('locked.pdf') })
      : unsigned
    const warnings = [
      ...collectReadWarnings(file),
      ...(isSigned(file) ? [SIGNATURES_REMOVED] : []),
      ...(withoutPdfaClaim ? [PDFA_LOST] : []),
    ]
    const output = { path: outputPath, contentType: PDF, name: isEncrypting ? 'encrypted.pdf' : 'decrypted.pdf' }
    return { result: { output, encrypted: isEncrypting, ...(isEncrypting ? { algorithm } : {}) }, warnings }
  },
})

function checkDecrypt(file: InputFile, input: { userPassword?: string; ownerPassword?: string; permissions?: object }) {
  const fields = (['userPassword', 'ownerPassword', 'permissions'] as const).filter(name => input[name] !== undefined)
  if (fields.length > 0) throw new Problem('CONFLICTING_OPTIONS', { fields: ['action', ...fields] })
  if (!file.facts.encrypted) throw new Problem('NOT_ENCRYPTED')
}
