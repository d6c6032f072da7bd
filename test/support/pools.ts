import { createHash } from 'node:crypto'
import { copyFile, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileTypeFromBuffer } from 'file-type'
import { type FileRule, mapFiles, type Outcome, type OutputFile, type OutputPart, Problem, passwordFor } from '#kit'
import { openPools, type Pools } from '../../pools/index.ts'
import { loadOperation } from '../../tasks/index.ts'
import { freshFolder } from './folder.ts'

const SILENT = { info: () => undefined, warn: () => undefined, error: () => undefined }

/** Pools over a folder of their own, for the tests of one file. */
export async function testPools(
  options: Partial<Parameters<typeof openPools>[0]> = {},
): Promise<Pools & AsyncDisposable> {
  const folder = await freshFolder()
  const lanes = { thread: 2, native: 4, program: 2, remote: 1 }
  const pools = await openPools({
    workRoot: join(folder.path, 'work'),
    lanes,
    sandbox: 'auto',
    production: false,
    log: SILENT,
    ...options,
  })
  const dispose = async () => {
    await pools.close()
    await folder[Symbol.asyncDispose]()
  }
  return Object.assign(pools, { [Symbol.asyncDispose]: dispose })
}

export interface Ran {
  result: Record<string, unknown>
  bytes: Buffer
  /** The parts of a manifest. */
  files: (OutputPart & { bytes: Buffer })[]
  units: number
  warnings: string[]
}

let jobs = 0

/** One job as the worker does it: files into the folder, probe, price, run. Files are given as bytes. */
export async function runJob(
  pools: Pools,
  operation: string,
  body: Record<string, unknown>,
  { limitSeconds = 30, signal = new AbortController().signal } = {},
): Promise<Ran> {
  const { input: schema, price } = await loadOperation(operation)
  const jobId = `test-${createHash('sha256').update(operation).digest('hex').slice(0, 8)}-${++jobs}`
  const folder = await pools.openFolder(jobId)
  try {
    const input = await laidReady(pools, schema, withDefaults(schema, body), folder, signal)
    const priced = price.units(input as never)
    const answer = await pools.run({ jobId, operation, input, folder, signal, limitSeconds })
    if (!answer.ok) throw Problem.from(answer.problem)
    return await collected(answer.outcome, priced)
  } finally {
    await pools.closeFolder(jobId)
  }
}

async function laidReady(
  pools: Pools,
  schema: Parameters<typeof mapFiles>[0],
  body: Record<string, unknown>,
  folder: string,
  signal: AbortSignal,
): Promise<unknown> {
  const laid: {
    path: string
    facts: object
    probe?: FileRule['probe']
    field: string
    index?: number
    type: string
    sizeBytes: number
  }[] = []
  const input = await mapFiles(schema, body, async (given, { rule, field, index }) => {
    const path = join(folder, `input-${laid.length}`)
    if (typeof given === 'string') await copyFile(given, path)
    else await writeFile(path, given as Uint8Array)
    const bytes = await readFile(path)
    const isVector = bytes.subarray(0, 1000).includes('<svg')
    const type = isVector ? 'image/svg+xml' : ((await fileTypeFromBuffer(bytes))?.mime ?? 'text/plain')
    const file = { path, type, sizeBytes: bytes.length, name: undefined, facts: {}, probe: rule.probe, field, index }
    laid.push(file)
    return file
  })
  const asked = laid.filter(({ probe }) => probe)
  const questions = asked.map(file => ({
    ...file,
    probe: file.probe!,
    password: passwordFor(body, file.field, file.index),
  }))
  const facts = await pools.probe(questions, folder, signal)
  for (const [index, file] of asked.entries()) Object.assign(file.facts, facts[index])
  return input
}

/** As the front door fills them in: an object that is left out has the defaults of its own fields. */
function defaultsOf(schema: object): Record<string, unknown> {
  const { properties = {} } = schema as { properties?: Record<string, { default?: unknown }> }
  const withDefault = Object.entries(properties).filter(([, field]) => field.default !== undefined)
  return Object.fromEntries(withDefault.map(([name, field]) => [name, filled(field, field.default)]))
}

function withDefaults(schema: object, body: Record<string, unknown>): Record<string, unknown> {
  const { properties = {} } = schema as { properties?: Record<string, object> }
  const given = Object.entries(body).map(([name, value]) => {
    const isPlain = typeof value === 'object' && value?.constructor === Object
    return [name, isPlain ? filled(properties[name] ?? {}, value) : value]
  })
  return { ...defaultsOf(schema), ...Object.fromEntries(given) }
}

function filled(field: object, value: unknown): unknown {
  return 'properties' in field ? { ...defaultsOf(field), ...(value as object) } : value
}

async function collected({ result, units, warnings = [] }: Outcome<unknown>, priced: number): Promise<Ran> {
  const { output, files = [] } = result as { output?: OutputFile; files?: OutputPart[] }
  return {
    result: result as Record<string, unknown>,
    bytes: await bytesOf(output),
    files: await Promise.all(files.map(async part => ({ ...part, bytes: await bytesOf(part) }))),
    units: units ?? priced,
    warnings: warnings.map(({ code }) => code),
  }
}

async function bytesOf(file: OutputFile | undefined): Promise<Buffer> {
  return file?.path ? readFile(file.path) : Buffer.from(file?.bytes ?? [])
}
