import { Type } from 'typebox'
import { Choice, define, FileInput, type InputFile, Problem, perCall } from '#kit'
import { isDamaged, openPdf } from '../formats/pdf/opening.ts'
import { collectReadWarnings, PDF_ERRORS, PdfInput, password } from './schema.ts'

const Text = Type.Optional(Type.String())
const KINDS = [
  ...(['annotation', 'form-field', 'signature', 'validation-data', 'metadata', 'page-content'] as const),
  ...(['attachment', 'bookmark', 'other'] as const),
]

const Signature = Type.Object({
  field: Type.String(),
  integrity: Choice(['valid', 'invalid'], { description: 'Whether the signed bytes are those that were signed.' }),
  trust: Choice(['trusted', 'untrusted', 'expired', 'unknown'], {
    description: 'Where the certificates lead; `unknown` if one between is missing.',
  }),
  signer: Type.Optional(Type.Object({ commonName: Text, organization: Text, email: Text, serial: Text, issuer: Text })),
  signedAt: Type.Optional(Type.String({ description: 'As the signer claims.' })),
  timestamp: Type.Optional(Type.String({ description: 'As a timestamp authority confirms.' })),
  subFilter: Type.String(),
  digest: Text,
  algorithm: Text,
  isWeak: Type.Boolean({ description: 'SHA-1, or an RSA key of at most 1024 bits.' }),
  reason: Text,
  location: Text,
  certification: Type.Optional(Type.Integer({ description: 'The level, if the signature certifies the document.' })),
  coversWholeFile: Type.Boolean(),
  changesAfter: Type.Array(Type.Object({ kind: Choice(KINDS), allowed: Type.Boolean() }), {
    description: 'What was appended after it, and whether a signature of its kind allows that.',
  }),
  ltv: Type.Boolean({ description: 'The file holds data for validation in later years.' }),
  problem: Type.Optional(Type.String({ description: 'Why the signature cannot be read.' })),
})

export default define({
  summary: 'Check the digital signatures of a PDF.',
  keywords:
    'is this pdf signed, who signed a pdf, signed by whom, validate signature, signed, tampered, authentic, certificate, pades, is this document genuine, integrity',
  description:
    'Checks each signature against the bytes of the file, follows its certificates to a root, and lists what was changed ' +
    'afterwards. The bundled roots are those of Mozilla; add the roots of your signers as `trust`. Revocation is not ' +
    'checked. An unsigned document is no error.',
  price: perCall('0.005'),
  uses: ['libpdf', 'qpdf'],
  input: Type.Object({
    file: PdfInput(),
    trust: Type.Optional(Type.Array(FileInput({ description: 'Root certificates in PEM or DER.' }), { maxItems: 20 })),
    trustStore: Choice(['bundled', 'none'], { default: 'bundled' }),
    at: Type.Optional(
      Type.String({
        format: 'date-time',
        maxLength: 40,
        description: 'Judge certificates at this time. Left out: at the confirmed time of the signature, else now.',
      }),
    ),
    password,
  }),
  output: Type.Object({
    signed: Type.Boolean(),
    allValid: Type.Boolean({ description: 'All are intact, and no change after them is one that they do not allow.' }),
    signatures: Type.Array(Signature),
    usageRights: Type.Boolean({
      description: 'The document also has a signature that only unlocks functions of readers.',
    }),
  }),
  errors: [...PDF_ERRORS, 'CERTIFICATE_INVALID', 'INVALID_PARAM'],
  examples: [
    {
      title: 'A signed letter and the root of its signer',
      input: { file: 'sample:signed.pdf', trust: ['sample:root.pem'], at: '2026-06-01T00:00:00Z' },
      answer: {
        signed: true,
        allValid: true,
        signatures: [{ integrity: 'valid', trust: 'trusted', coversWholeFile: true }],
      },
    },
    {
      title: 'A document without signatures',
      input: { file: 'sample:letter.pdf' },
      answer: { signed: false, allValid: false, signatures: [], usageRights: false },
    },
  ],

  async run({ file, trust = [], trustStore, at, password }, { libpdf, qpdf, now, out }) {
    if (at !== undefined && Number.isNaN(Date.parse(at))) throw new Problem('INVALID_PARAM', { field: 'at' })
    const plan = { password, usesBundledRoots: trustStore === 'bundled', at, now: now().toISOString() }
    const paths = (trust as InputFile[]).map(({ path }) => path)
    const readable = isDamaged(file) ? await openPdf(file, { qpdf, password, to: out('opened.pdf') }) : file.path
    const { signatures, hasUsageRights } = await libpdf.verifySignatures(file.path, readable, paths, plan)
    const isIntact = ({ integrity, changesAfter }: (typeof signatures)[number]) =>
      integrity === 'valid' && changesAfter.every(({ allowed }) => allowed)
    const signed = signatures.length > 0
    const result = { signed, allValid: signed && signatures.every(isIntact), signatures, usageRights: hasUsageRights }
    return { result, warnings: collectReadWarnings(file) }
  },
})
