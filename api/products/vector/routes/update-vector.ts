import { Type } from 'typebox'
import { updateVector } from '../../../../sql/vector/change.ts'
import { route } from '../../../route.ts'
import { QuotasReply, USE_ERRORS, WRITER_AUTH } from '../../baton/index.ts'
import { identifyVectorUser, VectorBaton } from '../admission.ts'
import { Metadata, Namespace, VectorId } from '../fields.ts'
import { checkMetadata } from '../upsert.ts'

export default route({
  at: 'POST /v1/baton/{baton}/vectors/update',
  summary: 'Change the metadata of one vector of a vector baton.',
  keywords: 'change tags of an embedding, vector payload',
  description: 'It is free, and counts as one write of the baton.',
  auth: WRITER_AUTH,
  params: VectorBaton,
  body: Type.Object(
    {
      id: VectorId,
      metadata: Metadata,
      merge: Type.Boolean({ default: true, description: 'Keep the fields that are not given.' }),
      namespace: Namespace,
    },
    { additionalProperties: false },
  ),
  reply: {
    status: 200,
    schema: Type.Object({
      id: Type.String(),
      namespace: Type.String(),
      metadata: Type.Record(Type.String(), Type.Unknown()),
      bytesUsed: Type.String(),
      quotas: QuotasReply,
    }),
  },
  errors: [...USE_ERRORS, 'INVALID_PARAM', 'PRESET_MISMATCH', 'VECTOR_INVALID', 'QUOTA_EXHAUSTED', 'RATE_LIMITED'],
  examples: [{ title: 'Mark it as read', input: { id: 'a', metadata: { read: true } } }],

  handle({ caller, params, body, request }, context) {
    checkMetadata(body.metadata, 0)
    return updateVector(context.db, identifyVectorUser(context, { caller, params, request }), body)
  },
})
