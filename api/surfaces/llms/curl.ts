import type { Entry, Example } from '#kit'
import { fileFieldsOf } from '../../intake/body/file-fields.ts'

const SAMPLE = 'sample:'

/**
 * A command that makes the call as printed, with the caller's key in `KEY`. A sample file is fetched from this service
 * and sent as a part of a form; where the files stand deeper in the input, they are sent inside the JSON.
 */
export function renderCurl({ method, path, body }: Entry, { input }: Example, publicUrl: string): string {
  const head = [
    `curl ${method === 'POST' ? '' : `-X ${method} `}"${publicUrl}${path}"`,
    '-H "Authorization: Bearer $KEY"',
  ]
  const fields = Object.entries(input as Record<string, unknown>)
  const files = body ? fileFieldsOf(body) : new Map<string, string>()
  const parts = fields.filter(([name, value]) => files.has(name) && isSampleList([value].flat()))
  const others = fields.filter(field => !parts.includes(field))
  const names = [...new Set(JSON.stringify(input).match(/(?<="sample:)[^"]+/g))]
  const downloads = names.map(name => `curl -sO "${publicUrl}/docs/samples/${name}"`)
  const options = Object.fromEntries(others)
  if (names.length === 0) return [...head, ...sendJson(input)].join(' \\\n  ')
  const deeper = JSON.stringify(options).includes(`"${SAMPLE}`)
  const sent = deeper ? sendJson(input) : sendForm(parts, options)
  return [...downloads, [...head, ...sent].join(' \\\n  ')].join('\n')
}

function isSampleList(values: readonly unknown[]): boolean {
  return values.every(value => typeof value === 'string' && value.startsWith(SAMPLE))
}

function sendJson(input: unknown): string[] {
  const json = quote(JSON.stringify(input)).replaceAll(
    /"sample:([^"]+)"/g,
    (_, name: string) => `{"inline":"'$(base64 -w0 ${name})'"}`,
  )
  return ["-H 'Content-Type: application/json'", `-d ${json}`]
}

function sendForm(parts: readonly [string, unknown][], options: object): string[] {
  const files = parts.flatMap(([name, value]) =>
    [value].flat().map(sample => `-F ${name}=@${String(sample).slice(SAMPLE.length)}`),
  )
  return Object.keys(options).length > 0 ? [...files, `-F options=${quote(JSON.stringify(options))}`] : files
}

function quote(text: string): string {
  return `'${text.replaceAll("'", String.raw`'\''`)}'`
}
