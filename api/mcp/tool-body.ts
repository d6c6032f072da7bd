import { Readable } from 'node:stream'
import { type Entry, type Hints, Problem, type SchemaNode } from '#kit'
import { isObjectKey } from '../../ops/providers/storage/key.ts'
import { readObject } from '../../sql/object.ts'
import type { ApiContext } from '../context.ts'
import { decodeBase64 } from '../intake/body/base64.ts'
import { splitPriceToken } from '../intake/files/price-token.ts'
import type { Caller } from '../intake/identity/caller.ts'
import { isObject } from '../intake/x402/payments.ts'
import { bodyArgumentOf } from '../surfaces/mcp/arguments.ts'
import type { Fields } from './message.ts'
import type { ToolCall } from './tool-calls.ts'

/** The arguments that REST has in headers, as it would have them there. */
export function readHeaderArguments(inHeaders: ReadonlyMap<string, string>, args: Fields): Record<string, string> {
  const given = [...inHeaders].filter(([argument]) => args[argument] !== undefined && args[argument] !== null)
  return Object.fromEntries(
    given.map(([argument, header]) => {
      const value = args[argument]
      // Neither can be in a header, and what reads headers does not expect them.
      if (typeof value === 'object' || /[\0\r\n]/.test(String(value))) {
        throw new Problem('INVALID_PARAM', { field: argument, reason: 'It must be one line of text, or a number.' })
      }
      return [header.toLowerCase(), String(value)]
    }),
  )
}

/** What a refusal says, by the names of the arguments: a tool has no headers and no query. */
export function nameByArguments({ in: _place, ...body }: Fields, inHeaders: ReadonlyMap<string, string>): Fields {
  const argumentOf = new Map([...inHeaders].map(([argument, header]) => [header, argument]))
  const rename = (name: unknown) => (typeof name === 'string' ? (argumentOf.get(name) ?? name) : name)
  const { field, fields, header, faults } = body
  return {
    ...body,
    ...(field !== undefined && { field: rename(field) }),
    ...(Array.isArray(fields) && { fields: fields.map(rename) }),
    ...(header !== undefined && { header: rename(header) }),
    ...(Array.isArray(faults) && { faults: faults.map(fault => nameByArguments(fault as Fields, inHeaders)) }),
  }
}

/** What a refusal says of an argument that is left out: what it is like, and where it comes from. */
export function describeMissing(entry: Entry, field: string): Hints {
  const { properties = {} } = (entry.params ?? {}) as SchemaNode
  const { description } = (properties[field] ?? {}) as { description?: string }
  if (properties[field]) return { field, expected: 'string', ...(description && { reason: description }) }
  if (field === 'file') return { field, expected: 'object', example: { text: 'text' } }
  const [example] = entry.examples
  return { field, expected: 'object', ...(example && { example: example.input }) }
}

interface StreamedBody {
  body: Readable
  'content-type': string
  'content-length': string
}

/** The one argument with the whole body, as the stream that it would be over REST. */
export function streamBody(
  entry: Entry,
  others: Fields,
  { allowed, stored }: { allowed: readonly string[]; stored: StoredFile | undefined },
): StreamedBody {
  const argument = bodyArgumentOf(entry)!
  const unknown = Object.keys(others).find(name => name !== argument)
  if (unknown !== undefined) throw new Problem('UNKNOWN_FIELD', { field: unknown, allowed: [...allowed, argument] })
  const value = others[argument]
  if (value === undefined) throw new Problem('MISSING_FIELD', describeMissing(entry, argument))
  if (stored) return { body: stored.bytes, 'content-type': stored.type, 'content-length': String(stored.sizeBytes) }
  const { bytes, type } = argument === 'file' ? readBytes(value) : readDocument(value)
  return { body: Readable.from([bytes]), 'content-type': type, 'content-length': String(bytes.length) }
}

function readDocument(value: unknown) {
  return { bytes: Buffer.from(JSON.stringify(value)), type: 'application/json' }
}

/** Bytes in the form of a resource of MCP; `inline` is what operations call its `blob`. */
function readBytes(value: unknown) {
  const { text, blob: given, inline, mimeType } = isObject(value) ? value : {}
  const blob = given ?? inline
  if ((typeof text === 'string') === (typeof blob === 'string')) {
    throw new Problem('INVALID_PARAM', {
      field: 'file',
      reason: 'Give exactly one of text, blob in base64, or inputKey.',
    })
  }
  const bytes = typeof text === 'string' ? Buffer.from(text) : decodeBase64(blob as string, 'file.blob')
  const ownType = typeof text === 'string' ? 'text/plain; charset=utf-8' : 'application/octet-stream'
  return { bytes, type: typeof mimeType === 'string' && mimeType !== '' ? mimeType : ownType }
}

/** A file of the caller that is given by its key, as the body that it is over REST. */
export interface StoredFile {
  bytes: Readable
  sizeBytes: number
  type: string
}

/** Opens the file that the argument `file` names by `inputKey`; undefined if it holds the bytes itself. */
export async function openStoredFile(
  { db, store }: Pick<ApiContext, 'db' | 'store'>,
  { entry }: ToolCall,
  { file }: Fields,
  caller: Caller | undefined,
): Promise<StoredFile | undefined> {
  if (bodyArgumentOf(entry) !== 'file' || !isObject(file) || file.inputKey === undefined) return undefined
  const { inputKey, mimeType, text, blob, inline } = file
  const field = 'file.inputKey'
  if ([text, blob, inline].some(other => other !== undefined))
    throw new Problem('INVALID_PARAM', { field: 'file', reason: 'Give exactly one of text, blob or inputKey.' })
  const { key } = splitPriceToken(String(inputKey))
  const record = caller && isObjectKey(key) ? await readObject(db, caller.accountId, key) : undefined
  if (record?.isExpired) throw new Problem('INPUT_GONE', { field })
  const facts = record && (await store.stat(key))
  if (!facts) throw new Problem('INPUT_NOT_FOUND', { field })
  const type = typeof mimeType === 'string' && mimeType !== '' ? mimeType : facts.contentType
  return { bytes: await store.read(key), sizeBytes: facts.sizeBytes, type: type ?? 'application/octet-stream' }
}
