import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { fileTypeFromBuffer } from 'file-type'
import type { TSchema } from 'typebox'
import { amountOf, mapFiles, type OutputFile, type Room } from '#kit'
import { type PlainFile, readyInput } from '../../pools/ready-input.ts'
import { TOOLS } from '../../pools/tools/index.ts'
import { loadOperation, type NamedOperation } from '../../tasks/index.ts'
import { freshFolder } from './folder.ts'

const SAMPLES = fileURLToPath(new URL('../samples/', import.meta.url))
const LIMIT_SECONDS = 60

const ajv = new Ajv2020({
  strict: false,
  useDefaults: true,
  allErrors: true,
  discriminator: true,
  validateFormats: false,
})

/** The faults of a value against a schema; none where it fits. Fills in defaults. */
export function faultsOf(schema: TSchema, value: unknown): string[] {
  const validate = ajv.compile(schema)
  validate(value)
  return (validate.errors ?? []).map(
    ({ instancePath, message, params }) => `${instancePath} ${message} ${JSON.stringify(params)}`,
  )
}

/** A body as a job carries it: checked, its defaults filled in, its files in the folder. */
export function stagedInput(operation: NamedOperation, body: unknown, folder: string): Promise<unknown> {
  const sourced = withSources(structuredClone(body))
  const faults = faultsOf(operation.input, sourced)
  if (faults.length > 0) throw new Error(`${operation.name} does not take this body: ${faults.join('; ')}`)
  return mapFiles(operation.input, sourced, (source, { field }) =>
    staged(source as Source, join(folder, fileName(field))),
  )
}

interface Source {
  inline?: string
  text?: string
  inputKey?: string
  name?: string
}

/** `sample:name` stands for a source wherever one may. */
function withSources(value: unknown): unknown {
  if (typeof value === 'string') return value.startsWith('sample:') ? { inputKey: value } : value
  if (Array.isArray(value)) return value.map(withSources)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, withSources(item)]))
}

function fileName(field: string): string {
  return `in-${field.replace(/\W/g, '-')}`
}

async function staged({ inline, text, inputKey, name }: Source, path: string): Promise<PlainFile> {
  const sample = inputKey?.replace('sample:', '')
  const content = inline === undefined ? Buffer.from(text ?? '') : Buffer.from(inline, 'base64')
  const bytes = sample ? await readFile(join(SAMPLES, sample)) : content
  await writeFile(path, bytes)
  const type = (await fileTypeFromBuffer(bytes))?.mime ?? 'text/plain'
  return { path, type, sizeBytes: bytes.length, name: name ?? sample, facts: {} }
}

export interface Answer {
  [field: string]: unknown
  text?: string
  output?: OutputFile
  warnings?: { code: string; message: string }[]
}

/** Runs an operation that needs no more than this process, with its own tools, and gives its answer with the warnings in it. */
export async function runOperation(name: string, body: unknown, now = new Date()): Promise<Answer> {
  await using folder = await freshFolder()
  const operation = await loadOperation(name)
  const input = await readyInput(operation.input, await stagedInput(operation, body, folder.path))
  const room: Room = {
    out: file => join(folder.path, file),
    progress: () => undefined,
    signal: AbortSignal.timeout(LIMIT_SECONDS * 1000),
    now: () => now,
  }
  const tools = await boundTools(operation, folder.path, room)
  const { result, warnings } = await operation.run(input, { ...tools, ...room } as never)
  return warnings?.length ? { ...(result as Answer), warnings } : (result as Answer)
}

async function boundTools({ uses }: NamedOperation, folder: string, { out, signal }: Room): Promise<object> {
  const deadlineMs = performance.now() + LIMIT_SECONDS * 1000
  const room = { jobId: 'test', folder, signal, deadlineMs, limitSeconds: LIMIT_SECONDS, out }
  const bound = uses.map(async tool => [tool, (await TOOLS[tool].load()).bind(room as never)] as const)
  return Object.fromEntries(await Promise.all(bound))
}

/** What a call with this body would cost, in micros. */
export async function priceOf(name: string, body: unknown): Promise<bigint> {
  await using folder = await freshFolder()
  const operation = await loadOperation(name)
  const input = await readyInput(operation.input, await stagedInput(operation, body, folder.path))
  return amountOf(operation.price, operation.price.units(input as never))
}
