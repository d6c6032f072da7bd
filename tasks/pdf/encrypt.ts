import { Type } from 'typebox'
import { Choice, define, FileOutput, type InputFile, Problem, perCall, Secret } from '#kit'
import { lockOf } from './lock-shape.ts'
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

const allowed = Type.Boolean({ default: true })
const PDFA_LOST = { code: 'PDFA_LOST', message: 'An encrypted document is no PDF/A; its claim to be one was removed.' }

export default define({
  summary: 'Protect a PDF by passwords, or take its protection away.',
  description:
    'An ownerPassword alone lets everybody open the document and holds the permissions. A document that is protected ' +
    'already gets the new protection instead of the old.',
  price: perCall('0.002'),
  uses: ['qpdf', 'libpdf'],
  input: Type.Object({
    file: PdfInput(),
    action: Choice(['encrypt', 'decrypt'], { default: 'encrypt' }),
    userPassword: Type.Optional(Secret({ maxLength: 127, description: 'Opens the document.' })),
    ownerPassword: Type.Optional(Secret({ maxLength: 127, description: 'Lifts the restrictions.' })),
    permissions: Type.Optional(
      Type.Object(
        {
          print: Choice(['none', 'low', 'full'], { default: 'full' }),
          copy: allowed,
          modify: allowed,
          annotate: allowed,
          fillForms: allowed,
          assemble: allowed,
        },
        { description: 'What may be done without the ownerPassword.' },
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
      title: 'A password to open it',
      input: { file: 'sample:two-pages.pdf', userPassword: 'open sesame' },
      answer: { encrypted: true, algorithm: 'aes256' },
    },
    {
      title: 'Everybody reads, nobody prints',
      input: { file: 'sample:two-pages.pdf', ownerPassword: 'mine alone', permissions: { print: 'none' } },
    },
  ],

  async run(input, { qpdf, libpdf, out }) {
    const { file, action, algorithm } = input
    refuseSigned(file, input.allowBreakSignatures)
    const isLocking = action === 'encrypt'
    const lock = isLocking ? lockOf(input) : undefined
    if (!isLocking) checkDecrypt(file, input)
    const path = await opened(file, { qpdf, password: input.password, to: out('opened.pdf') })
    const unsigned = isSigned(file) ? await libpdf.dropSignatures(path, { to: out('unsigned.pdf') }) : path
    const unclaimed = lock && (await libpdf.dropPdfaClaim(unsigned, { to: out('unclaimed.pdf') }))
    const made = lock ? await qpdf.encrypt(unclaimed ?? unsigned, lock, { to: out('locked.pdf') }) : unsigned
    const warnings = [
      ...warningsOf([file]).filter(({ code }) => code !== 'ENCRYPTION_REMOVED'),
      ...(isSigned(file) ? [SIGNATURES_REMOVED] : []),
      ...(unclaimed ? [PDFA_LOST] : []),
    ]
    const output = { path: made, contentType: PDF, name: isLocking ? 'encrypted.pdf' : 'decrypted.pdf' }
    return { result: { output, encrypted: isLocking, ...(isLocking ? { algorithm } : {}) }, warnings }
  },
})

/** To ask for a new password and for none at once is a mistake. */
function checkDecrypt(file: InputFile, input: { userPassword?: string; ownerPassword?: string; permissions?: object }) {
  const fields = (['userPassword', 'ownerPassword', 'permissions'] as const).filter(name => input[name] !== undefined)
  if (fields.length > 0) throw new Problem('CONFLICTING_OPTIONS', { fields: ['action', ...fields] })
  if (!file.facts.encrypted) throw new Problem('NOT_ENCRYPTED')
}
