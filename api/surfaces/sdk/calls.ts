import type { TSchema } from 'typebox'
import { alternativesOf, type Entry, FILE_RULE, type FileRule, fieldEntries, type SchemaNode } from '#kit'
import { bodyArgumentOf, headersByArgument } from '../mcp/arguments.ts'

/** A call as it can be sent to a thread: a price has functions. */
export type PlainEntry = Omit<Entry, 'price'> & { price?: undefined; isPaid: boolean }

/** What the clients need to know of a call to make it. It is printed as JSON into both packages. */
export interface ClientCall {
  /** `pdf.extract-text` */
  name: string
  family: string
  method: Entry['method']
  path: string
  summary: string
  isOperation: boolean
  /** Who may call it. */
  auth: Entry['auth']
  /** Where each argument goes that is not in the body. */
  inPath: string[]
  inQuery: string[]
  /** Arguments and the headers that they become. */
  inHeaders: Record<string, string>
  /** `fields`: an object of the other arguments; `document` and `bytes`: the one argument `body` or `file`. */
  body: 'fields' | 'document' | 'bytes' | 'none'
  /** Where files are among the arguments: `file`, `files.*`, `layers.*.image`. A text there is the path of a file. */
  files: string[]
  /** Those of `files` that have names. */
  named: string[]
  isPaid: boolean
  /** A repeat with the same `Idempotency-Key` is charged once. */
  isKeyed: boolean
  /** How its price is asked for. */
  quote: 'body' | 'header' | 'none'
  /** The type of an answer that is no JSON. */
  contentType?: string
}

/** Headers that the clients set themselves. */
const OWN_HEADERS = new Set(['Idempotency-Key', 'X-Dry-Run', 'If-None-Match'])

/** Every call that a program can make. What only a signed-in browser may call is left out. */
export function listClientCalls(entries: readonly PlainEntry[]): ClientCall[] {
  return entries.filter(({ auth }) => !auth.includes('session')).map(describeCall)
}

function describeCall(entry: PlainEntry): ClientCall {
  const { name, family, method, path, summary, kind, auth, query, body, reply } = entry
  const declared = entry.headers ? fieldEntries(entry.headers).map(([header]) => header) : []
  const isBilled = entry.isPaid && method !== 'GET'
  return {
    name,
    family,
    method,
    path,
    summary,
    isOperation: kind === 'operation',
    auth,
    inPath: [...path.matchAll(/\{([^}]+)\}/g)].map(([, parameter]) => parameter!),
    inQuery: query ? [...new Set(fieldEntries(query).map(([field]) => field))] : [],
    inHeaders: Object.fromEntries([...headersByArgument(entry)].filter(([, header]) => !OWN_HEADERS.has(header))),
    body: bodyKindOf(entry),
    ...listFilePaths(entry),
    isPaid: entry.isPaid,
    isKeyed: isBilled || declared.includes('Idempotency-Key'),
    quote: quoteKindOf(body, declared),
    ...(reply.contentType !== undefined && !isJson(reply.contentType) && { contentType: reply.contentType }),
  }
}

function bodyKindOf(entry: PlainEntry): ClientCall['body'] {
  const argument = bodyArgumentOf(entry)
  if (argument !== undefined) return argument === 'file' ? 'bytes' : 'document'
  return entry.body ? 'fields' : 'none'
}

function quoteKindOf(body: TSchema | undefined, headers: readonly string[]): ClientCall['quote'] {
  if (headers.includes('X-Dry-Run')) return 'header'
  return body && fieldEntries(body).some(([field]) => field === 'dryRun') ? 'body' : 'none'
}

export function isJson(contentType: string): boolean {
  return /^application\/(?:[\w.-]+\+)?json\b/.test(contentType)
}

/** A text at a place where another form of the body has a text of its own stays a text. */
function listFilePaths(entry: PlainEntry): Pick<ClientCall, 'files' | 'named'> {
  if (entry.streamBody) return { files: entry.streamBody === 'bytes' ? ['file'] : [], named: [] }
  const found: FoundPaths = { files: new Set(), named: new Set(), texts: new Set() }
  if (entry.body) collectPaths(entry.body as SchemaNode, [], found)
  const isFile = (path: string) => !found.texts.has(path)
  return { files: [...found.files].filter(isFile), named: [...found.named].filter(isFile) }
}

type FoundPaths = Record<'files' | 'named' | 'texts', Set<string>>

const MAX_DEPTH = 8

function collectPaths(schema: SchemaNode, path: readonly string[], found: FoundPaths): void {
  if (path.length > MAX_DEPTH) return
  if (FILE_RULE in schema) {
    const place = (schema.type === 'array' ? [...path, '*'] : path).join('.')
    found.files.add(place)
    if ((schema[FILE_RULE] as FileRule).named) found.named.add(place)
    return
  }
  if (schema.type === 'string') found.texts.add(path.join('.'))
  for (const [step, child] of listChildren(schema)) {
    collectPaths(child, step === undefined ? path : [...path, step], found)
  }
}

/** The schemas inside of a schema with the step that leads to each; an alternative is at the same place. */
function listChildren(schema: SchemaNode): [step: string | undefined, child: SchemaNode][] {
  const others = [schema.items, schema.additionalProperties, ...(schema.prefixItems ?? [])]
  return [
    ...alternativesOf(schema).map((arm): [undefined, SchemaNode] => [undefined, arm]),
    ...Object.entries(schema.properties ?? {}),
    ...others.flatMap((other): ['*', SchemaNode][] => (typeof other === 'object' ? [['*', other]] : [])),
  ]
}
