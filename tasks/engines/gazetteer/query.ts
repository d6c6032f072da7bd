import { findCountry } from './countries.ts'
import { foldName } from './fold.ts'

/** What a query asks for, as the gazetteer is asked. All names are folded. */
export interface PlaceQuery {
  /** Ways to read the name, from the most to the least likely. */
  names: string[]
  /** Names or codes of regions or districts that the place lies in. */
  within: string[]
  countries: string[]
  /** There is a house number, which a gazetteer does not know. */
  hasHouseNumber: boolean
}

const US_STATE_AND_ZIP = /^([A-Za-z]{2}) (\d{5})(?:-\d{4})?$/

/** Reads a query from right to left: the country, then regions, and what is left names the place. */
export function parsePlaceQuery(text: string, language: string): PlaceQuery {
  const parts = text
    .split(/[,;\n]/)
    .map(part => part.trim())
    .filter(Boolean)
  const hasHouseNumber = parts.length > 1 && /^\d{1,4}[a-z]?\s+\p{L}{3}|\p{L}{3,}\.?\s+\d{1,4}[a-z]?$/iu.test(parts[0]!)
  const last = parts.at(-1) ?? ''
  const country = parts.length > 1 ? findLastCountry(last, language) : undefined
  if (country) parts.pop()
  const usual = parts.map(part => part.replace(US_STATE_AND_ZIP, '$1'))
  const [first = '', ...within] = hasHouseNumber && usual.length > 1 ? usual.slice(1) : usual
  return {
    names: [...new Set([first, ...listTails(first)].map(foldName))].filter(Boolean),
    within: within.map(foldName).filter(Boolean),
    countries: country ? [country] : [],
    hasHouseNumber,
  }
}

/** Two letters stay with the regions, because most states of the US share theirs with a country. */
function findLastCountry(text: string, language: string): string | undefined {
  return /^[A-Za-z]{2}$/.test(text) ? undefined : findCountry(text, language)
}

/** `10115 Berlin` names a place of a postcode: the name without it, then the postcode alone. */
function listTails(text: string): string[] {
  const match = text.match(/^(\S*\d\S*)\s+(\D.*)$/) ?? text.match(/^(\D.*?)\s+(\S*\d\S*)$/)
  return match ? [match[1]!, match[2]!] : []
}
