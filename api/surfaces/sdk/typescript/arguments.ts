import type { ClientCall } from '../calls.ts'

/** The arguments of a call by where they go. */
interface SplitArguments {
  path: string
  headers: Record<string, string>
  /** Those of the body, or the one argument that is the whole of it. */
  fields: Record<string, unknown>
}

export function splitArguments(call: ClientCall, input: Readonly<Record<string, unknown>>): SplitArguments {
  const { inPath, inQuery, inHeaders, body } = call
  refuseStream(call, input)
  if (inPath.length === 0 && inQuery.length === 0 && Object.keys(inHeaders).length === 0 && body === 'fields')
    return { path: call.path, headers: {}, fields: { ...input } }
  const query = new URLSearchParams()
  const headers: Record<string, string> = {}
  const fields: Record<string, unknown> = {}
  for (const [name, value] of Object.entries(input)) {
    if (value === undefined || inPath.includes(name)) continue
    if (inQuery.includes(name)) query.append(name, textOf(value))
    else if (Object.hasOwn(inHeaders, name)) headers[inHeaders[name]!.toLowerCase()] = headerOf(value)
    else fields[name] = value
  }
  refuseUnknown(call, fields)
  const path = call.path.replaceAll(/\{([^}]+)\}/g, (_all, name: string) => encodeParameter(call, name, input[name]))
  return { path: query.size > 0 ? `${path}?${query.toString()}` : path, headers, fields }
}

/** Its answer would come in pieces, after it was charged. */
function refuseStream({ family }: ClientCall, { stream }: Readonly<Record<string, unknown>>): void {
  if (family === 'openai' && stream === true)
    throw new TypeError('this client reads no streams: a client of the OpenAI API does, at the same address')
}

function textOf(value: unknown): string {
  return typeof value === 'object' ? JSON.stringify(value) : String(value)
}

/** The bytes of UTF-8, which the service reads: `fetch` takes no characters above U+00FF. */
function headerOf(value: unknown): string {
  return Array.from(new TextEncoder().encode(textOf(value)), byte => String.fromCharCode(byte)).join('')
}

/** The service cannot name them, because they would be sent nowhere. */
function refuseUnknown({ name, body, inPath, inQuery, inHeaders }: ClientCall, fields: Record<string, unknown>): void {
  if (body === 'fields') return
  const own: readonly string[] = { bytes: ['file', 'contentType'], document: ['body'], none: [] }[body]
  const unknown = Object.keys(fields).find(field => !own.includes(field))
  if (unknown === undefined) return
  const known = [...inPath, ...inQuery, ...Object.keys(inHeaders), ...own]
  throw new TypeError(`${name} has no argument ${unknown}; it has ${known.join(', ') || 'none'}`)
}

function encodeParameter({ name: call, path }: ClientCall, name: string, value: unknown): string {
  if (value === undefined || value === null || value === '') throw new TypeError(`${call} needs ${name}`)
  // Keys are several segments of a path.
  const isRest = path.endsWith('{key}') && name === 'key'
  return isRest ? String(value).split('/').map(encodeURIComponent).join('/') : encodeURIComponent(String(value))
}
