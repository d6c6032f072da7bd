import { Type } from 'typebox'
import { Choice, define, FileInput, FileOutput, type InputFile, Problem, perCall, Secret } from '#kit'
import { openPdf } from '../formats/pdf/opening.ts'
import { collectInputWarnings, PDF, PDF_ERRORS, PdfInput, password } from './schema.ts'

const MAX_KEY_CHARACTERS = 20_000
const Note = (description: string) => Type.Optional(Type.String({ minLength: 1, maxLength: 255, description }))

export default define({
  summary: 'Sign a PDF with your own key and certificate.',
  keywords: 'digital signature, pades, pkcs12, p12, pfx, certify, seal, timestamp, electronic signature',
  description:
    'Appends an invisible signature (PAdES); earlier ones stay valid. Give a PKCS#12 file, or a key with the file of its ' +
    'certificates. Level B-T adds a time that a timestamp authority confirms. The key is used for this call alone.',
  price: perCall('0.01'),
  uses: ['libpdf', 'qpdf'],
  input: Type.Object({
    file: PdfInput(),
    pkcs12: Type.Optional(FileInput({ description: 'Key and certificates (.p12 or .pfx).' })),
    key: Type.Optional(Secret({ maxLength: MAX_KEY_CHARACTERS, description: 'Private key in PEM: RSA or EC.' })),
    certificate: Type.Optional(
      FileInput({ description: 'For `key`: its certificate and those of its issuers in PEM, or one in DER.' }),
    ),
    keyPassword: Type.Optional(Secret({ maxLength: 127, description: 'Of the PKCS#12 file or the key.' })),
    level: Choice(['B-B', 'B-T'], { default: 'B-B', description: '`B-T` adds a timestamp.' }),
    digest: Choice(['SHA-256', 'SHA-384', 'SHA-512'], { default: 'SHA-256' }),
    field: Note('An empty signature field to fill, or the name of a new one.'),
    reason: Note('Why it is signed.'),
    location: Note('Where it is signed.'),
    contact: Note('How to reach the signer.'),
    password,
  }),
  output: Type.Object({
    output: FileOutput(PDF),
    level: Choice(['B-B', 'B-T']),
    signer: Type.Object({
      commonName: Type.Optional(Type.String()),
      issuer: Type.String(),
      validTo: Type.String({ description: 'When the certificate ends.' }),
    }),
  }),
  errors: [
    ...PDF_ERRORS,
    'CERTIFICATE_INVALID',
    'CONFLICTING_OPTIONS',
    'FIELD_VALUE_INVALID',
    'KEY_INVALID',
    'KEY_TYPE',
    'MISSING_FIELD',
    'PROVIDER_NOT_CONFIGURED',
    'PROVIDER_UNAVAILABLE',
  ],
  examples: [
    {
      title: 'With a PKCS#12 file',
      input: { file: 'sample:letter.pdf', pkcs12: 'sample:signer.p12', keyPassword: 'harbour', reason: 'Approved' },
      answer: { level: 'B-B', signer: { commonName: 'R. Oduya' } },
    },
  ],

  async run(input, { libpdf, qpdf, out, now }) {
    const { file, key, keyPassword, level, digest, field, reason, location, contact } = input
    const keyFile = chooseKeyFile(input)
    const path = await openPdf(file, { qpdf, password: input.password, to: out('opened.pdf') })
    const plan = { key, keyPassword, digest, field, reason, location, contact, now: now().toISOString() }
    const options = { ...plan, isTimestamped: level === 'B-T', to: out('signed.pdf') }
    const signed = await libpdf.signDocument(path, keyFile.path, options)
    const output = { path: signed.path, contentType: PDF, name: 'signed.pdf' }
    return { result: { output, level, signer: signed.signer }, warnings: collectInputWarnings([file]) }
  },
})

function chooseKeyFile({ pkcs12, key, certificate }: { pkcs12?: InputFile; key?: string; certificate?: InputFile }) {
  const given = Object.entries({ pkcs12, key, certificate }).flatMap(([name, value]) =>
    value === undefined ? [] : [name],
  )
  if (pkcs12 && given.length > 1) throw new Problem('CONFLICTING_OPTIONS', { fields: given })
  if (pkcs12) return pkcs12
  if (certificate && key !== undefined) return certificate
  throw new Problem('MISSING_FIELD', { field: given[0] === 'key' ? 'certificate' : given[0] ? 'key' : 'pkcs12' })
}
