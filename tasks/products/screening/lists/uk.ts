import { createEntity, type EntityType, type ListedEntity } from '../entity.ts'
import { addAll, addIdentifier, addName, joinParts, readCountries, readDates, readGender, unique } from './fields.ts'
import { type ListReader, readRecords } from './files.ts'

const TYPES: Readonly<Record<string, EntityType>> = { individual: 'person', entity: 'organization', ship: 'vessel' }
const NAMES = ['Name 1', 'Name 2', 'Name 3', 'Name 4', 'Name 5', 'Name 6'] as const
const ADDRESS = [
  'Address Line 1',
  'Address Line 2',
  'Address Line 3',
  'Address Line 4',
  'Address Line 5',
  'Address Line 6',
]
const REQUIRED = ['Unique ID', ...NAMES, 'Name type', 'Designation Type', 'Regime Name']

/** The UK Sanctions List: a row for each name of an entry and for each of its addresses. */
export const readUk: ListReader = async function* (files, [name], note) {
  const entities = new Map<string, ListedEntity>()
  const onTitle = (line: string) => {
    const [date] = readDates(line.replace(/-(\w{3})-/, ' $1 '))
    if (date) note(date)
  }
  for await (const row of readRecords(files.read(name!), REQUIRED, onTitle)) {
    const id = row['Unique ID']!
    if (id === '') continue
    const type = TYPES[row['Designation Type']!.toLowerCase()] ?? 'other'
    const entity = entities.get(id) ?? createEntity(id, type, ['sanctions'])
    entities.set(id, entity)
    readNames(entity, row)
    readFacts(entity, row)
  }
  yield* entities.values()
}

function readNames(entity: ListedEntity, row: Record<string, string>): void {
  const kind = row['Name type']!.toLowerCase()
  const isWeak = /low|weak/i.test(row['Alias strength'] ?? '')
  const type =
    kind.startsWith('primary') && !kind.includes('variation') ? 'primary' : isWeak ? 'weak-aka' : 'strong-aka'
  addName(entity, joinParts(NAMES.map(column => row[column])), type)
  addName(entity, row['Name non-latin script'], 'transliteration')
}

function readFacts(entity: ListedEntity, row: Record<string, string>): void {
  addAll(entity.addresses, [
    joinParts(
      [...ADDRESS, 'Address Postal Code', 'Address Country'].map(column => row[column]),
      ', ',
    ),
  ])
  addAll(entity.countries, readCountries([row['Address Country'], row['Current believed flag of ship']]))
  addAll(entity.dob, readDates(row['D.O.B'] ?? ''))
  addAll(entity.birthPlaces, [joinParts([row['Town of birth'], row['Country of birth']], ', ')])
  addAll(entity.nationalities, readCountries([row['Nationality(/ies)']]))
  addAll(entity.programs, [row['Regime Name']])
  entity.topics = ['sanction']
  entity.gender ??= readGender(row.Gender)
  entity.listedOn ??= readDates(row['Date Designated'] ?? '')[0]
  entity.remarks ??= unique([row['Other Information'], row['UK Statement of Reasons']]).join(' ') || undefined
  for (const title of unique([row.Position]))
    if (!entity.positions.some(known => known.title === title)) entity.positions.push({ title })
  for (const value of splitNumbers(row['Passport number'])) addIdentifier(entity, 'passport', value)
  for (const value of splitNumbers(row['National Identifier number'])) addIdentifier(entity, 'national-id', value)
  for (const value of splitNumbers(row['Business registration number (s)']))
    addIdentifier(entity, 'registration', value)
  for (const value of splitNumbers(row['IMO number'])) addIdentifier(entity, 'imo', value)
}

function splitNumbers(text = ''): string[] {
  return unique(text.split(/[;,]|\(\d+\)/)).filter(value => /\d/.test(value))
}
