import { findCountry } from '../../../engines/gazetteer/countries.ts'
import type { Identifier, ListedEntity, NameType } from '../entity.ts'

const MONTHS = 'jan feb mar apr may jun jul aug sep oct nov dec'.split(' ')

/** The dates in a text as lists write them: `07 Oct 1954`, `circa 1950`, `1954 to 1956`, `03/04/1962`, `dd/mm/1962`. */
export function readDates(text: string): string[] {
  return [...new Set(text.split(/[;|]|\s+or\s+|\s\d+\)\s/i).flatMap(readDate))]
}

function readDate(text: string): string[] {
  const iso = /(\d{4})-(\d\d)(?:-(\d\d))?/.exec(text)
  if (iso) return [joinDate(iso[1]!, iso[2]!, iso[3])]
  const named = /(?:(\d{1,2})\s+)?([A-Za-z]{3})[a-z]*\.?\s+(\d{4})/.exec(text)
  const month = named ? MONTHS.indexOf(named[2]!.toLowerCase()) + 1 : 0
  if (month > 0) return [joinDate(named![3]!, String(month), named![1])]
  const numbers = /(\d{1,2}|dd)\/(\d{1,2}|mm)\/(\d{4})/i.exec(text)
  if (numbers) return [joinNumbers(numbers[3]!, numbers[2]!, numbers[1]!)]
  const years = text.match(/\b(1[89]|20)\d\d\b/g)?.map(Number) ?? []
  const [first, last] = years
  if (first === undefined || last === undefined || last <= first || last - first > 5) return years.map(String)
  return Array.from({ length: last - first + 1 }, (_, at) => String(first + at))
}

function joinNumbers(year: string, month: string, day: string): string {
  if (/mm|^0+$/i.test(month)) return year
  return joinDate(year, month, /dd|^0+$/i.test(day) ? undefined : day)
}

function joinDate(year: string, month: string, day: string | undefined): string {
  const parts = [year, month.padStart(2, '0'), ...(day && Number(day) > 0 ? [day.padStart(2, '0')] : [])]
  return parts.join('-')
}

/** Countries as official lists call them, where that is not their usual name. */
const OFFICIAL_NAMES: Readonly<Record<string, string>> = {
  ...{
    'syrian arab republic': 'SY',
    'russian federation': 'RU',
    'iran (islamic republic of)': 'IR',
    'korea, north': 'KP',
  },
  ...{
    "democratic people's republic of korea": 'KP',
    'north korea': 'KP',
    dprk: 'KP',
    'korea, south': 'KR',
    'republic of korea': 'KR',
  },
  ...{
    'congo, democratic republic of the': 'CD',
    'democratic republic of the congo': 'CD',
    'congo (democratic republic)': 'CD',
  },
  ...{ "lao people's democratic republic": 'LA', 'united republic of tanzania': 'TZ', 'republic of moldova': 'MD' },
  ...{ 'viet nam': 'VN', 'bolivarian republic of venezuela': 'VE', 'venezuela (bolivarian republic of)': 'VE' },
  ...{
    'bolivia (plurinational state of)': 'BO',
    'cote d ivoire': 'CI',
    "cote d'ivoire": 'CI',
    burma: 'MM',
    'west bank': 'PS',
  },
  ...{
    'occupied palestinian territories': 'PS',
    palestinian: 'PS',
    'state of palestine': 'PS',
    turkey: 'TR',
    usa: 'US',
    uk: 'GB',
  },
  ...{ 'united states of america': 'US', 'united kingdom of great britain and northern ireland': 'GB', uae: 'AE' },
}

/** Countries by names or codes; what is none is left out. */
export function readCountries(texts: readonly (string | undefined)[]): string[] {
  const names = texts
    .flatMap(text => text?.split(/[;|]|\s\d+\)\s/) ?? [])
    .map(name => name.replace(/^\(?\d+\)\s*/, '').trim())
  return unique(
    names.flatMap(name => (name === '' ? [] : (findCountry(name, 'en') ?? OFFICIAL_NAMES[name.toLowerCase()] ?? []))),
  )
}

export function unique(texts: readonly (string | undefined)[]): string[] {
  return [...new Set(texts.map(text => text?.trim() ?? '').filter(text => text !== ''))]
}

export function joinParts(parts: readonly (string | undefined)[], mark = ' '): string {
  return unique(parts).join(mark)
}

/** Adds a name unless the entry has it. */
export function addName(entity: ListedEntity, name: string | undefined, type: NameType): void {
  const text = name?.replace(/\s+/g, ' ').trim() ?? ''
  if (text !== '' && !entity.names.some(known => known.name === text)) entity.names.push({ name: text, type })
}

export function addAll(list: string[], texts: readonly (string | undefined)[]): void {
  for (const text of unique(texts)) if (!list.includes(text)) list.push(text)
}

export function addIdentifier(
  entity: ListedEntity,
  type: Identifier['type'],
  value: string | undefined,
  country?: string,
): void {
  const text = value?.trim() ?? ''
  if (text === '' || entity.identifiers.some(known => known.type === type && known.value === text)) return
  entity.identifiers.push({ type, value: text, ...(country && { country }) })
}

/** What an identifier is, by how a list calls it. */
export function classifyIdentifier(text: string): Identifier['type'] {
  const kinds: [RegExp, Identifier['type']][] = [
    [/passport/i, 'passport'],
    [/tax|\bNIT\b|\bRUC\b|R\.F\.C\.|\bINN\b|\bTIN\b|\bVAT\b|fiscal/i, 'tax'],
    [/\bIMO\b/i, 'imo'],
    [/MMSI/i, 'mmsi'],
    [/swift|\bBIC\b/i, 'swift'],
    [/\bLEI\b/i, 'lei'],
    [/currency address|wallet|crypto/i, 'crypto'],
    [/regist|OGRN|company number|trade licen[cs]e/i, 'registration'],
    [/national|identity|\bID\b|personal|citizen|cedula|C\.?U\.?R\.?P|SSN|\bid\b/i, 'national-id'],
  ]
  return kinds.find(([pattern]) => pattern.test(text))?.[1] ?? 'other'
}

export function readGender(text: string | undefined): 'male' | 'female' | undefined {
  if (/^(m|male|man)$/i.test(text?.trim() ?? '')) return 'male'
  return /^(f|female|woman)$/i.test(text?.trim() ?? '') ? 'female' : undefined
}
