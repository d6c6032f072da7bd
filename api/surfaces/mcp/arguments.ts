import type { TSchema } from 'typebox'
import { type Entry, fieldEntries } from '#kit'

/** A model keeps no cache, so it has no use for these. */
const LEFT_OUT = new Set(['If-None-Match'])

/** The declared headers of a call by the names that they have among the arguments of its tool. */
export function headersByArgument({ path, headers }: Pick<Entry, 'path' | 'headers'>): Map<string, string> {
  const names = headers ? fieldEntries(headers).map(([name]) => name) : []
  // As the other fields of the call are spelt.
  const spell = path.startsWith('/api/') ? toSnakeCase : toCamelCase
  return new Map(names.filter(name => !LEFT_OUT.has(name)).map(name => [spell(name.replace(/^X-/, '')), name]))
}

function toSnakeCase(header: string): string {
  return header.toLowerCase().replaceAll('-', '_')
}

function toCamelCase(header: string): string {
  return toSnakeCase(header).replaceAll(/_(.)/g, (_all, letter: string) => letter.toUpperCase())
}

/** The argument with the whole body of a call whose body has no fields. */
export function bodyArgumentOf({ streamBody }: Pick<Entry, 'streamBody'>): 'body' | 'file' | undefined {
  return streamBody && (streamBody === 'json' ? 'body' : 'file')
}

const TEXT = { type: 'string' }

/** Bytes as a tool is given them: with the members of a resource of MCP, so that a result can be passed on as it is. */
export const BYTES_SCHEMA = {
  type: 'object',
  description:
    'The bytes: exactly one of text, blob in base64, or inputKey of outputs_upload_url or an earlier result, for what is large. mimeType is their type.',
  properties: { text: TEXT, blob: TEXT, inputKey: TEXT, mimeType: TEXT, uri: { ...TEXT, description: 'Ignored.' } },
  additionalProperties: false,
} as const

/** An example of a body as the arguments show it. */
export function exampleArguments(entry: Entry, input: unknown): Record<string, unknown> {
  const argument = bodyArgumentOf(entry)
  if (argument === undefined) return input as Record<string, unknown>
  if (argument === 'body') return { ...exampleHeaders(entry), body: input }
  return { ...exampleHeaders(entry), file: { text: JSON.stringify(input), mimeType: 'application/json' } }
}

/** The examples of required headers. */
function exampleHeaders(entry: Entry): Record<string, unknown> {
  const { properties, required = [] } = (entry.headers ?? {}) as {
    properties?: Record<string, TSchema & { examples?: unknown[] }>
    required?: string[]
  }
  const shown = [...headersByArgument(entry)].flatMap(([argument, header]) => {
    const [example] = properties?.[header]?.examples ?? []
    return required.includes(header) && example !== undefined ? [[argument, example] as const] : []
  })
  return Object.fromEntries(shown)
}
