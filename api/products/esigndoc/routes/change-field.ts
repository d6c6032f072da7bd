import { type TSchema, Type } from 'typebox'
import { Problem } from '#kit'
import { changeField, readDraft } from '../../../../sql/esigndoc/fields.ts'
import { FieldBody, type FieldTerms } from '../../../../tasks/products/esigndoc/field-body.ts'
import { route } from '../../../route.ts'
import { placeOnDraft } from '../drafting.ts'
import { EnvelopeParam, FieldReply, OWNER_ERRORS, parseEnvelopeId } from '../schema.ts'

const { id: _id, anchor: _anchor, type, ...others } = FieldBody.properties
/** What is left out stays as it is. */
const plain = Object.fromEntries(
  Object.entries<TSchema & { default?: unknown }>({ type, ...others }).map(
    ([name, { default: _default, ...schema }]) => [name, Type.Optional(schema as TSchema)],
  ),
)

export default route({
  at: 'PATCH /v1/esigndoc/envelopes/{id}/fields/{fieldId}',
  summary: 'Change a field of a draft: whose it is, where it stands, or its rules.',
  keywords: 'move a field, resize a signature field, make a field optional',
  auth: ['key', 'wallet'],
  params: Type.Object({ ...EnvelopeParam.properties, fieldId: Type.String({ maxLength: 64 }) }),
  body: Type.Object(plain, { additionalProperties: false, minProperties: 1 }),
  reply: { status: 200, schema: Type.Object({ data: Type.Array(FieldReply) }) },
  errors: [
    ...OWNER_ERRORS,
    'FIELD_INVALID',
    ...(['ENVELOPE_NOT_DRAFT', 'FIELD_OUT_OF_PAGE', 'RECIPIENT_UNKNOWN', 'INVALID_PARAM', 'MISSING_FIELD'] as const),
  ],
  examples: [{ title: 'Lower', input: { y: 90 } }],
  async handle({ caller: { accountId }, params, body }, context) {
    const id = parseEnvelopeId(params.id)
    const draft = await readDraft(context.db, accountId, id)
    const found = draft.fields.find(one => one.id === params.fieldId)
    if (!found) throw new Problem('NOT_FOUND', { field: 'fieldId' })
    const { value, recipient, ...spec } = found
    const field = { ...spec, defaultValue: value ?? undefined, recipient: recipient ?? undefined, ...(body as object) }
    const { rows } = await placeOnDraft(context, accountId, draft, [field as FieldTerms])
    return { data: await changeField(context.db, accountId, id, { ...rows[0]!, id: params.fieldId }) }
  },
})
