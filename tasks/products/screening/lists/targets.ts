import { createEntity, type EntityType, type Family, type Identifier, type ListedEntity } from '../entity.ts'
import { ListFault } from './fault.ts'
import { addAll, addIdentifier, addName, readCountries, readDates, readGender, unique } from './fields.ts'
import { type ListReader, readLines } from './files.ts'

const TYPES: Readonly<Record<string, EntityType>> = {
  ...{ Person: 'person', Organization: 'organization', Company: 'organization', LegalEntity: 'organization' },
  ...{ PublicBody: 'organization', Vessel: 'vessel', Airplane: 'aircraft' },
}

const IDENTIFIERS: Readonly<Record<string, Identifier['type']>> = {
  ...{ passportNumber: 'passport', idNumber: 'national-id', socialSecurityNumber: 'national-id', taxNumber: 'tax' },
  ...{ innCode: 'tax', vatCode: 'tax', registrationNumber: 'registration', ogrnCode: 'registration', imoNumber: 'imo' },
  ...{ mmsi: 'mmsi', swiftBic: 'swift', leiCode: 'lei', publicKey: 'crypto' },
}

/** What OpenSanctions publishes as JSON lines: a nested target a line, or plain entities. */
export const readTargets: ListReader = async function* (files, [name], note) {
  let last = ''
  for await (const line of readLines(files.read(name!))) {
    const entity = readTarget(line)
    if (typeof line.last_change === 'string' && line.last_change > last) last = line.last_change
    if (entity) yield entity
  }
  if (last !== '') note(last)
}

/** Addresses, documents and relations have lines of their own, which are no entries. */
function readTarget({ id, schema, properties, caption }: Record<string, unknown>): ListedEntity | undefined {
  if (typeof id !== 'string' || typeof schema !== 'string' || typeof properties !== 'object' || properties === null)
    throw new ListFault('A line has no id, schema or properties: the format has changed.')
  const type = TYPES[schema]
  const textsOf = (property: string) => readTexts((properties as Record<string, unknown>)[property])
  const topics = textsOf('topics')
  const families = listFamilies(topics)
  if (!type || families.length === 0) return undefined
  const entity = createEntity(id, type, families)
  if (typeof caption === 'string') addName(entity, caption, 'primary')
  for (const text of textsOf('name')) addName(entity, text, entity.names.length === 0 ? 'primary' : 'strong-aka')
  for (const text of textsOf('alias')) addName(entity, text, 'strong-aka')
  for (const text of textsOf('previousName')) addName(entity, text, 'fka')
  for (const text of textsOf('weakAlias')) addName(entity, text, 'weak-aka')
  readFacts(entity, textsOf)
  return { ...entity, topics }
}

function readFacts(entity: ListedEntity, textsOf: (property: string) => string[]): void {
  addAll(entity.dob, [...textsOf('birthDate'), ...textsOf('incorporationDate')].flatMap(readDates))
  addAll(entity.birthPlaces, textsOf('birthPlace'))
  entity.gender = readGender(textsOf('gender')[0])
  addAll(entity.nationalities, readCountries([...textsOf('nationality'), ...textsOf('citizenship')]))
  addAll(entity.countries, readCountries([...textsOf('country'), ...textsOf('jurisdiction'), ...textsOf('flag')]))
  addAll(entity.addresses, textsOf('address'))
  addAll(entity.programs, [...textsOf('program'), ...textsOf('programId')])
  entity.positions = unique(textsOf('position')).map(title => ({ title }))
  entity.remarks = textsOf('notes')[0]
  entity.url = textsOf('sourceUrl')[0]
  const country = entity.nationalities[0]
  for (const [property, type] of Object.entries(IDENTIFIERS))
    for (const value of textsOf(property)) addIdentifier(entity, type, value, type === 'passport' ? country : undefined)
}

/** Values are texts, or nested entries, of which the name counts. */
function readTexts(values: unknown): string[] {
  if (!Array.isArray(values)) return []
  return values.flatMap((value: unknown) => {
    if (typeof value === 'string') return [value]
    const { caption } = (value ?? {}) as { caption?: unknown }
    return typeof caption === 'string' ? [caption] : []
  })
}

function listFamilies(topics: readonly string[]): Family[] {
  const isPep = topics.some(topic => topic.startsWith('role.pep') || topic === 'role.rca')
  const isSanctioned = topics.some(topic => topic.startsWith('sanction') || topic === 'debarment')
  return [...(isSanctioned ? (['sanctions'] as const) : []), ...(isPep ? (['pep'] as const) : [])]
}
