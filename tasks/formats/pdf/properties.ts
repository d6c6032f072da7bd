import { Problem } from '#kit'

/** The metadata of a document, as callers read and write it. */
export interface PdfMetadata {
  title?: string
  author?: string
  subject?: string
  keywords?: string[]
  creator?: string
  producer?: string
  /** ISO 8601. */
  creationDate?: string
  modDate?: string
  language?: string
  custom?: Record<string, string>
}

/** Changes to the metadata; null removes a property. */
export type PdfMetadataChange = {
  [Name in Exclude<keyof PdfMetadata, 'producer' | 'custom'>]?: PdfMetadata[Name] | null
} & {
  custom?: Record<string, string | number | boolean | null>
}

const KEYS = {
  title: 'Title',
  author: 'Author',
  subject: 'Subject',
  keywords: 'Keywords',
  creator: 'Creator',
  producer: 'Producer',
  creationDate: 'CreationDate',
  modDate: 'ModDate',
} as const
const RESERVED: readonly string[] = [...Object.values(KEYS), 'Trapped']
const NAME = /^[A-Za-z_][\w.-]{0,126}$/
const LANGUAGE = /^[A-Za-z]{2,8}(-[A-Za-z0-9]{1,8})*$/

/** Converts the information dictionary to the API's fields. */
export function readMetadata(raw: Readonly<Record<string, string>> = {}, language?: string): PdfMetadata {
  const [keywords, created, modified] = [raw.Keywords, raw.CreationDate, raw.ModDate]
  const custom = Object.entries(raw).filter(([name]) => !RESERVED.includes(name))
  const info: PdfMetadata = {
    title: raw.Title,
    author: raw.Author,
    subject: raw.Subject,
    keywords: keywords ? splitKeywords(keywords) : undefined,
    creator: raw.Creator,
    producer: raw.Producer,
    creationDate: parsePdfTime(created),
    modDate: parsePdfTime(modified),
    language,
    custom: custom.length > 0 ? Object.fromEntries(custom) : undefined,
  }
  return dropEmpty(info)
}

function dropEmpty(info: PdfMetadata): PdfMetadata {
  return Object.fromEntries(Object.entries(info).filter(([, value]) => value !== undefined && value !== ''))
}

/** Applies a change. Unchanged properties come from the information dictionary first, then from the XMP. */
function applyChange(before: PdfMetadata, xmp: PdfMetadata, change: PdfMetadataChange, now: string): PdfMetadata {
  checkChange(change)
  const { custom, ...rest } = change
  const after: Record<string, unknown> = { ...dropEmpty(xmp), ...before, modDate: now }
  for (const [name, value] of Object.entries(rest)) after[name] = value === null ? undefined : value
  for (const name of ['creationDate', 'modDate'] as const) {
    if (rest[name]) after[name] = parseTime(rest[name], name)
  }
  const merged: Record<string, unknown> = { ...before.custom, ...custom }
  const kept = Object.entries(merged).filter(([, value]) => value !== null)
  after.custom = Object.fromEntries(kept.map(([name, value]) => [name, String(value)]))
  return dropEmpty(after as PdfMetadata)
}

function checkChange({ language, custom = {} }: PdfMetadataChange): void {
  if (language && !LANGUAGE.test(language)) throw new Problem('METADATA_INVALID', { field: 'set.language' })
  const bad = Object.keys(custom).find(name => !NAME.test(name) || RESERVED.includes(name))
  if (bad !== undefined) throw new Problem('METADATA_INVALID', { field: 'set.custom', name: bad.slice(0, 200) })
}

const TIME = /^\d{4}-\d\d-\d\d(T\d\d:\d\d(:\d\d(\.\d{1,9})?)?(Z|[+-]\d\d:\d\d)?)?$/

/** Parses ISO 8601. A time without a zone is taken as UTC. */
function parseTime(given: string, field: string): string {
  const withZone = given.includes('T') && !/(Z|[+-]\d\d:\d\d)$/.test(given) ? `${given}Z` : given
  const time = TIME.test(given) ? Date.parse(withZone) : Number.NaN
  const isDay = !Number.isNaN(time) && isCalendarDay(given)
  if (!isDay) throw new Problem('METADATA_INVALID', { field: `set.${field}` })
  const [, zone = 'Z'] = /T.*?(Z|[+-]\d\d:\d\d)$/.exec(withZone) ?? []
  const offsetMs =
    zone === 'Z' ? 0 : Number(`${zone[0]}1`) * (Number(zone.slice(1, 3)) * 60 + Number(zone.slice(4))) * 6e4
  return `${new Date(time + offsetMs).toISOString().slice(0, 19)}${zone}`
}

/** Rejects days such as the 30th of February, which Date reads as a day of March. */
function isCalendarDay(given: string): boolean {
  const day = given.slice(0, 10)
  const date = new Date(`${day}T00:00:00Z`)
  return !Number.isNaN(date.getTime()) && date.toISOString().startsWith(day)
}

/** Converts metadata to entries of the information dictionary; entries to remove are null. */
function toInfoDictionary(
  info: PdfMetadata,
  before: Readonly<Record<string, string>> = {},
): Record<string, string | null> {
  const raw: Record<string, string | null> = {}
  for (const name of Object.keys(before)) if (name !== 'Trapped') raw[name] = null
  for (const [name, key] of Object.entries(KEYS) as [keyof typeof KEYS, string][]) {
    const value = info[name]
    if (Array.isArray(value)) raw[key] = joinKeywords(value)
    else if (value !== undefined) raw[key] = name.endsWith('Date') ? toPdfTime(value) : value
  }
  return { ...raw, ...info.custom }
}

/** `2026-01-31T09:30:00+01:00` as `D:20260131093000+01'00'`. */
export function toPdfTime(iso: string): string {
  const digits = iso.slice(0, 19).replaceAll(/\D/g, '')
  const zone = iso.slice(19).replace(/^\.\d+/, '')
  return `D:${digits}${/^[+-]/.test(zone) ? `${zone.replace(':', "'")}'` : 'Z'}`
}

const PDF_TIME = /^(?:D:)?(\d{4})(\d\d)?(\d\d)?(\d\d)?(\d\d)?(\d\d)?\s*(?:(Z|[+-])(?:(\d\d)'?(\d\d)?'?)?)?/

export function parsePdfTime(text: string | undefined): string | undefined {
  const match = PDF_TIME.exec(text?.trim() ?? '')
  if (!match) return undefined
  const [, year, month = '01', day = '01', hour = '00', minute = '00', second = '00', sign, hours, minutes = '00'] =
    match
  const zone = (sign === '+' || sign === '-') && hours ? `${sign}${hours}:${minutes}` : 'Z'
  const iso = `${year}-${month}-${day}T${hour}:${minute}:${second}${zone}`
  return Number.isNaN(Date.parse(iso)) ? undefined : iso
}

/** Joins keywords by commas, or by semicolons if any of them contains a comma. */
export function joinKeywords(keywords: readonly string[]): string {
  return keywords.join(keywords.some(word => word.includes(',')) ? '; ' : ', ')
}

function splitKeywords(text: string): string[] {
  const words = text.split(text.includes(';') ? ';' : ',').map(word => word.trim())
  return words.filter(Boolean)
}

interface CurrentMetadata {
  info?: Record<string, string>
  language?: string
  /** Properties in the XMP. */
  xmpProperties: PdfMetadata
  claims: { pdfa?: string }
}

/** Computes the contents of the information dictionary and of the XMP after a change. */
export function planMetadata(current: CurrentMetadata, set: PdfMetadataChange, now: string) {
  const metadata = applyChange(readMetadata(current.info, current.language), current.xmpProperties, set, now)
  // PDF/A-4 has no information dictionary, and no version of PDF/A allows custom properties in the XMP.
  const isWithoutInfo = current.claims.pdfa?.startsWith('4') && !current.info
  return {
    info: isWithoutInfo ? undefined : toInfoDictionary(metadata, current.info),
    xmpProperties: current.claims.pdfa ? { ...metadata, custom: undefined } : metadata,
    customNames: Object.keys({ ...metadata.custom, ...set.custom }),
    language: set.language,
    now,
  }
}
