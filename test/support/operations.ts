import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { Ajv } from 'ajv'
import { fileTypeFromBuffer } from 'file-type'
import type { TSchema } from 'typebox'
import { amountOf, type InputFile, mapFiles, type OutputFile, type Room } from '#kit'
import { TOOLS } from '../../pools/tools/index.ts'
import { loadOperation, type NamedOperation } from '../../tasks/index.ts'
import { chunked } from './bytes.ts'
import { freshFolder } from './folder.ts'

const SAMPLES = fileURLToPath(new URL('../samples/', import.meta.url))
const ajv = new Ajv({ strict: false, useDefaults: true, allErrors: true, validateFormats: false })

/** A file as operations get it, made of bytes. */
export function inputFile(
  bytes: Uint8Array,
  given: Partial<Pick<InputFile, 'type' | 'name' | 'path'>> = {},
): InputFile {
  return {
    path: given.path ?? '',
    type: given.type ?? 'application/octet-stream',
    sizeBytes: bytes.length,
    name: given.name,
    facts: {},
    bytes: async () => new Uint8Array(bytes),
    chunks: () => chunked(bytes),
  }
}

/** The faults of a value against a schema; none where it fits. */
export function faultsOf(schema: TSchema, value: unknown): string[] {
  const validate = ajv.compile(schema)
  validate(value)
  return (validate.errors ?? []).map(
    ({ instancePath, message, params }) => `${instancePath} ${message} ${JSON.stringify(params)}`,
  )
}

/** A body as the door hands it on: checked, its defaults filled, its files ready. */
export async function readyInput(operation: NamedOperation, body: unknown, folder = ''): Promise<unknown> {
  const sourced = withSources(structuredClone(body))
  const faults = faultsOf(operation.input, sourced)
  if (faults.length > 0) throw new Error(`${operation.name} does not take this body: ${faults.join('; ')}`)
  return mapFiles(operation.input, sourced, (source, { field }) => fileOf(source as Source, folder, field))
}

interface Source {
  inline?: string
  text?: string
  sample?: string
}

/** `sample:name` stands for a source wherever one may. */
function withSources(value: unknown): unknown {
  if (typeof value === 'string') return value.startsWith('sample:') ? { inputKey: value } : value
  if (Array.isArray(value)) return value.map(withSources)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, withSources(item)]))
}

async function fileOf(source: Source & { inputKey?: string }, folder: string, field: string): Promise<InputFile> {
  const sample = source.inputKey?.slice('sample:'.length)
  const bytes = sample ? await readFile(join(SAMPLES, sample)) : bytesOf(source)
  const type = (await fileTypeFromBuffer(bytes))?.mime ?? 'text/plain'
  const path = folder && join(folder, `in-${field.replace(/\W/g, '-')}`)
  if (path) await writeFile(path, bytes)
  return inputFile(bytes, { type, path, name: sample })
}

function bytesOf({ inline, text }: Source): Buffer {
  return inline === undefined ? Buffer.from(text ?? '') : Buffer.from(inline, 'base64')
}

export interface Answer {
  [field: string]: unknown
  text?: string
  output?: OutputFile
  warnings?: { code: string; message: string }[]
}

/** Runs one operation in this process, with its own tools, and gives its answer with the warnings in it. */
export async function runOperation(name: string, body: unknown, now = new Date()): Promise<Answer> {
  await using folder = await freshFolder()
  const operation = await loadOperation(name)
  const input = await readyInput(operation, body, folder.path)
  const out = (file: string) => join(folder.path, file)
  const room: Room = { out, progress: () => undefined, signal: AbortSignal.timeout(60_000), now: () => now }
  const tools = await boundTools(operation, folder.path, room)
  const run = operation.run as (input: unknown, tools: unknown) => ReturnType<NamedOperation['run']>
  const { result, warnings } = await run(input, { ...tools, ...room })
  return warnings ? { ...(result as Answer), warnings } : (result as Answer)
}

async function boundTools({ uses }: NamedOperation, folder: string, { out, signal }: Room) {
  const job = { jobId: 'test', folder, signal, deadlineMs: performance.now() + 60_000, out }
  const bound = uses.map(async tool => [tool, (await TOOLS[tool].load()).bind(job)] as const)
  return Object.fromEntries(await Promise.all(bound))
}

/** What a call with this body would cost, in micros. */
export async function priceOf(name: string, body: unknown): Promise<bigint> {
  const operation = await loadOperation(name)
  const input = await readyInput(operation, body)
  return amountOf(operation.price, operation.price.units(input as never))
}
