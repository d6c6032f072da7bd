import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { fileTypeFromBuffer } from 'file-type'
import type { TSchema } from 'typebox'
import { computeMaxAmount, findTariff, mapFiles, mapOutputs, type OutputFile, type RunContext } from '#kit'
import { addFileReaders, type PlainFile } from '../../../pools/file-readers.ts'
import { TOOLS } from '../../../pools/tools/index.ts'
import { loadOperation, type NamedOperation } from '../../../tasks/index.ts'
import { freshFolder } from '../machine/folder.ts'

const SAMPLES = fileURLToPath(new URL('../../../tasks/samples/', import.meta.url))
const LIMIT_SECONDS = 60

const ajv = new Ajv2020({
  strict: false,
  useDefaults: true,
  allErrors: true,
  discriminator: true,
  validateFormats: false,
})

/** The errors of a value against a schema. Fills in defaults. */
export function listSchemaErrors(schema: TSchema, value: unknown): string[] {
  const validate = ajv.compile(schema)
  validate(value)
  return (validate.errors ?? []).map(
    ({ instancePath, message, params }) => `${instancePath} ${message} ${JSON.stringify(params)}`,
  )
}

/** A body as a job carries it: validated, with defaults, and with its files in the folder. */
export function stageInput(operation: NamedOperation, body: unknown, folder: string): Promise<unknown> {
  const resolved = resolveSamples(structuredClone(body))
  const errors = listSchemaErrors(operation.input, resolved)
  if (errors.length > 0) throw new Error(`${operation.name} does not accept this body: ${errors.join('; ')}`)
  return mapFiles(operation.input, resolved, (source, { field }) =>
    stageFile(source as Source, join(folder, fileName(field))),
  )
}

interface Source {
  inline?: string
  text?: string
  inputKey?: string
  rows?: unknown[]
  name?: string
}

/** Replaces `sample:name` by a source, at any place. */
function resolveSamples(value: unknown): unknown {
  if (typeof value === 'string') return value.startsWith('sample:') ? { inputKey: value } : value
  if (Array.isArray(value)) return value.map(resolveSamples)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, resolveSamples(item)]))
}

function fileName(field: string): string {
  return `in-${field.replace(/\W/g, '-')}`
}

async function stageFile({ inline, text, inputKey, rows, name, ...options }: Source, path: string): Promise<PlainFile> {
  const sample = inputKey?.replace('sample:', '')
  const content =
    inline === undefined ? Buffer.from(text ?? (rows ? JSON.stringify(rows) : '')) : Buffer.from(inline, 'base64')
  const bytes = sample ? await readFile(join(SAMPLES, sample)) : content
  await writeFile(path, bytes)
  const type = (await fileTypeFromBuffer(bytes))?.mime ?? 'text/plain'
  return { path, type, sizeBytes: bytes.length, name: name ?? sample, facts: {}, options }
}

export interface Answer {
  [field: string]: unknown
  text?: string
  output?: OutputFile
  warnings?: { code: string; message: string }[]
}

/** Runs an operation in this process, with its real tools, and returns its answer including warnings. */
export async function runOperation(name: string, body: unknown, now = new Date()): Promise<Answer> {
  await using folder = await freshFolder()
  const operation = await loadOperation(name)
  const input = await addFileReaders(operation.input, await stageInput(operation, body, folder.path))
  const context: RunContext = {
    out: file => join(folder.path, file),
    progress: () => undefined,
    signal: AbortSignal.timeout(LIMIT_SECONDS * 1000),
    now: () => now,
  }
  const tools = await bindTools(operation, folder.path, context)
  const { result, warnings } = await operation.run(input, { ...tools, ...context } as never)
  const answer = (await mapOutputs(operation.output, result, file => readOutput(file as OutputFile))) as Answer
  return warnings?.length ? { ...answer, warnings } : answer
}

/** The folder is removed with the run, so that a file in it is read before. */
async function readOutput(file: OutputFile): Promise<OutputFile> {
  return file.path ? { ...file, bytes: await readFile(file.path) } : file
}

/** Engines that run in a child process otherwise run in this one. */
function createEngines(folder: string) {
  return {
    async call(_: unknown, engine: string, method: string, files: string[], args: unknown): Promise<unknown> {
      const module = (await import(`../../../pools/tools/${engine}/engine.ts`)) as Record<string, EngineMethod>
      const { spilledFiles = [], ...value } = await module[method]!(files, args, LIMIT_SECONDS)
      return { ...value, paths: spilledFiles.map(name => join(folder, name)) }
    },
  }
}

type EngineMethod = (files: string[], args: unknown, seconds: number) => Promise<{ spilledFiles?: string[] }>

async function bindTools({ uses }: NamedOperation, folder: string, { out, signal }: RunContext): Promise<object> {
  const deadlineMs = performance.now() + LIMIT_SECONDS * 1000
  const context = {
    jobId: 'test',
    folder,
    signal,
    deadlineMs,
    limitSeconds: LIMIT_SECONDS,
    out,
    engines: createEngines(folder),
  }
  const bindings = uses.map(async tool => [tool, (await TOOLS[tool].load()).bind(context as never)] as const)
  return Object.fromEntries(await Promise.all(bindings))
}

/** The price of a call with this body, in micros. */
export async function computePrice(name: string, body: unknown): Promise<bigint> {
  await using folder = await freshFolder()
  const operation = await loadOperation(name)
  const input = await addFileReaders(operation.input, await stageInput(operation, body, folder.path))
  return computeMaxAmount(findTariff(operation.price, input as never))
}
