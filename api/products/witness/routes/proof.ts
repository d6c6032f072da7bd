import { Type } from 'typebox'
import { route } from '../../../route.ts'
import { BatonRef, identifyAsker, identifyVisitor, READER_AUTH, USE_ERRORS } from '../../baton/index.ts'
import { ProofReply } from '../fields.ts'
import { exportChain, findProof } from '../proof.ts'

export default route({
  at: 'GET /v1/baton/{id}/trust/proof',
  summary: 'Read the signed record of a witnessed baton. Anyone who knows its id can.',
  keywords: 'attestation, signature, certificate, download proof',
  description:
    'With `entries` it has what was hashed of each entry too, for those who may read the baton. The program at GET /v1/witness/verifier checks both offline.',
  auth: READER_AUTH,
  params: BatonRef,
  query: Type.Object({
    entries: Type.Boolean({ default: false, description: 'Also list the entries of the chain.' }),
  }),
  reply: { status: 200, schema: ProofReply },
  errors: [...USE_ERRORS, 'NOT_WITNESSED', 'INPUT_TOO_LARGE'],

  handle: ({ caller, params, query: { entries }, request }, context) =>
    entries
      ? exportChain(context, identifyVisitor(context, { caller, params, request }))
      : findProof(context, identifyAsker(context, { params, request })),
})
