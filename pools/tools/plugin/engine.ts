import { existsSync } from 'node:fs'
import { readFile, writeFile } from 'node:fs/promises'
import { registerHooks } from 'node:module'
import { extname } from 'node:path'
import { pathToFileURL } from 'node:url'
import { Ajv2020 } from 'ajv/dist/2020.js'
import type { TSchema } from 'typebox'
import { findMarkedValues, mapFiles, OUTPUT_RULE, type Outcome, type OutputFile, Problem, replaceAt } from '#kit'
import { invalid, type PluginDeclaration, readDeclaration, toLine } from '../../../tasks/engines/plugin/declaration.ts'
import { readManifest } from '../../../tasks/engines/plugin/manifest.ts'
import { buildPluginOperation } from '../../../tasks/engines/plugin/operation.ts'
import { addFileReaders, type PlainFile } from '../../file-readers.ts'

const AUTHORING = new URL('../../../tasks/engines/plugin/authoring.ts', import.meta.url).href

// Files of operators are anywhere, so that what they import is found for them.
registerHooks({
  resolve: (specifier, context, next) =>
    specifier === 'coinop/plugin' ? { url: AUTHORING, shortCircuit: true } : next(specifier, context),
})

interface LoadedModule extends Record<string, unknown> {
  input: TSchema
  output: TSchema
  run(input: unknown): Promise<Outcome<unknown>> | Outcome<unknown>
}

/** What is called first in a process, so that its code is compiled. */
export async function version(): Promise<string> {
  return process.versions.node
}

let hasDescribed = false

/** A process that has loaded one plugin to describe it loads no other. */
export function reuse(): 'anyone' | 'nobody' {
  return hasDescribed ? 'nobody' : 'anyone'
}

/** Reads what a module or the manifest of a program declares. Throws PLUGIN_INVALID. */
export async function describe(_files: string[], { path }: { path: string }): Promise<PluginDeclaration> {
  hasDescribed = true
  const declaration = path.endsWith('.json') ? readManifest(await readJson(path)) : await describeModule(path)
  checkSchemas(declaration)
  return declaration
}

async function readJson(path: string): Promise<unknown> {
  try {
    return JSON.parse(await readFile(path, 'utf8'))
  } catch (error) {
    throw invalid(`it is no JSON: ${(error as Error).message}`)
  }
}

async function describeModule(path: string): Promise<PluginDeclaration> {
  const { run: _run, ...declared } = await loadModule(path)
  return readDeclaration(JSON.parse(JSON.stringify(declared)))
}

async function loadModule(path: string): Promise<LoadedModule> {
  const module = await importModule(path)
  const declared = module.default as Partial<LoadedModule> | undefined
  if (typeof declared !== 'object' || declared === null || typeof declared.run !== 'function')
    throw invalid('it must default-export operation({ ... }) with a function run')
  return declared as LoadedModule
}

async function importModule(path: string): Promise<{ default?: unknown }> {
  try {
    return (await import(pathToFileURL(path).href)) as { default?: unknown }
  } catch (error) {
    throw error instanceof Problem ? error : invalid(`it cannot be loaded: ${describeError(error, path)}`)
  }
}

function describeError(error: unknown, path: string): string {
  const { name, message } = error instanceof Error ? error : { name: 'Error', message: String(error) }
  return `${name}: ${toLine(message).replaceAll(path, `plugin${extname(path)}`)}`
}

const SAMPLE = /^sample:([\w.-]+)$/
const SAMPLES = new URL('../../../tasks/samples/', import.meta.url)
const JSON_OPTIONS = { strict: false, useDefaults: true, discriminator: true, validateFormats: false, logger: false }

/** Both schemas must be schemas, and each example a call that they allow. */
function checkSchemas(declaration: PluginDeclaration): void {
  for (const field of ['input', 'output'] as const) {
    if (JSON.stringify(declaration[field]).includes('"$ref"')) throw invalid(`${field} must be one schema without $ref`)
    compile(field, declaration[field])
  }
  const { input } = buildPluginOperation('', declaration)
  const accepts = compile('input', input)
  for (const { title, input: example } of declaration.examples) {
    if (accepts(replaceSamples(structuredClone(example)))) continue
    const { instancePath, message, params } = accepts.errors![0]!
    const { additionalProperty = '' } = params as { additionalProperty?: string }
    const place = ['input', ...instancePath.split('/').slice(1)].join('.')
    throw invalid(`the example "${title}" does not fit: ${place} ${message} ${additionalProperty}`)
  }
}

function compile(field: string, schema: TSchema) {
  try {
    return new Ajv2020(JSON_OPTIONS as object).compile(schema)
  } catch (error) {
    throw invalid(`${field} is no JSON schema: ${(error as Error).message}`)
  }
}

function replaceSamples(value: unknown): unknown {
  if (typeof value === 'string') return readSample(value)
  if (Array.isArray(value)) return value.map(replaceSamples)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([name, field]) => [name, replaceSamples(field)]))
}

/** A file among the arguments of a run: the one of this number that was lent. */
export interface LentFile extends Omit<PlainFile, 'path'> {
  lent: number
}

export interface ModuleOutcome extends Outcome<Record<string, unknown>> {
  /** Where the result has files, in the order of `spilledFiles`. */
  places: { path: readonly (string | number)[]; contentType: string; name: string }[]
  spilledFiles: string[]
}

/** Runs a module. The files that it returns are written to the folder of this process. */
export async function run(files: string[], { path, input }: { path: string; input: unknown }): Promise<ModuleOutcome> {
  const plugin = await loadModule(path)
  const ready = await mapFiles(plugin.input, input, file => {
    const { lent, ...plain } = file as unknown as LentFile
    return { ...plain, path: `${process.cwd()}/${files[lent]}` }
  })
  const outcome = await plugin.run(await addFileReaders(plugin.input, ready))
  return spillOutputs(plugin.output, outcome)
}

async function spillOutputs(schema: TSchema, outcome: Outcome<unknown>): Promise<ModuleOutcome> {
  if (typeof outcome?.result !== 'object' || outcome.result === null) throw new Error('run returned no { result }')
  const marked = findMarkedValues(OUTPUT_RULE, schema, outcome.result)
  const places: ModuleOutcome['places'] = []
  let result: unknown = outcome.result
  for (const [index, { path, value }] of marked.entries()) {
    const { bytes, contentType, name } = value as OutputFile
    if (!(bytes instanceof Uint8Array)) throw new Error(`${path.join('.')} has no bytes`)
    await writeFile(`output-${index}`, bytes)
    places.push({ path, contentType: String(contentType), name: String(name) })
    result = replaceAt(result, path, null)
  }
  const { units, warnings } = outcome
  const plain = JSON.parse(JSON.stringify({ result, units, warnings })) as Outcome<Record<string, unknown>>
  return { ...plain, places, spilledFiles: places.map((_, index) => `output-${index}`) }
}

/** A text, or the file that it stands for. */
function readSample(text: string): unknown {
  if (!text.startsWith('sample:')) return text
  const [, name] = SAMPLE.exec(text) ?? []
  if (name === undefined || !existsSync(new URL(name, SAMPLES)))
    throw invalid(`an example names ${text}, which is no file of ours`)
  return { inline: '' }
}
