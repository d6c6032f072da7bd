import { readEnvelope } from '../../../../sql/esigndoc/envelopes.ts'
import { route } from '../../../route.ts'
import { Envelope, EnvelopeParam, OWNER_ERRORS, parseEnvelopeId } from '../schema.ts'
import { describeEnvelope } from '../showing.ts'

export default route({
  at: 'GET /v1/esigndoc/envelopes/{id}',
  summary: 'Read an envelope: who has signed, what they have filled in, and the links of those who have not.',
  keywords: 'has it been signed, state of a signature request, signing link',
  auth: ['key', 'wallet'],
  params: EnvelopeParam,
  reply: { status: 200, schema: Envelope },
  errors: OWNER_ERRORS,
  handle: async ({ caller, params }, context) =>
    describeEnvelope(context, await readEnvelope(context.db, caller.accountId, parseEnvelopeId(params.id))),
})
