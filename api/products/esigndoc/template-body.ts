import { type Static, Type } from 'typebox'
import { Choice } from '#kit'
import { TemplateFieldBody } from '../../../tasks/products/esigndoc/field-body.ts'
import { ENVELOPE_OPTIONS, RecipientBody, ROLES, Text } from '../../../tasks/products/esigndoc/terms.ts'
import { DOCUMENT_FIELDS } from './envelope-body.ts'
import { FilesReply, NullableText } from './schema.ts'

/** Options without their defaults: what is not said is left to whoever uses the template. */
const OPTIONAL = Object.fromEntries(
  Object.entries<object & { default?: unknown }>(ENVELOPE_OPTIONS).map(([name, { default: _default, ...schema }]) => [
    name,
    Type.Optional(schema as never),
  ]),
)

export const OptionDefaults = Type.Unsafe<Record<string, unknown>>(
  Type.Object({ title: Type.Optional(Text(255)), ...OPTIONAL }, { additionalProperties: false }),
)

const RoleBody = Type.Object(
  {
    key: Type.String({ pattern: '^[\\w.-]{1,64}$' }),
    name: Text(100, 'As people know it, such as `Tenant`.'),
    order: Type.Integer({ minimum: 1, maximum: 25, default: 1 }),
    role: Choice(ROLES, { default: 'signer' }),
  },
  { additionalProperties: false },
)

export const TemplateBody = Type.Object(
  {
    ...DOCUMENT_FIELDS,
    name: Text(200),
    roles: Type.Array(RoleBody, { minItems: 1, maxItems: 25 }),
    fields: Type.Array(TemplateFieldBody, { maxItems: 500, default: [] }),
    defaults: Type.Optional(OptionDefaults),
  },
  { additionalProperties: false },
)

export type TemplateRequest = Static<typeof TemplateBody>

export const Template = Type.Object({
  id: Type.String(),
  name: Type.String(),
  version: Type.Integer(),
  files: FilesReply,
  roles: Type.Array(RoleBody),
  fields: Type.Array(
    Type.Object({ key: Type.String(), role: NullableText, type: Type.String() }, { additionalProperties: true }),
  ),
  defaults: Type.Object({}, { additionalProperties: true }),
  createdAt: Type.String({ format: 'date-time' }),
  updatedAt: Type.String({ format: 'date-time' }),
})

/** Who takes a role of a template. */
const Taker = Type.Object(
  { ...RecipientBody.properties, role: Type.String({ maxLength: 64, description: 'The key of a role.' }) },
  { additionalProperties: false },
)

const { order: _order, ...taker } = Taker.properties

export const FROM_TEMPLATE_FIELDS = {
  templateId: Type.String({ maxLength: 64, description: 'Such as `tpl_019ab3c4…`.' }),
  recipients: Type.Array(Type.Object(taker, { additionalProperties: false }), { minItems: 1, maxItems: 25 }),
  prefill: Type.Optional(
    Type.Unsafe<Record<string, string | number | boolean>>({
      type: 'object',
      maxProperties: 500,
      additionalProperties: { anyOf: [{ type: 'string', maxLength: 5_000 }, { type: 'number' }, { type: 'boolean' }] },
      description: 'Values by the key of a field.',
    }),
  ),
}

export const FromTemplateBody = Type.Object(
  {
    ...FROM_TEMPLATE_FIELDS,
    title: Type.Optional(Text(255)),
    fields: Type.Optional(
      Type.Unsafe<Record<string, object>>({
        type: 'object',
        additionalProperties: {
          type: 'object',
          additionalProperties: false,
          properties: {
            required: { type: 'boolean' },
            readOnly: { type: 'boolean' },
            label: { type: 'string', maxLength: 200 },
            placeholder: { type: 'string', maxLength: 200 },
          },
        },
        description: 'Rules that differ from those of the template, by the key of a field.',
      }),
    ),
    sendImmediately: Type.Boolean({ default: false }),
    ...OPTIONAL,
  },
  { additionalProperties: false },
)

export interface FromTemplateRequest extends Record<string, unknown> {
  templateId: string
  title?: string
  recipients: Static<(typeof FROM_TEMPLATE_FIELDS)['recipients']>
  prefill?: Record<string, string | number | boolean>
  fields?: Record<string, object>
  sendImmediately: boolean
}

export const TemplateParam = Type.Object({
  templateId: Type.String({ maxLength: 64, description: 'Such as `tpl_019ab3c4…`.' }),
})

export const Batch = Type.Object({
  id: Type.String(),
  sends: Type.Boolean(),
  createdAt: Type.String({ format: 'date-time' }),
  rows: Type.Array(
    Type.Object({
      index: Type.Integer(),
      envelopeId: NullableText,
      status: NullableText,
      problem: Type.Unknown({ description: 'Why it was not sent, such as INSUFFICIENT_BALANCE; it is a draft then.' }),
    }),
  ),
})
