import { Type } from 'typebox'
import { makeLink } from '../../../../sql/esigndoc/envelopes.ts'
import { route } from '../../../route.ts'
import { newLink } from '../recipients.ts'
import { EnvelopeParam, OWNER_ERRORS, parseEnvelopeId, parseRecipientId, RecipientReply } from '../schema.ts'
import { describeRecipient } from '../showing.ts'

export default route({
  at: 'POST /v1/esigndoc/envelopes/{id}/recipients/{recipientId}/link',
  summary: 'Make a new link for a recipient. The old one is of no use any more.',
  keywords: 'new signing link, signing link was leaked, link expired',
  auth: ['key', 'wallet'],
  params: Type.Object({ ...EnvelopeParam.properties, recipientId: Type.String({ maxLength: 64 }) }),
  reply: { status: 200, schema: RecipientReply },
  errors: [...OWNER_ERRORS, 'ENVELOPE_TERMINAL', 'ENVELOPE_NOT_SENT', 'RECIPIENT_UNKNOWN', 'RECIPIENT_DONE'],
  async handle({ caller, params }, context) {
    const recipient = parseRecipientId(params.recipientId)
    const link = newLink(context, recipient)
    const made = await makeLink(context.db, caller.accountId, parseEnvelopeId(params.id), recipient, link)
    return describeRecipient(context, made)
  },
})
