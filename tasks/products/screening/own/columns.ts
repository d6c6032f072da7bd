import { Type } from 'typebox'
import { Problem } from '#kit'

const Column = Type.String({ minLength: 1, maxLength: 200 })
const Columns = (description: string) =>
  Type.Optional(
    Type.Union([Column, Type.Array(Column, { minItems: 1, maxItems: 10 })], {
      description: `${description} A column, or several.`,
    }),
  )

/** Which columns of an uploaded table are what of an entry. */
export const COLUMN_MAP = {
  id: Columns('What tells the entry from others in later versions; left out: its content.'),
  name: Columns('Several are written one after another, such as given name and surname.'),
  aliases: Columns('Other names.'),
  type: Columns('`person`, `organization`, `vessel` or `aircraft`.'),
  dob: Columns('Dates of birth.'),
  gender: Columns('`male` or `female`.'),
  nationality: Columns('Countries by name or code.'),
  country: Columns('Countries by name or code.'),
  birthPlace: Columns('Places of birth.'),
  address: Columns('Addresses.'),
  passport: Columns('Numbers of passports.'),
  nationalId: Columns('Numbers of identity cards.'),
  taxId: Columns('Tax numbers.'),
  registration: Columns('Numbers of registers.'),
  imo: Columns('IMO numbers.'),
  mmsi: Columns('MMSI numbers.'),
  crypto: Columns('Addresses of wallets.'),
  swift: Columns('BIC codes.'),
  lei: Columns('LEI codes.'),
  topics: Columns('Labels of yours, which a screening can ask for.'),
  remarks: Columns('What is shown with a match.'),
  listedOn: Columns('Since when it is listed.'),
  url: Columns('Where more is found.'),
}
export type ColumnField = keyof typeof COLUMN_MAP
export type ColumnMap = Partial<Record<ColumnField, string | string[]>>

const FIELDS = Object.keys(COLUMN_MAP) as ColumnField[]

/** The places of the columns by what they are. Those that are not named are found by their names. */
export function placeColumns(columns: readonly string[], map: ColumnMap): Map<ColumnField, number[]> {
  const folded = columns.map(fold)
  const places = new Map<ColumnField, number[]>()
  for (const field of FIELDS) {
    const named = map[field]
    if (named === undefined) {
      const at = folded.indexOf(fold(field))
      if (at >= 0) places.set(field, [at])
      continue
    }
    const names = typeof named === 'string' ? [named] : named
    places.set(
      field,
      names.map(name => findColumn(name, columns)),
    )
  }
  if (!places.has('name'))
    throw new Problem('COLUMN_NOT_FOUND', { field: 'columns.name', columns: columns.slice(0, 50) })
  return places
}

function findColumn(name: string, columns: readonly string[]): number {
  const at = columns.indexOf(name)
  if (at < 0) throw new Problem('COLUMN_NOT_FOUND', { column: name, columns: columns.slice(0, 50) })
  return at
}

function fold(name: string): string {
  return name.toLowerCase().replace(/[\s_-]/g, '')
}
