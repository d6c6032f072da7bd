import type { MockField } from '../../../tasks/engines/mock/fields.ts'
import type { Schema } from '../../../tasks/engines/mock/schema-parts.ts'
import type { Value } from '../../../tasks/engines/mock/values.ts'
import type { OutDialect } from '../../../tasks/formats/tables/dialect.ts'

interface TableRequest {
  name: string
  /** Where it is in the body, for the hints of problems. */
  at: string
  fields?: readonly MockField[]
  schema?: Schema
  unique: readonly string[]
  rows?: number
  /** So many rows for each row of the first table. */
  perRow?: { min: number; max: number }
}

export const SQL_DIALECTS = ['postgres', 'mysql', 'sqlite'] as const

export interface MockRequest {
  locale: string
  seed: number
  refDate: string
  tables: readonly TableRequest[]
  format: 'csv' | 'tsv' | 'json' | 'ndjson' | 'sql'
  outCsv: OutDialect
  sql: { dialect: (typeof SQL_DIALECTS)[number]; create: boolean }
  preview: number
  /** Tables without rows are written as the head of a CSV, so that their columns are known to what reads them. */
  keepsHeads: boolean
}

export interface MadeTable {
  name: string
  rows: number
  columns: { name: string; type: string }[]
  preview: Record<string, unknown>[]
  /** Of all tables together where the format is sql. */
  path: string
}

/** Writes the rows of a table in one format. */
export interface RowWriter {
  begin: string
  row(values: readonly Value[], index: number): string
  end: string
}
