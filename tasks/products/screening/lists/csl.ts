import { createEntity, type EntityType, type ListedEntity } from '../entity.ts'
import { addAll, addIdentifier, addName, classifyIdentifier, readCountries, readDates, unique } from './fields.ts'
import { type ListReader, readRecords } from './files.ts'

const REQUIRED = ['_id', 'source', 'type', 'name', 'alt_names', 'addresses', 'programs']
const TYPES: Readonly<Record<string, EntityType>> = {
  ...{ individual: 'person', entity: 'organization', vessel: 'vessel', aircraft: 'aircraft' },
}

/** The consolidated screening list of the US, whose cells hold several values with semicolons between them. */
export const readCsl: ListReader = async function* (files, [name]) {
  for await (const row of readRecords(files.read(name!), REQUIRED)) yield readEntry(row)
}

function readEntry(row: Record<string, string>): ListedEntity {
  const entity = createEntity(row._id!, TYPES[row.type!.toLowerCase()] ?? 'other', ['sanctions'])
  const listOf = (column: string) => unique((row[column] ?? '').split(';'))
  addName(entity, row.name, 'primary')
  for (const alias of listOf('alt_names')) addName(entity, alias, 'strong-aka')
  addAll(entity.addresses, listOf('addresses'))
  addAll(entity.countries, readCountries([...listOf('addresses').map(lastPart), row.country, row.vessel_flag]))
  addAll(entity.nationalities, readCountries([...listOf('nationalities'), ...listOf('citizenships')]))
  addAll(entity.dob, listOf('dates_of_birth').flatMap(readDates))
  addAll(entity.birthPlaces, listOf('places_of_birth'))
  addAll(entity.programs, [...listOf('programs'), row.source])
  entity.topics = ['sanction']
  entity.positions = unique([row.title]).map(title => ({ title }))
  entity.remarks = row.remarks || undefined
  entity.listedOn = row.start_date || undefined
  entity.url = row.source_information_url || row.source_list_url || undefined
  addIdentifier(entity, 'registration', row.call_sign)
  for (const text of listOf('ids')) readId(entity, text)
  return entity
}

/** An address ends with its country. */
function lastPart(address: string): string {
  return address.split(',').at(-1)!
}

/** `Passport, A123456, RU`. */
function readId(entity: ListedEntity, text: string): void {
  const [kind = '', value, country] = text.split(',').map(part => part.trim())
  if (value && /\d/.test(value)) addIdentifier(entity, classifyIdentifier(kind), value, readCountries([country])[0])
}
