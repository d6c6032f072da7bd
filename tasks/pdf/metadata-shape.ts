import { type TSchema, Type } from 'typebox'
import { Problem } from '#kit'

/** What a document says of itself, as it is read and written. */
export interface Info {
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

/** What is to change of it; null takes away. */
export type InfoChange = { [Name in Exclude<keyof Info, 'producer' | 'custom'>]?: Info[Name] | null } & {
  custom?: Record<string, string | number | boolean | null>
}

const nullable = (schema: TSchema) => Type.Unsafe<never>({ anyOf: [schema, { type: 'null' }] })
const text = (maxLength: number, description?: string) =>
  Type.Optional(nullable(Type.String({ maxLength, ...(description && { description }) })))

/** Everything a caller may set. */
export const Change = Type.Unsafe<InfoChange>(
  Type.Object(
    {
      title: text(2000),
      author: text(2000),
      subject: text(2000),
      keywords: Type.Optional(nullable(Type.Array(Type.String({ minLength: 1, maxLength: 255 }), { maxItems: 200 }))),
      creator: text(2000, 'The program that wrote the text.'),
      language: text(35, 'Such as en or de-CH.'),
      creationDate: text(40, 'ISO 8601, such as 2026-01-31 or 2026-01-31T09:30:00+01:00.'),
      modDate: text(40, 'Left out: now.'),
      custom: Type.Optional(
        Type.Unsafe<object>({
          type: 'object',
          maxProperties: 100,
          additionalProperties: {
            anyOf: [{ type: 'string', maxLength: 2000 }, { type: 'number' }, { type: 'boolean' }, { type: 'null' }],
          },
          description: 'Properties under names of your own.',
        }),
      ),
    },
    { description: 'What is written; null takes a property away, what is left out stays.' },
  ),
)

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

/** The information dictionary in the words of the wire. */
export function infoOf(raw: Readonly<Record<string, string>> = {}, language?: string): Info {
  const [keywords, created, modified] = [raw.Keywords, raw.CreationDate, raw.ModDate]
  const custom = Object.entries(raw).filter(([name]) => !RESERVED.includes(name))
  const info: Info = {
    title: raw.Title,
    author: raw.Author,
    subject: raw.Subject,
    keywords: keywords ? splitKeywords(keywords) : undefined,
    creator: raw.Creator,
    producer: raw.Producer,
    creationDate: isoOf(created),
    modDate: isoOf(modified),
    language,
    custom: custom.length > 0 ? Object.fromEntries(custom) : undefined,
  }
  return present(info)
}

function present(info: Info): Info {
  return Object.fromEntries(Object.entries(info).filter(([, value]) => value !== undefined && value !== ''))
}

/** What the document says after a change: of what is not changed, the dictionary is asked first, then the XMP. */
export function changed(before: Info, declared: Info, change: InfoChange, now: string): Info {
  checkChange(change)
  const { custom, ...rest } = change
  const after: Record<string, unknown> = { ...present(declared), ...before, modDate: now }
  for (const [name, value] of Object.entries(rest)) after[name] = value === null ? undefined : value
  for (const name of ['creationDate', 'modDate'] as const) {
    if (rest[name]) after[name] = timeOf(rest[name], name)
  }
  const own: Record<string, unknown> = { ...before.custom, ...custom }
  const kept = Object.entries(own).filter(([, value]) => value !== null)
  after.custom = Object.fromEntries(kept.map(([name, value]) => [name, String(value)]))
  return present(after as Info)
}

function checkChange({ language, custom = {} }: InfoChange): void {
  if (language && !LANGUAGE.test(language)) throw new Problem('METADATA_INVALID', { field: 'set.language' })
  const bad = Object.keys(custom).find(name => !NAME.test(name) || RESERVED.includes(name))
  if (bad !== undefined) throw new Problem('METADATA_INVALID', { field: 'set.custom', name: bad.slice(0, 200) })
}

const TIME = /^\d{4}-\d\d-\d\d(T\d\d:\d\d(:\d\d(\.\d{1,9})?)?(Z|[+-]\d\d:\d\d)?)?$/

/** Without a zone the time is taken as universal. */
function timeOf(given: string, field: string): string {
  const bare = given.includes('T') && !/(Z|[+-]\d\d:\d\d)$/.test(given) ? `${given}Z` : given
  const time = TIME.test(given) ? Date.parse(bare) : Number.NaN
  const isDay = !Number.isNaN(time) && isDayOfCalendar(given)
  if (!isDay) throw new Problem('METADATA_INVALID', { field: `set.${field}` })
  const [, zone = 'Z'] = /T.*?(Z|[+-]\d\d:\d\d)$/.exec(bare) ?? []
  const offsetMs =
    zone === 'Z' ? 0 : Number(`${zone[0]}1`) * (Number(zone.slice(1, 3)) * 60 + Number(zone.slice(4))) * 6e4
  return `${new Date(time + offsetMs).toISOString().slice(0, 19)}${zone}`
}

/** The 30th of February would pass for a day of March. */
function isDayOfCalendar(given: string): boolean {
  const day = given.slice(0, 10)
  const date = new Date(`${day}T00:00:00Z`)
  return !Number.isNaN(date.getTime()) && date.toISOString().startsWith(day)
}

/** The entries of the information dictionary; what the document no longer says is null. */
export function rawOf(info: Info, before: Readonly<Record<string, string>> = {}): Record<string, string | null> {
  const raw: Record<string, string | null> = {}
  for (const name of Object.keys(before)) if (name !== 'Trapped') raw[name] = null
  for (const [name, key] of Object.entries(KEYS) as [keyof typeof KEYS, string][]) {
    const value = info[name]
    if (Array.isArray(value)) raw[key] = joinKeywords(value)
    else if (value !== undefined) raw[key] = name.endsWith('Date') ? pdfTimeOf(value) : value
  }
  return { ...raw, ...info.custom }
}

/** `2026-01-31T09:30:00+01:00` as `D:20260131093000+01'00'`. */
export function pdfTimeOf(iso: string): string {
  const digits = iso.slice(0, 19).replaceAll(/\D/g, '')
  const zone = iso.slice(19).replace(/^\.\d+/, '')
  return `D:${digits}${/^[+-]/.test(zone) ? `${zone.replace(':', "'")}'` : 'Z'}`
}

const PDF_TIME = /^(?:D:)?(\d{4})(\d\d)?(\d\d)?(\d\d)?(\d\d)?(\d\d)?\s*(?:(Z|[+-])(?:(\d\d)'?(\d\d)?'?)?)?/

export function isoOf(written: string | undefined): string | undefined {
  const match = PDF_TIME.exec(written?.trim() ?? '')
  if (!match) return undefined
  const [, year, month = '01', day = '01', hour = '00', minute = '00', second = '00', sign, hours, minutes = '00'] =
    match
  const zone = (sign === '+' || sign === '-') && hours ? `${sign}${hours}:${minutes}` : 'Z'
  const iso = `${year}-${month}-${day}T${hour}:${minute}:${second}${zone}`
  return Number.isNaN(Date.parse(iso)) ? undefined : iso
}

/** Keywords that have commas in them are parted by semicolons. */
export function joinKeywords(keywords: readonly string[]): string {
  return keywords.join(keywords.some(word => word.includes(',')) ? '; ' : ', ')
}

function splitKeywords(text: string): string[] {
  const words = text.split(text.includes(';') ? ';' : ',').map(word => word.trim())
  return words.filter(Boolean)
}

interface Known {
  info?: Record<string, string>
  language?: string
  /** What the XMP says. */
  described: Info
  claims: { pdfa?: string }
}

/** Both places that hold it, after a change. */
export function newMetadata(known: Known, set: InfoChange, now: string) {
  const described = changed(infoOf(known.info, known.language), known.described, set, now)
  // The newest PDF/A has no information dictionary, and none of them allows XMP of one's own making.
  const isWithoutInfo = known.claims.pdfa?.startsWith('4') && !known.info
  return {
    info: isWithoutInfo ? undefined : rawOf(described, known.info),
    described: known.claims.pdfa ? { ...described, custom: undefined } : described,
    own: Object.keys({ ...described.custom, ...set.custom }),
    language: set.language,
    now,
  }
}
