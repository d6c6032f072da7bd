import { createHash } from 'node:crypto'
import { copyFile, mkdtemp, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { inject } from 'vitest'
import {
  computeCharge,
  type FileRule,
  findTariff,
  mapFiles,
  markInputFile,
  type Outcome,
  type OutputFile,
  type OutputPart,
  Problem,
  passwordFor,
  type Tariff,
} from '#kit'
import { openPools, type Pools } from '../../../pools/index.ts'
import type { TOOLS } from '../../../pools/tools/index.ts'
import { findAcceptedType } from '../../../tasks/formats/file-types/accept.ts'
import { HEAD_BYTES, recogniseTypes } from '../../../tasks/formats/file-types/recognise.ts'
import { loadOperation } from '../../../tasks/index.ts'
import { shareCompiledCode } from '../machine/compiled-code.ts'
import { freshFolder } from '../machine/folder.ts'

const SILENT_LOG = { info: () => undefined, warn: () => undefined, error: () => undefined }

type OpenPools = Pools & AsyncDisposable

/** Opens pools with a folder of their own, for the tests of one file. */
export async function testPools(options: Partial<Parameters<typeof openPools>[0]> = {}): Promise<OpenPools> {
  const folder = await freshFolder()
  const pools = await openIn(folder.path, options)
  const dispose = async () => {
    await pools.close()
    await folder[Symbol.asyncDispose]()
  }
  return Object.assign(pools, { [Symbol.asyncDispose]: dispose })
}

function openIn(folder: string, options: Partial<Parameters<typeof openPools>[0]> = {}): Promise<Pools> {
  shareCompiledCode(folder)
  const lanes = { thread: 2, native: 4, program: 2, remote: 1 }
  const defaults = { lanes, sandbox: 'auto', production: false, log: SILENT_LOG } as const
  return openPools({ workRoot: join(folder, 'work'), ...defaults, ...options })
}

let shared: Promise<OpenPools> | undefined

/**
 * Pools without settings of their own, which the files of one test process share, because engines take long to start.
 * They end with the process.
 */
export function sharedPools(): Promise<OpenPools> {
  shared ??= mkdtemp(join(inject('runFolder'), 'pools-'))
    .then(folder => openIn(folder))
    .then(pools => Object.assign(pools, { [Symbol.asyncDispose]: async () => undefined }))
  return shared
}

/** Whether a tool works on this machine. */
export async function hasTool(pools: Pools, tool: keyof typeof TOOLS): Promise<boolean> {
  return (await pools.tools([tool])).some(({ name, ok }) => name === tool && ok)
}

interface JobResult {
  result: Record<string, unknown>
  bytes: Buffer
  /** The parts of a manifest. */
  files: (OutputPart & { bytes: Buffer })[]
  units: number
  chargedMicros: bigint
  warnings: string[]
}

let jobs = 0

/** A file with what is said beside its source. */
interface FileWithOptions {
  content: string | Uint8Array
  [option: string]: unknown
}

/** Runs one job as the worker does: stages the files, probes, prices and runs. Files are given as bytes or paths. */
export async function runJob(
  pools: Pools,
  operation: string,
  body: Record<string, unknown>,
  {
    accountId = 'one account',
    limitSeconds = 30,
    signal = new AbortController().signal,
    missingTools = [] as readonly string[],
  } = {},
): Promise<JobResult> {
  const { input: schema, price } = await loadOperation(operation)
  const jobId = `test-${createHash('sha256').update(operation).digest('hex').slice(0, 8)}-${++jobs}`
  const folder = await pools.openFolder(jobId)
  try {
    const input = await stageInput(pools, schema, addDefaults(schema, body), folder, signal)
    const tariff = findTariff(price, input as never)
    const answer = await pools.run({ jobId, accountId, operation, input, folder, signal, limitSeconds, missingTools })
    if (!answer.ok) throw Problem.from(answer.problem)
    return await readOutputs(answer.outcome, tariff)
  } finally {
    await pools.closeFolder(jobId)
  }
}

interface StagedFile {
  path: string
  facts: object
  probe?: FileRule['probe']
  field: string
  index?: number
  type: string
  sizeBytes: number
}

async function stageInput(
  pools: Pools,
  schema: Parameters<typeof mapFiles>[0],
  body: Record<string, unknown>,
  folder: string,
  signal: AbortSignal,
): Promise<unknown> {
  const staged: StagedFile[] = []
  const input = await mapFiles(schema, body, async (given, { rule, field, index }) => {
    const path = join(folder, `input-${staged.length}`)
    const hasOptions = typeof given === 'object' && given !== null && 'content' in given
    const { content, name, ...options } = hasOptions
      ? (given as FileWithOptions & { name?: string })
      : { content: given as string | Uint8Array, name: undefined }
    if (typeof content === 'string') await copyFile(content, path)
    else await writeFile(path, content)
    const bytes = await readFile(path)
    const types = await recogniseTypes(bytes.subarray(0, HEAD_BYTES), bytes.length <= HEAD_BYTES)
    const type = findAcceptedType(types, rule.accept) ?? types[0]!
    const known = { path, type, sizeBytes: bytes.length, name, facts: {}, options }
    const file = markInputFile({ ...known, probe: rule.probe, field, index })
    staged.push(file)
    return file
  })
  const probed = staged.filter(({ probe }) => probe)
  const filesToProbe = probed.map(file => ({
    ...file,
    probe: file.probe!,
    password: passwordFor(body, file.field, file.index),
  }))
  const facts = await pools.probe(filesToProbe, folder, signal)
  for (const [index, file] of probed.entries()) Object.assign(file.facts, facts[index])
  return input
}

/** The defaults as the api fills them in: an absent object has the defaults of its own fields. */
function defaultsOf(schema: object): Record<string, unknown> {
  const { properties = {} } = schema as { properties?: Record<string, { default?: unknown }> }
  const withDefault = Object.entries(properties).filter(([, field]) => field.default !== undefined)
  return Object.fromEntries(withDefault.map(([name, field]) => [name, fillObject(field, field.default)]))
}

function addDefaults(schema: object, body: Record<string, unknown>): Record<string, unknown> {
  const chosen = chooseAlternative(schema, body)
  const { properties = {} } = chosen as { properties?: Record<string, object> }
  const given = Object.entries(body).map(([name, value]) => {
    const isPlain = typeof value === 'object' && value?.constructor === Object
    return [name, isPlain ? fillObject(properties[name] ?? {}, value) : value]
  })
  return { ...defaultsOf(chosen), ...Object.fromEntries(given) }
}

interface Union {
  oneOf?: { properties: Record<string, { const?: unknown }> }[]
  discriminator?: { propertyName: string }
}

function chooseAlternative(schema: object, body: Record<string, unknown>): object {
  const { oneOf = [], discriminator } = schema as Union
  const tag = discriminator?.propertyName ?? ''
  return oneOf.find(({ properties }) => properties[tag]?.const === body[tag]) ?? schema
}

function fillObject(field: object, value: unknown): unknown {
  return 'properties' in field ? { ...defaultsOf(field), ...(value as object) } : value
}

async function readOutputs(outcome: Outcome<unknown>, tariff: Tariff): Promise<JobResult> {
  const { result, units, warnings = [] } = outcome
  const { output, files = [] } = result as { output?: OutputFile; files?: OutputPart[] }
  return {
    result: result as Record<string, unknown>,
    bytes: await readBytes(output),
    files: await Promise.all(files.map(async part => ({ ...part, bytes: await readBytes(part) }))),
    units: units ?? tariff.units,
    chargedMicros: computeCharge(tariff, outcome),
    warnings: warnings.map(({ code }) => code),
  }
}

async function readBytes(file: OutputFile | undefined): Promise<Buffer> {
  return file?.path ? readFile(file.path) : Buffer.from(file?.bytes ?? [])
}
