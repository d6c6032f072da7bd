import { createEntity, type EntityType, type ListedEntity } from '../entity.ts'
import { addAll, addIdentifier, addName, readCountries, readDates, unique } from './fields.ts'
import { type ListReader, readRecords } from './files.ts'

const REQUIRED = ['Reference', 'Name of Individual or Entity', 'Type', 'Name Type']
const TYPES: Readonly<Record<string, EntityType>> = { individual: 'person', entity: 'organization', vessel: 'vessel' }

/** The Australian list as a table: `12`, `12a` and `12b` are the names of one entry. */
export const readDfat: ListReader = async function* (files, [name]) {
  const entities = new Map<string, ListedEntity>()
  for await (const row of readRecords(files.read(name!), REQUIRED)) {
    const [id] = /^\d+/.exec(row.Reference!) ?? []
    if (!id) continue
    const entity = entities.get(id) ?? createEntity(id, TYPES[row.Type!.toLowerCase()] ?? 'other', ['sanctions'])
    entities.set(id, entity)
    addName(entity, row['Name of Individual or Entity'], readType(row))
    addAll(entity.dob, readDates(row['Date of Birth'] ?? ''))
    addAll(entity.birthPlaces, [row['Place of Birth']])
    addAll(entity.nationalities, readCountries([row.Citizenship]))
    addAll(entity.addresses, [row.Address])
    addAll(entity.programs, unique([row.Committees]))
    entity.topics = ['sanction']
    entity.remarks ??= row['Additional Information'] || undefined
    entity.listedOn ??= readDates(row['Control Date'] ?? '')[0]
    addIdentifier(entity, 'imo', row['IMO Number'])
  }
  yield* entities.values()
}

function readType(row: Record<string, string>) {
  const kind = row['Name Type']!.toLowerCase()
  if (kind.startsWith('primary')) return 'primary'
  if (kind.includes('original script')) return 'transliteration'
  if (/former|fka/.test(kind)) return 'fka'
  return /weak/i.test(row['Alias Strength'] ?? '') ? 'weak-aka' : 'strong-aka'
}
