import { type FoundObject, findObjects } from '../rebuild/objects.ts'
import { findValue, listKeys, listReferences } from '../rebuild/values.ts'

export interface Change {
  kind:
    | 'annotation'
    | 'form-field'
    | 'signature'
    | 'validation-data'
    | 'metadata'
    | 'page-content'
    | 'attachment'
    | 'bookmark'
    | 'other'
  allowed: boolean
}

const ALLOWED_ALWAYS = ['validation-data', 'signature', 'metadata']
/** What a certifying signature allows later, by its level; one that only approves allows what level 3 does. None allows attachments or bookmarks. */
const ALLOWED: Record<number, readonly string[]> = {
  1: ['validation-data'],
  2: [...ALLOWED_ALWAYS, 'form-field'],
  3: [...ALLOWED_ALWAYS, 'form-field', 'annotation'],
}

/** Classifies what was appended to a file after a signature. */
export function listChanges(file: Buffer, signedBytes: number, certificationLevel: number | undefined): Change[] {
  const before = findObjects(file.subarray(0, signedBytes).toString('latin1'))
  const after = findObjects(file.subarray(signedBytes).toString('latin1'))
  const data = listValidationData(after)
  const kinds = new Set<Change['kind']>()
  for (const object of after.values()) {
    const old = before.get(object.number)
    if (old?.body.trim() === object.body.trim() || data.has(object.number)) continue
    for (const kind of classify(object.body, old?.body)) kinds.add(kind)
    for (const kind of classifyNames(object.body, old?.body, before, after)) kinds.add(kind)
  }
  if (data.size > 0) kinds.add('validation-data')
  const allowed = ALLOWED[certificationLevel ?? 3] ?? ALLOWED[3]!
  return [...kinds].sort().map(kind => ({ kind, allowed: allowed.includes(kind) }))
}

type Objects = Map<number, FoundObject>

/** The certificates and answers that long-term validation adds are named by one dictionary. */
function listValidationData(objects: Objects): Set<number> {
  const catalogs = [...objects.values()].filter(({ body }) => typeOf(body) === '/Catalog')
  const waiting = catalogs.flatMap(({ body }) => listReferences(findValue(body, 'DSS')))
  const found = new Set<number>()
  for (let number = waiting.pop(); number !== undefined; number = waiting.pop()) {
    const body = objects.get(number)?.body
    if (body === undefined || found.has(number)) continue
    found.add(number)
    if (!/\bstream\r?\n/.test(body)) waiting.push(...listReferences(body))
  }
  return found
}

/** By the lists of names, where a catalog has others than before. */
function classifyNames(body: string, old: string | undefined, before: Objects, after: Objects): Kind[] {
  if (old === undefined || typeOf(body) !== '/Catalog') return []
  const names = findNames(body, new Map([...before, ...after]))
  return classifyKeys(names, findNames(old, before), NAMES_KEYS, 'other')
}

/** The lists of names, as a catalog holds them or refers to them. */
function findNames(catalog: string, objects: Objects): string {
  const value = findValue(catalog, 'Names') ?? ''
  const [number] = /^\d/.test(value) ? listReferences(value) : []
  return (number === undefined ? value : objects.get(number)?.body) || '<< >>'
}

function typeOf(body: string): string | undefined {
  return /^\s*<</.test(body) ? findValue(body, 'Type') : undefined
}

type Kind = Change['kind']

/** The first that applies decides. Objects that only hold others, as tables do, count as nothing. */
const KINDS: readonly [applies: (body: string, type: string | undefined) => boolean, kind: Kind | undefined][] = [
  [(_, type) => type === '/XRef' || type === '/ObjStm', undefined],
  [(_, type) => type === '/Sig' || type === '/DocTimeStamp', 'signature'],
  [(body, type) => type === '/Metadata' || isProperties(body), 'metadata'],
  [body => findValue(body, 'Fields') !== undefined, 'form-field'],
  [body => findValue(body, 'FT') === '/Sig', 'signature'],
  [body => findValue(body, 'FT') !== undefined || findValue(body, 'Subtype') === '/Widget', 'form-field'],
  [body => findValue(body, 'Rect') !== undefined, 'annotation'],
  [(body, type) => type === '/Outlines' || isBookmark(body), 'bookmark'],
]

function classify(body: string, old: string | undefined): Kind[] {
  const isDictionary = /^\s*<</.test(body)
  const type = isDictionary ? typeOf(body) : undefined
  if (type === '/Page' && old !== undefined) return classifyKeys(body, old, PAGE_KEYS, 'page-content')
  if (type === '/Catalog' && old !== undefined) return classifyKeys(body, old, CATALOG_KEYS, 'other')
  if (old !== undefined && isDictionary && findValue(body, 'EmbeddedFiles') !== undefined)
    return classifyKeys(body, old, NAMES_KEYS, 'other')
  const rule = isDictionary ? KINDS.find(([applies]) => applies(body, type)) : undefined
  if (rule) return rule[1] === undefined ? [] : [rule[1]]
  return classifyRest(body, old, type)
}

/** What is new belongs to what refers to it; what was there already may be drawn on a page. */
function classifyRest(body: string, old: string | undefined, type: string | undefined): Kind[] {
  if (old === undefined) return type === '/Page' ? ['page-content'] : type === '/Catalog' ? ['other'] : []
  return type === '/Pages' || /\bstream\r?\n/.test(body) ? ['page-content'] : ['other']
}

const PAGE_KEYS: Record<string, Change['kind'] | ''> = { Annots: 'annotation', LastModified: '', PieceInfo: '' }
const CATALOG_KEYS: Record<string, Change['kind'] | ''> = {
  AcroForm: '',
  AF: 'attachment',
  DSS: 'validation-data',
  Extensions: '',
  Metadata: 'metadata',
  Names: '',
  Outlines: 'bookmark',
  Perms: 'signature',
  Version: '',
}

const NAMES_KEYS: Record<string, Change['kind'] | ''> = { EmbeddedFiles: 'attachment' }

/** By the keys whose values differ. The lists of annotations also grow by fields, which are found by themselves. */
function classifyKeys(
  body: string,
  old: string,
  kinds: Record<string, Change['kind'] | ''>,
  fallback: Change['kind'],
): Change['kind'][] {
  const keys = new Set([...listKeys(body), ...listKeys(old)])
  const changed = [...keys].filter(key => normalize(findValue(body, key)) !== normalize(findValue(old, key)))
  return changed.flatMap(key => {
    if (key === 'Annots') return hasFewer(body, old) ? ['annotation' as const] : []
    const kind = kinds[key] ?? fallback
    return kind === '' ? [] : [kind]
  })
}

function hasFewer(body: string, old: string): boolean {
  const now = new Set(listReferences(findValue(body, 'Annots')))
  return listReferences(findValue(old, 'Annots')).some(number => !now.has(number))
}

function normalize(value = ''): string {
  return value.replaceAll(/\s+/g, ' ').replaceAll(/ ?([[\]<>/]) ?/g, '$1')
}

function isBookmark(body: string): boolean {
  return findValue(body, 'Title') !== undefined && findValue(body, 'Parent') !== undefined
}

function isProperties(body: string): boolean {
  return ['Producer', 'CreationDate', 'ModDate'].some(key => findValue(body, key) !== undefined)
}
