import { createHash } from 'node:crypto'
import { Problem, type Warning } from '#kit'
import { NESTED, type Rows, readCell } from '../../../formats/tables/rows.ts'
import { createEntity, type EntityType, type Identifier, type ListedEntity } from '../entity.ts'
import { addAll, addIdentifier, addName, readCountries, readGender } from '../lists/fields.ts'
import { splitName } from '../names/words.ts'
import { type DateOrder, findDateOrder, readBirthDates } from './birth-dates.ts'
import { type ColumnField, type ColumnMap, placeColumns } from './columns.ts'

export const MAX_ENTRIES = 20_000
const MAX_ID = 128
const MAX_VALUE = 500
/** Lines that a warning names. */
const MAX_LINES = 10

interface TableTerms {
  columns: ColumnMap
  type: EntityType
  separator: string
}

interface ReadTable {
  entities: ListedEntity[]
  warnings: Warning[]
}

type Texts = (field: ColumnField) => string[]

const IDENTIFIERS: Partial<Record<ColumnField, Identifier['type']>> = {
  ...{ passport: 'passport', nationalId: 'national-id', taxId: 'tax', registration: 'registration', imo: 'imo' },
  ...{ mmsi: 'mmsi', crypto: 'crypto', swift: 'swift', lei: 'lei' },
}

/** The entries of an uploaded table. What is in a cell and cannot be used is told, never passed over. */
export function readTable(rows: Rows, terms: TableTerms): ReadTable {
  const places = placeColumns(rows.columns, terms.columns)
  const faults = new Map<string, number[]>()
  const note = (what: string) => faults.set(what, [...(faults.get(what) ?? []), rows.line])
  const order = findDateOrder(listBirths(rows, places.get('dob') ?? [], terms.separator))
  const entities = new Map<string, ListedEntity>()
  while (rows.next()) {
    const textsOf: Texts = field => (places.get(field) ?? []).flatMap(at => readTexts(rows, at, terms.separator))
    const entity = readEntity(textsOf, readName(rows, places), { ...terms, order }, note)
    if (!entity) continue
    if (entities.has(entity.sourceId) && places.has('id'))
      throw new Problem('DUPLICATE_KEY', { id: entity.sourceId, line: rows.line })
    entities.set(entity.sourceId, entity)
    if (entities.size > MAX_ENTRIES) throw new Problem('TOO_MANY_ROWS', { limit: MAX_ENTRIES })
  }
  const warnings = [...faults].map(([what, lines]) => ({
    code: 'ENTRIES_INCOMPLETE',
    message: `${what}: ${lines.length}, in ${lines.length > MAX_LINES ? 'lines such as' : 'line'} ${lines.slice(0, MAX_LINES).join(', ')}.`,
  }))
  return { entities: [...entities.values()], warnings }
}

function* listBirths(rows: Rows, columns: readonly number[], separator: string): Generator<string> {
  if (columns.length === 0) return
  while (rows.next()) for (const at of columns) yield* readTexts(rows, at, separator)
  rows.rewind()
}

function readTexts(rows: Rows, column: number, separator: string): string[] {
  const text = readCell(rows, column)
  if (text === undefined) return []
  const parts = rows.kinds[column] === NESTED ? readList(text) : text.split(separator)
  return parts.map(clean).filter(part => part !== '')
}

/** Cells of JSON may be lists of texts. */
function readList(text: string): string[] {
  const value: unknown = JSON.parse(text)
  return Array.isArray(value) ? value.filter(one => typeof one === 'string' || typeof one === 'number').map(String) : []
}

/** The database takes neither halves of characters nor zeros. */
function clean(text: string): string {
  return text.toWellFormed().replaceAll('\0', ' ').trim().slice(0, MAX_VALUE).toWellFormed()
}

/** The parts of a name are not separated: a name may have any character. */
function readName(rows: Rows, places: ReadonlyMap<ColumnField, number[]>): string {
  return places
    .get('name')!
    .map(at => clean(readCell(rows, at) ?? ''))
    .join(' ')
    .trim()
}

function readEntity(
  textsOf: Texts,
  name: string,
  { type, order }: TableTerms & { order: DateOrder },
  note: (what: string) => void,
): ListedEntity | undefined {
  if (splitName(name).length === 0) {
    note('Rows without a name that can be compared')
    return undefined
  }
  const entity = createEntity('', readType(textsOf('type')[0], type, note), ['custom'])
  addName(entity, name, 'primary')
  for (const alias of textsOf('aliases')) addName(entity, alias, 'strong-aka')
  readFacts(entity, textsOf, order, note)
  const given = textsOf('id').join(' ')
  if (given.length > MAX_ID)
    throw new Problem('INVALID_PARAM', { field: 'columns.id', id: given.slice(0, 80), maxLength: MAX_ID })
  const content = () => createHash('sha256').update(JSON.stringify(entity)).digest('hex').slice(0, 24)
  return { ...entity, sourceId: given || content() }
}

function readFacts(entity: ListedEntity, textsOf: Texts, order: DateOrder, note: (what: string) => void): void {
  addAll(
    entity.dob,
    readOrNote(
      textsOf('dob'),
      text => readBirthDates(text, note, order),
      () => note('Dates that cannot be read'),
    ),
  )
  addAll(entity.birthPlaces, textsOf('birthPlace'))
  const [gender] = textsOf('gender')
  entity.gender = readGender(gender)
  if (gender && !entity.gender) note('Genders that cannot be read')
  const readCodes = (text: string) => readCountries([text])
  const noteCountry = () => note('Countries that are not known')
  addAll(entity.nationalities, readOrNote(textsOf('nationality'), readCodes, noteCountry))
  addAll(entity.countries, readOrNote(textsOf('country'), readCodes, noteCountry))
  addAll(entity.addresses, textsOf('address'))
  addAll(entity.topics, textsOf('topics'))
  for (const [field, type] of Object.entries(IDENTIFIERS))
    for (const value of textsOf(field as ColumnField)) addIdentifier(entity, type, value)
  const remarks = textsOf('remarks').join('; ')
  if (remarks) entity.remarks = remarks
  const [listedOn, url] = [textsOf('listedOn')[0], textsOf('url')[0]]
  if (listedOn) entity.listedOn = listedOn
  if (url) entity.url = url
}

function readOrNote(texts: readonly string[], read: (text: string) => string[], note: () => void): string[] {
  return texts.flatMap(text => {
    const found = read(text)
    if (found.length === 0) note()
    return found
  })
}

const TYPES: readonly [RegExp, EntityType][] = [
  [/^(person|individual|natural person|p)$/i, 'person'],
  [/^(organi[sz]ation|company|entity|legal entity|business|o)$/i, 'organization'],
  [/^(vessel|ship)$/i, 'vessel'],
  [/^(aircraft|airplane)$/i, 'aircraft'],
]

function readType(text: string | undefined, byDefault: EntityType, note: (what: string) => void): EntityType {
  if (text === undefined) return byDefault
  const found = TYPES.find(([pattern]) => pattern.test(text))?.[1]
  if (!found) note('Types that are not known')
  return found ?? byDefault
}
