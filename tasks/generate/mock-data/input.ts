import { Type } from 'typebox'
import { MockField } from '../../engines/mock/fields.ts'
import { KINDS } from '../../engines/mock/kinds.ts'

const MAX_FIELDS = 100
export const TableName = (options: Record<string, unknown> = {}) =>
  Type.String({ minLength: 1, maxLength: 63, ...options })
export const Fields = Type.Array(MockField, { minItems: 1, maxItems: MAX_FIELDS })
/** Pages of calls show the first level of fields with their descriptions, so the types are named there. */
export const MainFields = { ...Fields, description: `Types: ${Object.keys(KINDS).join(', ')}.` }
export const Unique = Type.Optional(
  Type.Array(Type.String({ maxLength: 100 }), { maxItems: 10, description: 'Fields whose values do not repeat.' }),
)
const Rows = Type.Integer({ minimum: 1, maximum: 1_000_000 })
const PerRow = Type.Object(
  { min: Type.Integer({ minimum: 0, maximum: 1000 }), max: Type.Integer({ minimum: 0, maximum: 1000 }) },
  { description: 'Rows for each row of the first table, to which ref leads. Give rows or perRow.' },
)

export const Relations = Type.Optional(
  Type.Array(
    Type.Object({
      table: TableName(),
      fields: Fields,
      rows: Type.Optional(Rows),
      perRow: Type.Optional(PerRow),
      unique: Unique,
    }),
    { minItems: 1, maxItems: 10, description: 'More tables, whose fields of type ref lead to earlier ones.' },
  ),
)
