import type { Identifier } from '../entity.ts'

/** Shorter ones are compared with nothing. */
const LEAST_LENGTH = 4
/** From this length on an identifier finds entries by itself; a shorter one only together with its country. */
const LEAST_ALONE = 6
/** Callers can send no longer ones. */
const MAX_LENGTH = 100

export function isSameIdentifier(one: Identifier, other: Identifier): boolean {
  const isType = one.type === other.type || one.type === 'other' || other.type === 'other'
  const isCountry = !one.country || !other.country || one.country === other.country
  const value = foldIdentifier(one)
  return isType && isCountry && value.length >= LEAST_LENGTH && value === foldIdentifier(other)
}

/** What entries are found by that have the same identifier. Migration 0610 has made these of the entries before it in the same way. */
export function listIdentifierKeys(identifiers: readonly Identifier[]): string[] {
  return [...new Set(identifiers.flatMap(keyIdentifier))]
}

function keyIdentifier(identifier: Identifier): string[] {
  const { country } = identifier
  const value = foldIdentifier(identifier)
  if (value.length < LEAST_LENGTH || value.length > MAX_LENGTH) return []
  if (value.length >= LEAST_ALONE) return [value]
  return country ? [`${country} ${value}`] : []
}

/** Addresses of some currencies tell small letters from capitals. */
function foldIdentifier({ type, value }: Identifier): string {
  if (type === 'crypto') return /^0x/i.test(value) ? value.trim().toLowerCase() : value.trim()
  const bare = value.toUpperCase().replace(/[^A-Z0-9]/g, '')
  return type === 'imo' ? bare.replace(/^IMO/, '') : bare
}
