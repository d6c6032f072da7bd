import { Type } from 'typebox'
import { Choice, type Price, Problem } from '#kit'
import { type EnvelopeView, sendEnvelope } from '../../../../sql/esigndoc/envelopes.ts'
import { readDraft } from '../../../../sql/esigndoc/fields.ts'
import { priceEnvelope } from '../../../../tasks/products/esigndoc/index.ts'
import { DELIVERIES, Text } from '../../../../tasks/products/esigndoc/terms.ts'
import { requireFillable } from '../../../../tasks/products/esigndoc/values.ts'
import { BILLABLE_AUTH } from '../../../intake/billable.ts'
import { route } from '../../../route.ts'
import { planLedger } from '../planning.ts'
import { ENVELOPE_PRICE } from '../price.ts'
import { Envelope, EnvelopeParam, OWNER_ERRORS, parseEnvelopeId } from '../schema.ts'
import { describeEnvelope } from '../showing.ts'

export default route({
  at: 'POST /v1/esigndoc/envelopes/{id}/send',
  summary: 'Send a draft to those who sign it.',
  keywords: 'distribute a draft, start signing',
  description: 'From then on its documents and fields are fixed. It costs what sending it at once would have cost.',
  auth: BILLABLE_AUTH,
  params: EnvelopeParam,
  body: Type.Object(
    {
      message: Type.Optional(Text(5_000, 'In place of that of the draft.')),
      delivery: Type.Optional(
        Choice(DELIVERIES, { description: 'For all recipients but those who get a copy by mail.' }),
      ),
    },
    { additionalProperties: false },
  ),
  bodyOptional: true,
  reply: { status: 200, schema: Envelope },
  price: { ...ENVELOPE_PRICE, minUnits: 1 } as Price<never>,
  settles: true,
  errors: [
    ...OWNER_ERRORS,
    ...(['ENVELOPE_NOT_DRAFT', 'NO_SIGNERS', 'NO_FIELDS', 'MISSING_FIELD', 'FIELD_INVALID', 'BUSY'] as const),
    'TIME_LIMIT_EXCEEDED',
  ],
  examples: [{ title: 'With a message', input: { message: 'Please sign until Friday.' } }],
  async quote({ caller, params, body }, { db }) {
    if (!caller) return ENVELOPE_PRICE.rateMicros
    const { recipients, files, fields } = await readDraft(db, caller.accountId, parseEnvelopeId(params.id))
    if (body.delivery === 'email') {
      const index = recipients.findIndex(({ email }) => !email)
      if (index >= 0) throw new Problem('MISSING_FIELD', { field: `recipients/${index}/email` })
    }
    requireFillable(fields.map(field => ({ ...field, owner: field.recipient })))
    return priceEnvelope({ recipients, pages: countPages(files) })
  },
  async handle({ caller, params, body: { message, delivery }, job }, context) {
    const id = parseEnvelopeId(params.id)
    const draft = await readDraft(context.db, caller.accountId, id)
    const baton = await planLedger(context, caller, draft.title)
    const counted = { pages: countPages(draft.files), recipients: draft.recipients.length }
    return sendEnvelope(context.db, job!, id, { baton, message, delivery, ...counted })
  },
  reveal: (result, context) => describeEnvelope(context, result as EnvelopeView),
})

function countPages(files: readonly { pages: readonly unknown[] }[]): number {
  return files.reduce((sum, { pages }) => sum + pages.length, 0)
}
