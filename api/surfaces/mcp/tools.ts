import { type Entry, mapChildSchemas, type SchemaNode } from '#kit'
import { describeMissing, isPaid, type SurfaceOptions } from '../entries.ts'
import { firstSentence } from '../llms/compact-fields.ts'
import type { Plain } from '../openapi/plain-schema.ts'
import { describePrice } from '../prices.ts'
import { buildInputSchema } from './input-schema.ts'
import { shortenSchema } from './short-schema.ts'

interface ToolAnnotations {
  title: string
  readOnlyHint: boolean
  destructiveHint: boolean
  idempotentHint: boolean
  openWorldHint: boolean
}

/** A tool as MCP clients list it. It has no output schema: clients would check an offer to pay against it. */
export interface Tool {
  name: string
  title: string
  description: string
  inputSchema: Plain
  annotations: ToolAnnotations
}

export type ToolEntry = Entry & { tool: string }

export function isTool(entry: Entry): entry is ToolEntry {
  return entry.tool !== undefined
}

/** Of a schema that is too long, `names` leaves the descriptions out; `inner` has the names of what is inside of fields. */
export type ToolDetail = 'names' | 'short' | 'inner' | 'brief' | 'whole'

const SCHEMAS: Record<ToolDetail, (schema: Plain) => Plain> = {
  whole: schema => schema,
  brief: schema => condense(schema),
  inner: schema => shortenSchema(schema, { hasInnerNames: true }),
  short: schema => shortenSchema(schema),
  names: schema => shortenSchema(schema, { maxDescription: 0 }),
}

/** What a model reads of every tool in every conversation must be `short`, and in the full list `brief`. */
export function buildTool(entry: ToolEntry, options: SurfaceOptions, detail: ToolDetail): Tool {
  const title = titleOf(entry.tool)
  const schema = buildInputSchema(entry, options)
  return {
    name: entry.tool,
    title,
    description: describeTool(entry, options, detail === 'short'),
    inputSchema: SCHEMAS[detail](schema),
    annotations: annotate(entry, title),
  }
}

function describeTool(entry: ToolEntry, options: SurfaceOptions, isShort: boolean): string {
  const { summary, description } = entry
  const parts = [
    summary,
    !isShort && description,
    isPaid(entry) ? `Price: ${describePrice(entry, options.ratesOf)}.` : 'Free.',
    describeMissing(options, entry, 'Not available on this service at present.'),
  ]
  return parts.filter(Boolean).join(' ')
}

const LEFT_OUT = new Set(['pattern', 'minLength', 'maxLength', 'format', 'writeOnly', 'title'])
/** Deeper fields are only in the whole schema. */
const MAX_DEPTH = 2
/** Left out of what is inside of fields. */
const BOUNDS = new Set(['minimum', 'maximum', 'minItems', 'maxItems', 'uniqueItems', 'default'])
/** Explained once to every client, in the instructions of the server. */
const EXPLAINED = new Set([
  ...['async', 'dryRun', 'deliver', 'filename', 'inlineOutput'],
  ...['inline', 'text', 'inputKey', 'batonId', 'entryRef'],
])

/** Of what a file consists is among that. */
const EXACTLY_ONE = /^(Give e|E)xactly one of (its members|inline)/

/** A schema that accepts more and says less: fields inside of fields have no description. */
function condense(schema: Plain, depth = 0): Plain {
  if (depth > MAX_DEPTH && schema.type !== undefined) return { type: schema.type }
  const kept = Object.entries(schema).filter(
    ([keyword]) => !LEFT_OUT.has(keyword) && !(depth > 1 && BOUNDS.has(keyword)),
  )
  const { description, properties, additionalProperties, ...rest } = Object.fromEntries(kept) as Plain
  const named = Object.entries((properties ?? {}) as Record<string, Plain>).filter(([name]) => name !== 'entryRef')
  const fields = named.map(([name, field]) => {
    const { description: _explained, ...silent } = field
    if (name === 'deliver') return [name, { type: 'object' }]
    return [name, condense(EXPLAINED.has(name) ? silent : field, depth + 1)]
  })
  return {
    ...mapChildSchemas(rest as SchemaNode, child => condense(child as Plain, depth + 1) as SchemaNode),
    ...(depth <= 1 &&
      typeof description === 'string' &&
      !EXACTLY_ONE.test(description) && { description: depth === 0 ? description : firstSentence(description) }),
    ...(properties !== undefined && { properties: Object.fromEntries(fields) }),
    ...(depth === 0 && { additionalProperties }),
  }
}

/** Operations work on what they are given and change nothing; only those of the web look outside. */
function annotate({ kind, method, family }: Entry, title: string): ToolAnnotations {
  const isReading = kind === 'operation' || method === 'GET'
  return {
    title,
    readOnlyHint: isReading,
    destructiveHint: method === 'DELETE',
    idempotentHint: isReading || method !== 'POST',
    openWorldHint: family === 'web',
  }
}

const ACRONYMS = new Set([
  'pdf',
  'csv',
  'html',
  'ocr',
  'qr',
  'jwt',
  'uuid',
  'hmac',
  'exif',
  'url',
  'json',
  'x402',
  'ai',
  'sql',
  'rag',
  'llm',
])

/** `pdf_from_html` is titled `PDF from HTML`. */
function titleOf(name: string): string {
  const words = name.split('_').map(word => (ACRONYMS.has(word) ? word.toUpperCase() : word))
  const title = words.join(' ')
  return title.charAt(0).toUpperCase() + title.slice(1)
}
