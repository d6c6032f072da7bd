import { type Static, Type } from 'typebox'
import { Choice } from '#kit'
import { PLACED_FIELD_TYPES } from './document.ts'
import { Text } from './terms.ts'

const Percent = (description: string) => Type.Number({ minimum: 0, maximum: 100, description })

const Occurrence = Type.Union([Choice(['first', 'last', 'all']), Type.Integer({ minimum: 1, maximum: 500 })], {
  default: 'first',
})

const Anchor = Type.Object(
  {
    text: Text(200, 'What is printed in the document, such as `Signature:`.'),
    occurrence: Occurrence,
    dx: Type.Optional(Type.Number({ minimum: -100, maximum: 100 })),
    dy: Type.Optional(Type.Number({ minimum: -100, maximum: 100 })),
    w: Type.Optional(Percent('Per cent of the width of the page.')),
    h: Type.Optional(Percent('Per cent of its height.')),
    remove: Type.Boolean({ default: true, description: 'Take the text out of the document.' }),
  },
  { additionalProperties: false, description: 'In place of page, x, y, w and h: beside a text of the document.' },
)

const Validation = Type.Object(
  {
    min: Type.Optional(Type.Number()),
    max: Type.Optional(Type.Number()),
    maxLength: Type.Optional(Type.Integer({ minimum: 1, maximum: 5_000 })),
    pattern: Type.Optional(
      Text(200, 'For the whole text: characters, classes such as [A-Z] and \\d, and counts such as {2,4}; no groups.'),
    ),
    format: Type.Optional(Choice(['email', 'date', 'integer', 'phone', 'url'])),
  },
  { additionalProperties: false },
)

/** The fields of a field that do not say whose it is or where. */
const FIELD_RULES = {
  required: Type.Boolean({ default: true }),
  readOnly: Type.Boolean({ default: false }),
  label: Type.Optional(
    Text(200, 'A date whose label names another day than that of signing is never filled in by itself.'),
  ),
  placeholder: Type.Optional(Text(200)),
  defaultValue: Type.Optional(Type.Union([Type.String({ maxLength: 5_000 }), Type.Boolean(), Type.Number()])),
  options: Type.Optional(Type.Array(Text(200), { minItems: 1, maxItems: 100, description: 'Of a dropdown.' })),
  group: Type.Optional(Text(100, 'Radio fields of one group: one of them is chosen, by its value `label` or id.')),
  validation: Type.Optional(Validation),
  showIf: Type.Optional(
    Type.Object(
      { field: Text(64), equals: Type.Union([Type.String({ maxLength: 5_000 }), Type.Boolean(), Type.Number()]) },
      { additionalProperties: false, description: 'Asked for only if another field of the recipient has this value.' },
    ),
  ),
  font: Type.Optional(
    Type.Object(
      {
        size: Type.Optional(Type.Number({ minimum: 6, maximum: 48 })),
        align: Type.Optional(Choice(['left', 'center', 'right'])),
      },
      { additionalProperties: false },
    ),
  ),
}

const PLACE = {
  file: Type.Optional(
    Type.Integer({
      minimum: 0,
      maximum: 9,
      description: 'From 0, the default; an anchor without it is sought in all.',
    }),
  ),
  page: Type.Optional(Type.Integer({ description: 'From 1, or from the end: -1 is the last.' })),
  x: Type.Optional(Percent('Per cent of the page as displayed, from its left.')),
  y: Type.Optional(Percent('From its top.')),
  w: Type.Optional(Percent('The width; by default what the type needs.')),
  h: Type.Optional(Percent('The height.')),
  anchor: Type.Optional(Anchor),
}

export const FieldBody = Type.Object(
  {
    id: Type.Optional(Type.String({ pattern: '^[\\w.-]{1,64}$', description: 'Yours; by default one is made.' })),
    recipient: Type.Optional(
      Type.Union([Type.Integer({ minimum: 0, maximum: 24 }), Text(320)], {
        description: 'Index from 0, id or mail address. A heading needs none.',
      }),
    ),
    type: Choice(PLACED_FIELD_TYPES),
    ...PLACE,
    ...FIELD_RULES,
  },
  { additionalProperties: false },
)

export type FieldTerms = Static<typeof FieldBody>

/** A field of a template, which belongs to a role. */
export const TemplateFieldBody = Type.Object(
  {
    key: Type.String({ pattern: '^[\\w.-]{1,64}$', description: 'By which `prefill` names it.' }),
    role: Type.Optional(Text(100, 'The key of a role. A heading needs none.')),
    type: Choice(PLACED_FIELD_TYPES),
    ...PLACE,
    ...FIELD_RULES,
  },
  { additionalProperties: false },
)

export type TemplateFieldTerms = Static<typeof TemplateFieldBody>
