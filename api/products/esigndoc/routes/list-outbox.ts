import { Type } from 'typebox'
import { listOutbox } from '../../../../sql/esigndoc/envelopes.ts'
import { route } from '../../../route.ts'
import { EnvelopeParam, NullableText, OWNER_ERRORS, parseEnvelopeId } from '../schema.ts'

const Time = Type.String({ format: 'date-time' })

export default route({
  at: 'GET /v1/esigndoc/envelopes/{id}/outbox',
  summary: 'Read which messages were written about an envelope, and whether they were sent.',
  keywords: 'was the mail sent, bounced mail of a signer, mails without a mail server',
  description:
    'Without a mail server they are kept here. Links and codes are in none of them; `signingUrl` is in the envelope.',
  auth: ['key', 'wallet'],
  params: EnvelopeParam,
  reply: {
    status: 200,
    schema: Type.Object({
      data: Type.Array(
        Type.Object({
          id: Type.String(),
          name: Type.String(),
          recipient: NullableText,
          data: Type.Object({}, { additionalProperties: true }),
          state: Type.String(),
          attempts: Type.Integer(),
          lastError: NullableText,
          createdAt: Time,
          endedAt: Type.Union([Time, Type.Null()]),
        }),
      ),
    }),
  },
  errors: OWNER_ERRORS,
  handle: async ({ caller, params }, { db }) => ({
    data: await listOutbox(db, caller.accountId, parseEnvelopeId(params.id)),
  }),
})
