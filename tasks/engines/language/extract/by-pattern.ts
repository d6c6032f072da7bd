import { findDecimalMark } from '../../../formats/numbers/locale.ts'
import { readNumber } from './amounts.ts'
import { EXTRACT_FORMATS, findByFormat, type Match } from './formats.ts'

/** The keywords of JSON Schema that values are found by. `x-label` names the label of a line: `Total: 12`. */
export interface ExtractSchema {
  type?: string | readonly string[]
  properties?: Record<string, ExtractSchema>
  items?: ExtractSchema
  format?: string
  pattern?: string
  'x-label'?: string
}

interface Evidence {
  path: string
  quote: string
  start: number
  end: number
}

interface Extracted {
  data: unknown
  missing: string[]
  evidence: Evidence[]
}

/** Finds what matches a pattern of the caller, in linear time. */
type FindPattern = (pattern: string, text: string) => Promise<Match[]>

/** Whether every value of the schema can be found without a model. */
export function isFoundByPattern(schema: ExtractSchema): boolean {
  const { properties, items } = schema
  if (properties) {
    const fields = Object.values(properties)
    return fields.length > 0 && fields.every(isFoundByPattern)
  }
  if (items) return !items.properties && isFoundByPattern(items)
  const { format, pattern, 'x-label': label } = schema
  return pattern !== undefined || label !== undefined || (format !== undefined && EXTRACT_FORMATS.includes(format))
}

/** The values of a schema, each as it stands in the text. A value that is not there is left out. */
export async function extractByPattern(
  text: string,
  schema: ExtractSchema,
  findPattern: FindPattern,
): Promise<Extracted> {
  const missing: string[] = []
  const evidence: Evidence[] = []
  const used = new Set<number>()
  const decimal = findDecimalMark(text.match(NUMBERS) ?? [])

  async function read(node: ExtractSchema, path: string, name: string): Promise<unknown> {
    if (node.properties) {
      const fields: Record<string, unknown> = {}
      for (const [key, field] of Object.entries(node.properties)) {
        const value = await read(field, `${path}/${escapePointer(key)}`, key)
        if (value !== undefined)
          Object.defineProperty(fields, key, { value, enumerable: true, configurable: true, writable: true })
      }
      return fields
    }
    return node.items ? readList(node.items, path) : readOne(node, path, name)
  }

  async function readList(items: ExtractSchema, path: string): Promise<unknown> {
    const matches = await findMatches(items, text, findPattern)
    const unique = [...new Map(matches.map(match => [match.value, match])).values()]
    const values = unique.flatMap(match => {
      const value = convert(match.value, items, decimal)
      return value === undefined ? [] : [{ match, value }]
    })
    for (const [index, { match }] of values.entries()) addEvidence(`${path}/${index}`, match)
    if (values.length === 0) missing.push(path)
    return values.map(({ value }) => value)
  }

  async function readOne(node: ExtractSchema, path: string, name: string): Promise<unknown> {
    const matches = await findMatches(node, text, findPattern)
    const match = node['x-label'] === undefined ? chooseMatch(text, matches, name, used) : matches[0]
    const value = match && convert(match.value, node, decimal)
    if (value === undefined) {
      missing.push(path)
      return undefined
    }
    used.add(match!.start)
    addEvidence(path, match!)
    return value
  }

  function addEvidence(path: string, { quote, start }: Match): void {
    evidence.push({ path, quote, start, end: start + quote.length })
  }
  return { data: await read(schema, '', ''), missing, evidence }
}

function escapePointer(key: string): string {
  return key.replaceAll('~', '~0').replaceAll('/', '~1')
}

async function findMatches(node: ExtractSchema, text: string, findPattern: FindPattern): Promise<Match[]> {
  const { 'x-label': label, format, pattern } = node
  if (label === undefined) return findIn(node, text, findPattern)
  const lines = findLabelled(text, label)
  if (format === undefined && pattern === undefined) return lines
  const found = await Promise.all(
    lines.map(async ({ quote, start }) =>
      (await findIn(node, quote, findPattern)).map(match => ({ ...match, start: match.start + start })),
    ),
  )
  return found.flat()
}

async function findIn({ format, pattern }: ExtractSchema, text: string, findPattern: FindPattern): Promise<Match[]> {
  if (pattern !== undefined) return findPattern(pattern, text)
  return format !== undefined && EXTRACT_FORMATS.includes(format) ? findByFormat(text, format) : []
}

/** What follows the label on its line, after a colon, an equals sign, a tab or a bar. */
function findLabelled(text: string, label: string): Match[] {
  const words = label
    .trim()
    .split(/\s+/)
    .map(word => word.replaceAll(/[\\^$.*+?()[\]{}|/-]/g, '\\$&'))
  const pattern = new RegExp(
    `(?<![\\p{L}\\p{N}])${words.join('\\s+')}[ \\t*_]*(?:[:=|]|\\t|[–—]|-(?= ))[ \\t*_]*([^\\n|]+)`,
    'giu',
  )
  return [...text.matchAll(pattern)].flatMap(({ 0: line, 1: rest, index }) => {
    const quote = rest!.replace(/[\s*_]+$/, '')
    return quote === '' ? [] : [{ value: quote, quote, start: index + line.length - rest!.length }]
  })
}

const NEAR_CHARS = 60

/** The match after a word of the field's name, else the first that no other field has. */
function chooseMatch(
  text: string,
  matches: readonly Match[],
  name: string,
  used: ReadonlySet<number>,
): Match | undefined {
  const words = name
    .replaceAll(/([a-z])([A-Z])/g, '$1 $2')
    .toLowerCase()
    .split(/[^\p{L}\p{N}]+/u)
  const near = matches.find(({ start }) => {
    const before = text
      .slice(Math.max(0, start - NEAR_CHARS), start)
      .toLowerCase()
      .split('\n')
      .at(-1)!
    return words.some(word => word.length > 2 && before.includes(word)) && !used.has(start)
  })
  return near ?? matches.find(({ start }) => !used.has(start)) ?? matches[0]
}

const NUMBERS = /\d[\d.,]{1,30}\d/g

function convert(value: string, { type }: ExtractSchema, decimal: '.' | ','): unknown {
  const types = [type ?? 'string'].flat()
  if (types.includes('string')) return value
  if (types.includes('integer') || types.includes('number'))
    return readNumber(value, { allowsFraction: types.includes('number'), decimal })
  if (types.includes('boolean')) return { true: true, yes: true, false: false, no: false }[value.trim().toLowerCase()]
  return undefined
}
