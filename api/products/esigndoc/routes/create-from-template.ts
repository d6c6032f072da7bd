import type { Price } from '#kit'
import { createEnvelope, type EnvelopeView } from '../../../../sql/esigndoc/envelopes.ts'
import { BILLABLE_AUTH } from '../../../intake/billable.ts'
import { route } from '../../../route.ts'
import { planLedger, planOnce, priceOf } from '../planning.ts'
import { ENVELOPE_PRICE } from '../price.ts'
import { Envelope, SEND_ERRORS } from '../schema.ts'
import { describeEnvelope } from '../showing.ts'
import { FromTemplateBody, type FromTemplateRequest } from '../template-body.ts'
import { planFromTemplate } from '../templates.ts'

export default route({
  at: 'POST /v1/esigndoc/envelopes/from-template',
  summary: 'Make an envelope of a template: people for its roles, values for its fields.',
  keywords: 'send a template, fill in a template, sign a standard form',
  auth: BILLABLE_AUTH,
  body: FromTemplateBody,
  reply: { status: 201, schema: Envelope },
  price: ENVELOPE_PRICE as Price<never>,
  settles: true,
  errors: [
    ...SEND_ERRORS,
    'FIELD_INVALID',
    ...(['NOT_FOUND', 'INVALID_PARAM', 'MISSING_FIELD', 'UNKNOWN_FIELD', 'RECIPIENT_UNKNOWN', 'INPUT_GONE'] as const),
    ...(['PROVIDER_NOT_CONFIGURED', 'TIME_LIMIT_EXCEEDED'] as const),
  ],
  examples: [
    {
      title: 'A tenant',
      input: {
        templateId: 'tpl_019ab3c45d6e7f809a1b2c3d4e5f6071',
        ...{ recipients: [{ role: 'tenant', name: 'Ida', email: 'ida@example.com' }], sendImmediately: true },
      },
    },
  ],
  async quote({ caller, body }, context) {
    const request = body as unknown as FromTemplateRequest
    if (!request.sendImmediately) return 0n
    if (!caller) return ENVELOPE_PRICE.rateMicros
    return priceOf(await planOnce(body, () => planFromTemplate(context, caller.accountId, request)))
  },
  async handle({ caller, body, job }, context) {
    const request = body as unknown as FromTemplateRequest
    const { envelope } = await planOnce(body, () => planFromTemplate(context, caller.accountId, request))
    const baton = request.sendImmediately ? await planLedger(context, caller, envelope.row.title) : undefined
    const maxOpen = context.settings.get('esigndoc.max_open')
    return createEnvelope(context.db, job!, envelope, baton && { baton }, maxOpen)
  },
  reveal: (result, context) => describeEnvelope(context, result as EnvelopeView),
})
