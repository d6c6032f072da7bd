import type { Entry, Example } from '#kit'
import { readSampleInput } from './sample-input.ts'

/**
 * A command that makes the call as printed, with the caller's key in `KEY`. A sample file is fetched from this service
 * and sent as a part of a form; where the files stand deeper in the input, they are sent inside the JSON.
 */
export function renderCurl(entry: Entry, example: Example, publicUrl: string): string {
  const { samples, parts, fields } = readSampleInput(entry, example)
  const method = entry.method === 'POST' ? '' : `-X ${entry.method} `
  const head = [
    `curl ${method}"${publicUrl}${entry.path}"`,
    '-H "Authorization: Bearer $KEY"',
    ...requiredHeaders(entry),
  ]
  const downloads = samples.map(name => `curl -sO "${publicUrl}/docs/samples/${name}"`)
  const sent = parts.length > 0 ? sendForm(parts, fields) : sendJson(fields)
  return [...downloads, [...head, ...sent].join(' \\\n  ')].join('\n')
}

/** The headers without which the call is refused, with their first example. */
function requiredHeaders({ headers }: Entry): string[] {
  const { properties = {}, required = [] } = (headers ?? {}) as {
    properties?: Record<string, { examples?: string[] }>
    required?: string[]
  }
  return required.flatMap(
    name => properties[name]?.examples?.slice(0, 1).map(text => `-H ${quote(`${name}: ${text}`)}`) ?? [],
  )
}

/** A command for a call that has no example: it needs only the address. */
export function renderPlainCurl({ method, path, auth }: Entry, publicUrl: string): string {
  const verb = method === 'GET' ? '' : `-X ${method} `
  return `curl ${verb}"${publicUrl}${path}"${auth.includes('none') ? '' : ' -H "Authorization: Bearer $KEY"'}`
}

/** The quotes are added first, so that those around the file's content are left as they are. */
function sendJson(input: unknown): string[] {
  const json = quote(JSON.stringify(input)).replaceAll(
    /"sample:([^"]+)"/g,
    (_, name: string) => `{"inline":"'$(base64 -w0 ${name})'"}`,
  )
  return ["-H 'Content-Type: application/json'", `-d ${json}`]
}

function sendForm(parts: readonly [string, string][], options: object): string[] {
  const files = parts.map(([name, file]) => `-F ${name}=@${file}`)
  return Object.keys(options).length > 0 ? [...files, `-F options=${quote(JSON.stringify(options))}`] : files
}

function quote(text: string): string {
  return `'${text.replaceAll("'", String.raw`'\''`)}'`
}
