import { Type } from 'typebox'
import { resendEnvelope } from '../../../../sql/esigndoc/envelopes.ts'
import { Text } from '../../../../tasks/products/esigndoc/terms.ts'
import { route } from '../../../route.ts'
import { EnvelopeParam, OWNER_ERRORS, parseEnvelopeId, parseRecipientId } from '../schema.ts'

export default route({
  at: 'POST /v1/esigndoc/envelopes/{id}/resend',
  summary: 'Remind those who have not signed. Free, three times, once an hour at most.',
  keywords: 'chase signers, nudge, send again, reminder to sign',
  auth: ['key', 'wallet'],
  params: EnvelopeParam,
  body: Type.Object(
    {
      recipientIds: Type.Optional(Type.Array(Type.String({ maxLength: 64 }), { minItems: 1, maxItems: 40 })),
      message: Type.Optional(Text(5_000)),
    },
    { additionalProperties: false },
  ),
  bodyOptional: true,
  reply: {
    status: 200,
    schema: Type.Object({
      notified: Type.Array(Type.String()),
      skipped: Type.Array(Type.Object({ id: Type.String(), reason: Type.String() })),
    }),
  },
  errors: [
    ...OWNER_ERRORS,
    ...(['ENVELOPE_TERMINAL', 'ENVELOPE_NOT_SENT', 'RECIPIENT_UNKNOWN', 'INVALID_PARAM'] as const),
    ...(['RESENT_RECENTLY', 'RESENDS_EXHAUSTED'] as const),
  ],
  examples: [{ title: 'All who have not signed', input: { message: 'It is due on Friday.' } }],
  handle: ({ caller, params, body: { recipientIds, message } }, { db }) =>
    resendEnvelope(db, caller.accountId, parseEnvelopeId(params.id), {
      recipientIds: recipientIds?.map(parseRecipientId),
      message,
    }),
})
