import { createHash } from 'node:crypto'
import { Type } from 'typebox'
import { newId, Problem } from '#kit'
import { createBatch } from '../../../../sql/esigndoc/batches.ts'
import { readTemplate } from '../../../../sql/esigndoc/templates.ts'
import { Text } from '../../../../tasks/products/esigndoc/terms.ts'
import { readIdempotencyKey } from '../../../intake/call-handler.ts'
import { aboveLimit, readMaxPrice } from '../../../intake/price-limit.ts'
import { route } from '../../../route.ts'
import { checkLogo } from '../logo.ts'
import { planLedger, priceOf } from '../planning.ts'
import { toBytea } from '../recipients.ts'
import { parseTemplateId, SEND_ERRORS } from '../schema.ts'
import { Batch, FROM_TEMPLATE_FIELDS, type FromTemplateRequest, OptionDefaults } from '../template-body.ts'
import { brandingOf, fillTemplate } from '../templates.ts'

const { templateId, recipients, prefill } = FROM_TEMPLATE_FIELDS

const Row = Type.Object(
  {
    ...{ recipients, prefill, title: Type.Optional(Text(255)), referenceId: Type.Optional(Text(128)) },
    metadata: Type.Optional(Type.Object({}, { additionalProperties: true })),
  },
  { additionalProperties: false },
)

export default route({
  at: 'POST /v1/esigndoc/envelopes/bulk',
  summary: 'Make an envelope of a template for each of up to 1,000 rows, and send them if you like.',
  keywords:
    'bulk send, send the same contract to many people, mass mailing for signature, one document for many signers, csv of signers',
  description:
    'All rows are checked first; if one is wrong, none is made. Drafts are free; with sendImmediately each is sent by itself and charged to your balance as it is, within the limits of your key. GET /v1/esigndoc/batches/{batchId} tells how far it is, and which could not be paid for.',
  auth: ['key', 'wallet'],
  headers: Type.Object({
    'Idempotency-Key': Type.Optional(
      Type.String({
        description: 'The same call with the same key makes no second batch, and is answered with the first.',
      }),
    ),
    'X-Max-Price-Micros': Type.Optional(
      Type.String({ description: 'If all rows together cost more, the call is refused and none is made.' }),
    ),
  }),
  body: Type.Object(
    {
      templateId,
      rows: Type.Array(Row, { minItems: 1, maxItems: 1_000 }),
      options: Type.Optional(OptionDefaults),
      sendImmediately: Type.Boolean({ default: false }),
    },
    { additionalProperties: false },
  ),
  reply: { status: 202, schema: Batch },
  errors: [
    ...SEND_ERRORS,
    'FIELD_INVALID',
    ...(['NOT_FOUND', 'INVALID_PARAM', 'MISSING_FIELD', 'UNKNOWN_FIELD', 'RECIPIENT_UNKNOWN', 'INPUT_GONE'] as const),
    ...(['INVALID_IDEMPOTENCY_KEY', 'IDEMPOTENCY_CONFLICT', 'PRICE_ABOVE_LIMIT'] as const),
    ...(['PROVIDER_NOT_CONFIGURED', 'MISSING_AUTH', 'UNAUTHENTICATED', 'ACCOUNT_SUSPENDED'] as const),
  ],
  examples: [
    {
      title: 'Two tenants',
      input: {
        templateId: 'tpl_019ab3c45d6e7f809a1b2c3d4e5f6071',
        rows: [
          { recipients: [{ role: 'tenant', name: 'Ida', email: 'ida@example.com' }] },
          { recipients: [{ role: 'tenant', name: 'Bo', email: 'bo@example.com' }] },
        ],
      },
    },
  ],
  async handle({ caller, headers, body }, context) {
    const { templateId: name, rows, options = {}, sendImmediately: sends } = body
    const template = parseTemplateId(name)
    const found = await readTemplate(context.db, caller.accountId, template)
    await checkLogo(context, caller.accountId, brandingOf(options))
    const id = chooseId(caller.accountId, headers['Idempotency-Key'])
    const planned = rows.map((row, index) => {
      try {
        const request = { ...options, ...row, templateId: name, sendImmediately: sends } as FromTemplateRequest
        const plan = fillTemplate(context, template, found, request, { batch_id: id })
        return { plan, charge: sends ? String(priceOf(plan)) : undefined }
      } catch (error) {
        throw error instanceof Problem ? new Problem(error.code, { ...error.hints, row: index }) : error
      }
    })
    requireWithin(headers['X-Max-Price-Micros'], planned)
    const made = []
    for (const { plan, charge } of planned) {
      const baton = sends ? await planLedger(context, caller, plan.envelope.row.title) : undefined
      made.push({ envelope: plan.envelope, charge, baton })
    }
    const keyHash = caller.keyHash && toBytea(caller.keyHash)
    const batch = { id, templateId: template, sends, requestHash: hash(JSON.stringify(body)), keyHash, rows: made }
    return createBatch(context.db, caller.accountId, batch, context.settings.get('esigndoc.max_open'))
  },
})

/** What each row costs is charged later, so the limit of the call is kept here. */
function requireWithin(header: string | undefined, planned: readonly { charge: string | undefined }[]): void {
  if (header === undefined) return
  const limitMicros = readMaxPrice(header)
  const amountMicros = planned.reduce((sum, { charge }) => sum + BigInt(charge ?? 0), 0n)
  if (amountMicros > limitMicros) throw aboveLimit({ name: 'esigndoc.create-batch', amountMicros, limitMicros })
}

/** A key stands for one batch of an account, so its id follows from it. */
function chooseId(accountId: string, header: string | undefined): string {
  if (header === undefined) return newId()
  const hex = hash(`envelope batch ${accountId} ${readIdempotencyKey(header, undefined)}`)
  return hex.slice(0, 32).replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-')
}

function hash(text: string): string {
  return createHash('sha256').update(text).digest('hex')
}
