import { Type } from 'typebox'
import { Problem } from '#kit'
import { addFields, readDraft } from '../../../../sql/esigndoc/fields.ts'
import { FieldBody } from '../../../../tasks/products/esigndoc/field-body.ts'
import { route } from '../../../route.ts'
import { placeOnDraft } from '../drafting.ts'
import { EnvelopeParam, FieldReply, OWNER_ERRORS, parseEnvelopeId, Warnings } from '../schema.ts'
import { listWarnings } from '../showing.ts'

export default route({
  at: 'POST /v1/esigndoc/envelopes/{envelope}/fields',
  summary: 'Add a field, or several, to a draft.',
  keywords: 'place a signature field, add a date field, fields on a pdf, anchor',
  auth: ['key', 'wallet'],
  // A field has an id of its own.
  params: Type.Object({ envelope: EnvelopeParam.properties.id }),
  body: Type.Object(
    {
      fields: Type.Optional(Type.Array(FieldBody, { minItems: 1, maxItems: 500 })),
      ...FieldBody.properties,
      type: Type.Optional(FieldBody.properties.type),
    },
    {
      additionalProperties: false,
      description: 'One field, or several: as `fields`, or as an array that is the body.',
    },
  ),
  arrayField: 'fields',
  reply: { status: 201, schema: Type.Object({ data: Type.Array(FieldReply), warnings: Warnings }) },
  errors: [
    ...OWNER_ERRORS,
    'FIELD_INVALID',
    ...(['ENVELOPE_NOT_DRAFT', 'ENVELOPE_FULL', 'FIELD_OUT_OF_PAGE', 'ANCHOR_NOT_FOUND', 'RECIPIENT_UNKNOWN'] as const),
    ...(['INVALID_PARAM', 'MISSING_FIELD', 'CONFLICTING_OPTIONS', 'BUSY'] as const),
  ],
  examples: [
    {
      title: 'A signature at the foot of the last page',
      input: { type: 'signature', recipient: 0, page: -1, x: 60, y: 85 },
    },
  ],
  async handle({ caller: { accountId }, params, body: { fields: several, type, ...one } }, context) {
    const id = parseEnvelopeId(params.envelope)
    if (several && type) throw new Problem('CONFLICTING_OPTIONS', { fields: ['type', 'fields'] })
    if (!several && !type) throw new Problem('MISSING_FIELD', { field: 'type' })
    const fields = several ?? [{ ...one, type: type! }]
    const draft = await readDraft(context.db, accountId, id)
    const { rows, changed } = await placeOnDraft(context, accountId, draft, fields)
    const data = await addFields(context.db, accountId, id, rows, changed)
    const warnings = listWarnings(data)
    return { data, ...(warnings.length > 0 && { warnings }) }
  },
})
