import type { Entry } from '#kit'
import { fileFieldsOf } from '../../../intake/body/file-fields.ts'
import { AnswerField, AnswerFile } from '../../how-to/declaration.ts'
import { bodyArgumentOf, headersByArgument } from '../../mcp/arguments.ts'
import { fieldNamesOf } from './fields.ts'
import type { ProgramStep } from './step.ts'
import { listSamples, type Notation, printValue } from './values.ts'

/** The types that a service sends as bytes where a call accepts nothing else. */
const TYPES: Readonly<Record<string, string>> = {
  pdf: 'application/pdf',
  png: 'image/png',
  jpg: 'image/jpeg',
  webp: 'image/webp',
  gif: 'image/gif',
  svg: 'image/svg+xml',
  mp4: 'video/mp4',
  mp3: 'audio/mpeg',
  csv: 'text/csv',
  json: 'application/json',
  md: 'text/markdown',
  srt: 'application/x-subrip',
  zip: 'application/zip',
  xlsx: 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
}

/** The steps as commands of a shell. Values of answers are taken out by jq. */
export function printCurl(steps: readonly ProgramStep[], publicUrl: string, payer?: 'wallet'): string {
  const downloads = listSamples(steps).map(name => `curl -sO "${publicUrl}/docs/samples/${name}"`)
  const commands = steps.map((step, index) => printStep(step, steps.slice(index + 1), { publicUrl, payer }))
  return [...downloads, ...commands].join('\n').trim()
}

interface Surroundings {
  publicUrl: string
  payer: 'wallet' | undefined
}

function printStep(step: ProgramStep, later: readonly ProgramStep[], surroundings: Surroundings): string {
  const { as, note, saves } = step
  const used = as === undefined ? [] : findUsed(as, later)
  const lines = printCall(step, surroundings, { isKept: used.length > 0 })
  const comment = note === undefined ? [] : [`\n# ${note}`]
  if (used.length === 0) {
    const output = saves === undefined ? [] : [`-o ${saves}`]
    return [...comment, [...lines, ...output].join(' \\\n  ')].join('\n')
  }
  const variables = used.map(one => `${variableOf(one)}=$(jq -r ${pathOf(one)} <<< "$${as}")`)
  return [...comment, `${as}=$(${lines.join(' \\\n  ')})`, ...variables].join('\n')
}

/** Files that are kept here are named by their key, others are saved at once. */
function printCall(
  { entry, input, saves, isAnonymous = false }: ProgramStep,
  { publicUrl, payer }: Surroundings,
  { isKept }: { isKept: boolean },
): string[] {
  const { path, headers, fields } = split(entry, input)
  const body = printBody(entry, fields)
  // With a body curl posts by itself.
  const verb = entry.method === (body.length > 0 ? 'POST' : 'GET') ? '' : `-X ${entry.method} `
  const type = saves === undefined || isKept ? undefined : TYPES[saves.split('.').at(-1)!]
  return [
    `curl ${isKept ? '-s ' : ''}${verb}"${publicUrl}${path}"`,
    ...(payer === 'wallet' || isAnonymous || !entry.auth.includes('key') ? [] : ['-H "Authorization: Bearer $KEY"']),
    ...(type === undefined ? [] : [`-H "Accept: ${type}"`]),
    ...headers,
    ...body,
  ]
}

function split(entry: Entry, input: Readonly<Record<string, unknown>>) {
  const inHeaders = headersByArgument(entry)
  const inQuery = fieldNamesOf(entry.query)
  const given = Object.entries(input)
  const path = entry.path.replaceAll(/\{([^}]+)\}/g, (_all, name: string) => printPlain(input[name]))
  const query = given.filter(([name]) => inQuery.has(name)).map(([name, value]) => `${name}=${printPlain(value, true)}`)
  const headers = given
    .filter(([name]) => inHeaders.has(name))
    .map(([name, value]) => `-H "${inHeaders.get(name)}: ${printPlain(value)}"`)
  const isElsewhere = (name: string) => inHeaders.has(name) || inQuery.has(name) || entry.path.includes(`{${name}}`)
  const fields = Object.fromEntries(given.filter(([name]) => !isElsewhere(name)))
  return { path: query.length > 0 ? `${path}?${query.join('&')}` : path, headers, fields }
}

/** A value within double quotes. */
function printPlain(value: unknown, isEncoded = false): string {
  if (value instanceof AnswerField) return `$${variableOf(value)}`
  return isEncoded ? encodeURIComponent(String(value)).replaceAll('%20', '+') : String(value)
}

function printBody(entry: Entry, fields: Readonly<Record<string, unknown>>): string[] {
  const whole = bodyArgumentOf(entry)
  if (whole === 'file') return printBytes(fields.file)
  const content = whole === 'body' ? fields.body : fields
  if (!entry.body || Object.keys(content as object).length === 0) return []
  const names = fileFieldsOf(entry.body)
  const parts = Object.entries(fields).filter(([name, value]) => names.has(name) && [value].flat().every(isSample))
  const others = Object.fromEntries(Object.entries(fields).filter(([name]) => !parts.some(([part]) => part === name)))
  if (parts.length > 0 && !hasFiles(others)) return printForm(parts, others)
  return ["-H 'Content-Type: application/json'", `-d '${printValue(content, JSON_NOTATION)}'`]
}

function printForm(parts: readonly [string, unknown][], others: object): string[] {
  const files = parts.flatMap(([name, value]) => [value].flat().map(file => `-F ${name}=@${String(file).slice(7)}`))
  return Object.keys(others).length > 0 ? [...files, `-F options='${printValue(others, JSON_NOTATION)}'`] : files
}

function printBytes(file: unknown): string[] {
  if (isSample(file)) return [`--data-binary @${String(file).slice(7)}`, '-H "Content-Type: application/octet-stream"']
  const { text } = file as { text: string }
  return ['-H "Content-Type: text/plain"', `--data-binary '${quote(text)}'`]
}

function isSample(value: unknown): boolean {
  return typeof value === 'string' && value.startsWith('sample:')
}

function hasFiles(value: unknown): boolean {
  if (isSample(value) || value instanceof AnswerFile || value instanceof AnswerField) return true
  return typeof value === 'object' && value !== null && Object.values(value).some(hasFiles)
}

/** JSON within single quotes, which are closed around variables and commands. */
const JSON_NOTATION: Notation = {
  indent: '  ',
  key: name => JSON.stringify(name),
  text: value => quote(JSON.stringify(value)),
  word: value => String(value),
  sample: file => `{"inline":"'$(base64 -w0 ${file})'"}`,
  field: field => `"'"$${variableOf(field)}"'"`,
  file: file => `{ "inputKey": "'"$${variableOf(file)}"'" }`,
  hasTrailingComma: false,
}

function quote(text: string): string {
  return text.replaceAll("'", String.raw`'\''`)
}

type Reference = AnswerField | AnswerFile

/** What later steps use of an answer, each once. */
function findUsed(step: string, later: readonly ProgramStep[]): Reference[] {
  const all = later.flatMap(({ input }) => findReferences(input)).filter(one => one.step === step)
  return [...new Map(all.map(one => [variableOf(one), one])).values()]
}

function findReferences(value: unknown): Reference[] {
  if (value instanceof AnswerField || value instanceof AnswerFile) return [value]
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(findReferences) : []
}

function variableOf(one: Reference): string {
  if (one instanceof AnswerFile) return `${one.step}_key`
  const words = one.path.filter(name => !/^\d+$/.test(name)).join('_')
  const name = `${one.step}_${words}`.replaceAll(/[A-Z]/g, letter => `_${letter.toLowerCase()}`)
  return one.fromEnd === undefined ? name : `${name}_part`
}

function pathOf(one: Reference): string {
  if (one instanceof AnswerFile) return '.output.outputKey'
  const path = one.path.map(name => (/^\d+$/.test(name) ? `[${name}]` : `.${name}`)).join('')
  if (one.fromEnd !== undefined) return `'${path} | split("/")[${-1 - one.fromEnd}]'`
  return path.includes('[') ? `'${path}'` : path
}
