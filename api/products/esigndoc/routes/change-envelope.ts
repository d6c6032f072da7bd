import { Type } from 'typebox'
import { changeEnvelope } from '../../../../sql/esigndoc/envelopes.ts'
import { requireWritable } from '../../../../tasks/products/esigndoc/mark.ts'
import { ENVELOPE_OPTIONS, RecipientBody, Text } from '../../../../tasks/products/esigndoc/terms.ts'
import { route } from '../../../route.ts'
import { newLink } from '../recipients.ts'
import { Envelope, EnvelopeParam, OWNER_ERRORS, parseEnvelopeId, parseRecipientId } from '../schema.ts'
import { describeEnvelope } from '../showing.ts'

export default route({
  at: 'PATCH /v1/esigndoc/envelopes/{id}',
  summary: 'Change the title, the end or the reminders of an envelope, or mend the address of a recipient.',
  keywords: 'wrong mail address of a signer, extend the deadline of an envelope, correct a recipient',
  description:
    'A recipient who has not signed can get another name or mail address; with another address comes a new link, and the old one is of no use any more.',
  auth: ['key', 'wallet'],
  params: EnvelopeParam,
  body: Type.Object(
    {
      title: Type.Optional(Text(255)),
      expiresInDays: Type.Optional(Type.Integer({ minimum: 1, maximum: 365, description: 'From now.' })),
      reminders: Type.Optional(ENVELOPE_OPTIONS.reminders),
      recipients: Type.Optional(
        Type.Array(
          Type.Object(
            {
              id: Type.String({ maxLength: 64 }),
              name: Type.Optional(RecipientBody.properties.name),
              email: RecipientBody.properties.email,
            },
            { additionalProperties: false },
          ),
          { minItems: 1, maxItems: 40 },
        ),
      ),
    },
    { additionalProperties: false, minProperties: 1 },
  ),
  reply: { status: 200, schema: Envelope },
  errors: [...OWNER_ERRORS, 'ENVELOPE_TERMINAL', 'RECIPIENT_UNKNOWN', 'RECIPIENT_DONE', 'INVALID_PARAM'],
  examples: [{ title: 'Two more weeks', input: { expiresInDays: 14 } }],
  async handle({ caller, params, body: { recipients = [], ...rest } }, context) {
    requireWritable(rest.title ?? '', 'title', 'INVALID_PARAM')
    const changes = recipients.map(({ id: wireId, name, email }, index) => {
      requireWritable(name ?? '', `recipients/${index}/name`, 'INVALID_PARAM')
      const id = parseRecipientId(wireId)
      return { id, wireId, name, email: email?.toLowerCase(), ...newLink(context, id) }
    })
    const id = parseEnvelopeId(params.id)
    const changed = await changeEnvelope(context.db, caller.accountId, id, { ...rest, recipients: changes })
    return describeEnvelope(context, changed)
  },
})
