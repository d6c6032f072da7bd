import { Type } from 'typebox'
import { perCall } from '#kit'
import { route } from '../../../route.ts'
import { BatonId, identifyVisitor, OWNER_AUTH, USE_ERRORS } from '../../baton/index.ts'
import { PROOF_FIELDS } from '../fields.ts'
import { countWitnessUnits, witnessContent } from '../sealing.ts'

export default route({
  at: 'POST /v1/baton/{id}/trust/document-witness',
  summary: 'Freeze a baton that you own and sign the hash of what it holds.',
  keywords:
    'notarize, timestamp, proof of existence, seal, tamper-evident, signature, prove that a document existed at a date',
  description:
    'Nothing can be written to it from then on. The signed record is kept for 7 years, also after the content is gone; anyone can check it offline against `/.well-known/jwks.json`.',
  auth: OWNER_AUTH,
  params: BatonId,
  body: Type.Object({}, { additionalProperties: false }),
  bodyOptional: true,
  reply: { status: 200, schema: Type.Object(PROOF_FIELDS) },
  price: {
    ...perCall('0.05'),
    note: 'It is free for a baton whose witness was paid for when it was created, which every chained baton is.',
  },
  errors: [
    ...USE_ERRORS,
    'PAYMENT_REQUIRED',
    'ALREADY_WITNESSED',
    'BATON_NOT_ACTIVE',
    'CHAIN_NOT_INITIALIZED',
    'VERSION_CONFLICT',
    'QUOTA_EXHAUSTED',
    'witness_key_not_configured',
  ],
  examples: [{ title: 'Have it signed', input: {} }],
  countUnits: ({ caller, params }, context) => countWitnessUnits(context, caller, params.id),
  settles: true,
  handle: ({ caller, params, request, job }, context) =>
    witnessContent(context, identifyVisitor(context, { caller, params, request }), job!),
})
