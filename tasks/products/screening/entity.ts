export const ENTITY_TYPES = ['person', 'organization', 'vessel', 'aircraft', 'other'] as const
export type EntityType = (typeof ENTITY_TYPES)[number]

/** `custom` are the lists that the account itself has uploaded. */
export const FAMILIES = ['sanctions', 'pep', 'custom'] as const
export type Family = (typeof FAMILIES)[number]

export const NAME_TYPES = ['primary', 'strong-aka', 'weak-aka', 'fka', 'transliteration'] as const
export type NameType = (typeof NAME_TYPES)[number]

export const IDENTIFIER_TYPES = [
  ...(['passport', 'national-id', 'tax', 'registration', 'imo', 'mmsi', 'crypto', 'swift', 'lei', 'other'] as const),
] as const
type IdentifierType = (typeof IDENTIFIER_TYPES)[number]

interface ListedName {
  name: string
  type: NameType
}

export interface Identifier {
  type: IdentifierType
  value: string
  country?: string
}

interface Position {
  title: string
  country?: string
  from?: string
  to?: string
}

/** An entry of a list. Dates are `1962`, `1962-03` or `1962-03-04`; countries are two letters where the list lets us tell. */
export interface ListedEntity {
  /** Its id in the list. */
  sourceId: string
  type: EntityType
  families: Family[]
  names: ListedName[]
  dob: string[]
  gender?: 'male' | 'female'
  nationalities: string[]
  countries: string[]
  birthPlaces: string[]
  identifiers: Identifier[]
  addresses: string[]
  programs: string[]
  topics: string[]
  positions: Position[]
  remarks?: string
  listedOn?: string
  url?: string
}

/** An entry without anything but its id. */
export function createEntity(sourceId: string, type: EntityType, families: Family[]): ListedEntity {
  return {
    ...{ sourceId, type, families, names: [], dob: [], nationalities: [], countries: [], birthPlaces: [] },
    ...{ identifiers: [], addresses: [], programs: [], topics: [], positions: [] },
  }
}
