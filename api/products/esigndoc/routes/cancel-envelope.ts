import { Type } from 'typebox'
import { cancelEnvelope } from '../../../../sql/esigndoc/envelopes.ts'
import { Text } from '../../../../tasks/products/esigndoc/terms.ts'
import { route } from '../../../route.ts'
import { Envelope, EnvelopeParam, OWNER_ERRORS, parseEnvelopeId } from '../schema.ts'
import { describeEnvelope } from '../showing.ts'

export default route({
  at: 'DELETE /v1/esigndoc/envelopes/{id}',
  summary: 'Cancel an envelope. If nobody has opened it, all is paid back.',
  keywords: 'void an envelope, withdraw a signature request',
  auth: ['key', 'wallet'],
  params: EnvelopeParam,
  body: Type.Object({ reason: Type.Optional(Text(500)) }, { additionalProperties: false }),
  bodyOptional: true,
  reply: { status: 200, schema: Envelope },
  errors: [...OWNER_ERRORS, 'ENVELOPE_TERMINAL', 'INVALID_PARAM'],
  examples: [{ title: 'With a reason', input: { reason: 'A new one follows.' } }],
  handle: async ({ caller, params, body }, context) =>
    describeEnvelope(
      context,
      await cancelEnvelope(context.db, caller.accountId, parseEnvelopeId(params.id), body.reason),
    ),
})
