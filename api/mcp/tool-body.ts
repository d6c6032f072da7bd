import { Readable } from 'node:stream'
import { type Entry, Problem } from '#kit'
import { decodeBase64 } from '../intake/body/base64.ts'
import { isObject } from '../intake/x402/payload.ts'
import { bodyArgumentOf } from '../surfaces/mcp/arguments.ts'
import type { Fields } from './message.ts'

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

interface StreamedBody {
  body: Readable
  'content-type': string
  'content-length': string
}

/** The one argument with the whole body, as the stream that it would be over REST. */
export function streamBody(entry: Entry, others: Fields, allowed: readonly string[]): StreamedBody {
  const argument = bodyArgumentOf(entry)!
  const unknown = Object.keys(others).find(name => name !== argument)
  if (unknown !== undefined) throw new Problem('UNKNOWN_FIELD', { field: unknown, allowed: [...allowed, argument] })
  const value = others[argument]
  if (value === undefined) throw new Problem('MISSING_FIELD', { field: argument })
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
    throw new Problem('INVALID_PARAM', { field: 'file', reason: 'Give exactly one of text, or blob in base64.' })
  }
  const bytes = typeof text === 'string' ? Buffer.from(text) : decodeBase64(blob as string, 'file.blob')
  const ownType = typeof text === 'string' ? 'text/plain; charset=utf-8' : 'application/octet-stream'
  return { bytes, type: typeof mimeType === 'string' && mimeType !== '' ? mimeType : ownType }
}
