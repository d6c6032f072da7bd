import { Type } from 'typebox'
import { readEnvelope } from '../../../../sql/esigndoc/envelopes.ts'
import { route } from '../../../route.ts'
import { EnvelopeParam, FieldReply, OWNER_ERRORS, parseEnvelopeId } from '../schema.ts'

export default route({
  at: 'GET /v1/esigndoc/envelopes/{envelope}/fields',
  summary: 'List the fields of an envelope with what was filled in.',
  keywords: 'values of a signed form, what did they fill in',
  auth: ['key', 'wallet'],
  params: Type.Object({ envelope: EnvelopeParam.properties.id }),
  reply: { status: 200, schema: Type.Object({ data: Type.Array(FieldReply) }) },
  errors: OWNER_ERRORS,
  async handle({ caller, params }, { db }) {
    const { fields } = await readEnvelope(db, caller.accountId, parseEnvelopeId(params.envelope))
    return { data: fields }
  },
})
