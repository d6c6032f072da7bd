import { Type } from 'typebox'
import { removeField } from '../../../../sql/esigndoc/fields.ts'
import { route } from '../../../route.ts'
import { EnvelopeParam, FieldReply, OWNER_ERRORS, parseEnvelopeId } from '../schema.ts'

export default route({
  at: 'DELETE /v1/esigndoc/envelopes/{id}/fields/{fieldId}',
  summary: 'Remove a field from a draft.',
  keywords: 'delete a signature field',
  auth: ['key', 'wallet'],
  params: Type.Object({ ...EnvelopeParam.properties, fieldId: Type.String({ maxLength: 64 }) }),
  reply: { status: 200, schema: Type.Object({ data: Type.Array(FieldReply) }) },
  errors: [...OWNER_ERRORS, 'ENVELOPE_NOT_DRAFT'],
  handle: async ({ caller, params }, { db }) => ({
    data: await removeField(db, caller.accountId, parseEnvelopeId(params.id), params.fieldId),
  }),
})
