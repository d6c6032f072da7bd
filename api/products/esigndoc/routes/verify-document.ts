import { Type } from 'typebox'
import { FileInput, listDrawnSources, perCall, type StagedFile } from '#kit'
import { findIssued } from '../../../../sql/esigndoc/envelopes.ts'
import type { VerifiedSeal } from '../../../../tasks/products/esigndoc/document.ts'
import { BILLABLE_AUTH } from '../../../intake/billable.ts'
import { drawSources } from '../../../intake/files/read-files.ts'
import { route } from '../../../route.ts'
import { prepare, storeFile } from '../documents.ts'
import { DOCUMENT_ERRORS, NullableText } from '../schema.ts'

const Body = Type.Object(
  { file: FileInput({ accept: ['application/pdf'], refuse: 'PDF_PARSE_FAILED' }) },
  { additionalProperties: false },
)

export default route({
  at: 'POST /v1/esigndoc/verify',
  summary: 'Check the seal of a signed PDF, and whether it was sealed here.',
  keywords: 'is this signature valid, verify a signed pdf, was the document changed, pades validation, authenticity',
  description: 'Any change after the seal is found. `issuedHere` goes by the hash of the file.',
  auth: BILLABLE_AUTH,
  body: Body,
  reply: {
    status: 200,
    schema: Type.Object({
      isValid: Type.Boolean({ description: 'All signatures are intact, and nothing was changed that they forbid.' }),
      sha256: Type.String(),
      issuedHere: Type.Boolean(),
      issued: Type.Union([
        Type.Null(),
        Type.Object({
          kind: Type.String(),
          completedAt: Type.String({ format: 'date-time' }),
          envelopeId: Type.Union([Type.String(), Type.Null()], { description: 'If the envelope is yours.' }),
          title: NullableText,
        }),
      ]),
      signatures: Type.Array(Type.Object({}, { additionalProperties: true })),
    }),
  },
  price: perCall('0.005'),
  limitSeconds: 60,
  errors: DOCUMENT_ERRORS,
  examples: [{ title: 'A document without signatures', input: { file: 'sample:letter.pdf' } }],
  async handle({ caller, body, job }, context) {
    await drawSources(context, job!.id, listDrawnSources(Body, body))
    const { accountId } = caller
    const file = await storeFile(context, accountId, { file: body.file as unknown as StagedFile, name: 'document.pdf' })
    const seal = await prepare<VerifiedSeal>(context, accountId, { kind: 'verification', file })
    const issued = await findIssued(context.db, accountId, seal.sha256)
    const { isValid, sha256, signatures } = seal
    return { isValid, sha256, issuedHere: issued !== null, issued, signatures }
  },
})
