import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileTypeFromBuffer } from 'file-type'
import type { TSchema } from 'typebox'
import { afterAll, describe, expect, test } from 'vitest'
import { type Example, LANES, type Lane, mapFiles, mapOutputs, type OutputFile } from '#kit'
import type { PlainFile } from '../pools/file-readers.ts'
import { openPools } from '../pools/index.ts'
import { loadOperations, type NamedOperation } from '../tasks/index.ts'
import { freshFolder } from './support/machine/folder.ts'
import { listSchemaErrors, stageInput } from './support/operations/run.ts'

const LIMIT_SECONDS = 60
const SIGNAL = new AbortController().signal

const folder = await freshFolder()
const lanes = Object.fromEntries(LANES.map(lane => [lane, 2])) as Record<Lane, number>
const silentLog = { info: () => undefined, warn: () => undefined, error: () => undefined }
const pools = await openPools({
  workRoot: join(folder.path, 'work'),
  lanes,
  sandbox: 'auto',
  production: false,
  log: silentLog,
})
const missingTools = new Set((await pools.tools()).filter(({ ok }) => !ok).map(({ name }) => name))

afterAll(async () => {
  await pools.close()
  await folder[Symbol.asyncDispose]()
})

describe.each((await loadOperations()).map(operation => [operation.name, operation] as const))('%s', (_, operation) => {
  test
    .skipIf(operation.uses.some(tool => missingTools.has(tool)))
    .each(operation.examples.map(example => [example.title, example] as const))(
    'runs its example: %s',
    async (_, example) => {
      const answer = await runExample(operation, example)
      expect(listSchemaErrors(forbidUnknownFields(operation.output), answer)).toEqual([])
      if (example.answer) expect(answer).toMatchObject(example.answer)
    },
  )
})

async function runExample(operation: NamedOperation, { title, input }: Example): Promise<unknown> {
  const jobId = `${operation.name} ${title}`.replace(/\W+/g, '-')
  const folder = await pools.openFolder(jobId)
  try {
    const jobInput = await addFacts(operation, await stageInput(operation, input, folder), folder)
    const job = {
      jobId,
      operation: operation.name,
      input: jobInput,
      folder,
      signal: SIGNAL,
      limitSeconds: LIMIT_SECONDS,
    }
    const outcome = await pools.run(job)
    if (!outcome.ok) throw new Error(describeProblem(operation, outcome.problem))
    const { result, warnings } = outcome.outcome
    const answer = (await mapOutputs(operation.output, result, (file, { rule, index }) =>
      checkFile(file as OutputFile, rule, index),
    )) as object
    return warnings?.length ? { ...answer, warnings } : answer
  } finally {
    await pools.closeFolder(jobId)
  }
}

/** Adds to each file the facts that the worker finds before the run. */
function addFacts(operation: NamedOperation, input: unknown, folder: string): Promise<unknown> {
  return mapFiles(operation.input, input, async (value, { rule }) => {
    const file = value as PlainFile
    if (!rule.probe) return file
    const [facts] = await pools.probe([{ ...file, probe: rule.probe }], folder, SIGNAL)
    return { ...file, facts }
  })
}

function describeProblem({ name, errors }: NamedOperation, { code, hints }: { code: string; hints: object }): string {
  const isDeclared = (errors as readonly string[]).includes(code)
  return `${name} returns ${code} ${JSON.stringify(hints)}${isDeclared ? '' : ', which it does not declare'}`
}

/** Checks an output file, and returns what a caller gets in its place. */
async function checkFile(
  file: OutputFile,
  { contentTypes }: { contentTypes: readonly string[] },
  index: number | undefined,
): Promise<object> {
  const { path, bytes, contentType, name, ...facts } = file
  const content = bytes ?? (await readFile(path!))
  const detected = (await fileTypeFromBuffer(content))?.mime
  expect(content.length).toBeGreaterThan(0)
  expect(name).toMatch(/^[^/]+$/)
  expect(contentTypes.includes('*/*') ? contentType : contentTypes).toContain(contentType)
  if (detected) expect(contentType).toBe(detected)
  const indexField = index === undefined ? {} : { index }
  return {
    ...indexField,
    ...facts,
    outputKey: 'key',
    outputUrl: 'http://127.0.0.1/key',
    sizeBytes: content.length,
    contentType,
  }
}

/** Makes the schema refuse unknown fields, so that no answer has more fields than declared. */
function forbidUnknownFields(schema: TSchema): TSchema {
  const { properties, items, anyOf, oneOf } = schema as TSchema & Record<string, unknown>
  const strict: Record<string, unknown> = { ...schema }
  if (properties) {
    strict.properties = Object.fromEntries(
      Object.entries(properties).map(([name, field]) => [name, forbidUnknownFields(field as TSchema)]),
    )
    strict.additionalProperties ??= false
  }
  if (items) strict.items = forbidUnknownFields(items as TSchema)
  if (anyOf) strict.anyOf = (anyOf as TSchema[]).map(forbidUnknownFields)
  if (oneOf) strict.oneOf = (oneOf as TSchema[]).map(forbidUnknownFields)
  return strict as TSchema
}
