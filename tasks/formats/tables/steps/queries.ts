import { type Static, Type } from 'typebox'
import type { InputFile } from '#kit'
import { TableFile } from './input.ts'

const Bound = Type.Union([Type.String({ maxLength: 65_536 }), Type.Number(), Type.Boolean(), Type.Null()])

export const SQL_ROWS = { minimum: 1, maximum: 1_000_000 }

/** What data/sql, data/sql-large and a pipeline's step of SQL take. */
export const SqlParams = Type.Object({
  sql: Type.String({
    minLength: 1,
    maxLength: 32_768,
    description: 'One SELECT in the SQL of DuckDB, over the given tables. A single `file` is the table input.',
  }),
  params: Type.Optional(
    Type.Union(
      [
        Type.Array(Bound, { maxItems: 100 }),
        Type.Unsafe<Record<string, Static<typeof Bound>>>({
          type: 'object',
          additionalProperties: Bound,
          maxProperties: 100,
        }),
      ],
      { description: 'Values for $1, $2 … as a list, or for $name as an object.' },
    ),
  ),
  maxRows: Type.Integer({ ...SQL_ROWS, default: 10_000 }),
  deterministic: Type.Boolean({ default: false, description: 'Refuse functions such as now() and random().' }),
})
export type SqlParams = Static<typeof SqlParams>

export const TABLE_NAME = '^[A-Za-z_][A-Za-z0-9_]{0,62}$'

/** Up to ten tables by the names that a statement or a step calls them by. */
export function NamedTables(description: string) {
  return Type.Unsafe<Record<string, InputFile>>({
    type: 'object',
    additionalProperties: TableFile(),
    propertyNames: { pattern: TABLE_NAME },
    minProperties: 1,
    maxProperties: 10,
    description,
  })
}

export const SQL_ERRORS = ['SQL_SYNTAX', 'SQL_FORBIDDEN', 'SQL_RUNTIME'] as const
