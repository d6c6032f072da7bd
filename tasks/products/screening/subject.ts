import type { EntityType, Identifier } from './entity.ts'

/** Whom a caller asks for. */
export interface Subject {
  name: string
  type: EntityType | 'any'
  aliases: readonly string[]
  dob?: string
  nationality: readonly string[]
  country: readonly string[]
  gender?: 'male' | 'female'
  placeOfBirth?: string
  identifiers: readonly Identifier[]
  address?: string
}

/** How a subject is compared, and what of it is told. */
export interface MatchOptions {
  threshold: number
  limit: number
  weakAliases: boolean
  explain: boolean
  excludeIds: readonly string[]
  topics: readonly string[]
  families: readonly string[]
}
