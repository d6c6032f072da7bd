import type { Entry, Example } from '#kit'
import { readSampleInput } from './sample-input.ts'

/**
 * A command that makes the call as printed, with the caller's key in `KEY`. A sample file is fetched from this service
 * and sent as a part of a form; where the files stand deeper in the input, they are sent inside the JSON.
 */
export function renderCurl(entry: Entry, example: Example, publicUrl: string): string {
  const { samples, parts, fields } = readSampleInput(entry, example)
  const method = entry.method === 'POST' ? '' : `-X ${entry.method} `
  const head = [`curl ${method}"${publicUrl}${entry.path}"`, ...credentials(entry), ...requiredHeaders(entry)]
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
export function renderPlainCurl(entry: Entry, publicUrl: string): string {
  const { method, path } = entry
  const verb = method === 'GET' ? '' : `-X ${method} `
  return [`curl ${verb}"${publicUrl}${path}"`, ...credentials(entry)].join(' ')
}

/** What only a person signed in to the dashboard may do takes its cookie; a key is refused there. */
function credentials({ auth, method }: Pick<Entry, 'auth' | 'method'>): string[] {
  if (auth.includes('none')) return []
  if (!auth.includes('session')) return ['-H "Authorization: Bearer $KEY"']
  return ['-b "$COOKIE"', ...(method === 'GET' ? [] : ['-H "X-CSRF-Token: $CSRF_TOKEN"'])]
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
