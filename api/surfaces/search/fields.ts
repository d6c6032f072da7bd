import type { TSchema } from 'typebox'
import { type Entry, fieldEntries } from '#kit'
import { isForPersons } from '../entries.ts'
import { joinCompactFields } from '../llms/compact-fields.ts'
import { bodyArgumentOf, exampleArguments, headersByArgument } from '../mcp/arguments.ts'
import { fillPath } from '../mcp/input-schema.ts'
import { replaceSamples } from '../openapi/examples.ts'

/** Who reads the fields: REST has them in headers and bodies too, a tool has arguments alone. */
export type Reader = 'rest' | 'tool'

/** Longer lists name the inner fields without their types. */
const MAX_TYPED_LENGTH = 1_200
/** Such as encodings and languages, which callers know: the first of them show how they are written. */
const MANY_VALUES = /(?:[\w./-]+\|){20,}[\w./-]+/g
const SHOWN_VALUES = 4
const BODIES = {
  rest: { body: 'the body: any JSON', file: 'the body: any bytes' },
  tool: { body: 'body* any JSON', file: 'file* {text or blob in base64 or inputKey, mimeType}' },
}
const texts = { rest: new WeakMap<Entry, string>(), tool: new WeakMap<Entry, string>() }

/** Every field of a call on one line. */
export function joinFields(entry: Entry, reader: Reader): string {
  const known = texts[reader].get(entry)
  if (known !== undefined) return known
  const typed = shortenValues(joinSchemas(entry, reader, 1))
  const text = typed.length <= MAX_TYPED_LENGTH ? typed : shortenValues(joinSchemas(entry, reader, 0))
  texts[reader].set(entry, text)
  return text
}

function shortenValues(text: string): string {
  return text.replaceAll(MANY_VALUES, list => {
    const values = list.split('|')
    return `${values.slice(0, SHOWN_VALUES).join('|')}|... ${values.length - SHOWN_VALUES} more`
  })
}

/** The first example of a call, as its reader sends it. */
export function exampleFor(entry: Entry, reader: Reader): unknown {
  const [example] = entry.examples
  if (!example || isForPersons(entry)) return undefined
  const input = replaceSamples(example.input)
  return reader === 'tool' ? { ...fillPath(entry), ...exampleArguments(entry, input) } : input
}

function joinSchemas(entry: Entry, reader: Reader, typedDepth: number): string {
  const { params, query, headers, body, streamBody } = entry
  const named = headers && reader === 'tool' ? nameHeaders(entry, headers) : headers
  const schemas = [params, query, named, streamBody ? undefined : body]
  const parts = schemas.flatMap(schema => (schema ? joinCompactFields(schema, typedDepth) : []))
  const argument = bodyArgumentOf(entry)
  return [...parts, argument ? BODIES[reader][argument] : ''].filter(part => part !== '').join(', ')
}

/** The headers as the arguments that a tool has in their place. */
function nameHeaders(entry: Entry, headers: TSchema): TSchema {
  const { required = [] } = headers as { required?: string[] }
  const schemas = new Map(fieldEntries(headers))
  const named = [...headersByArgument(entry)]
  return {
    type: 'object',
    properties: Object.fromEntries(named.map(([argument, header]) => [argument, schemas.get(header)!])),
    required: named.flatMap(([argument, header]) => (required.includes(header) ? [argument] : [])),
  } as TSchema
}
