import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileTypeFromBuffer } from 'file-type'
import type { TSchema } from 'typebox'
import { afterAll, describe, expect, test } from 'vitest'
import { type Example, LANES, type Lane, mapFiles, mapOutputs, type OutputFile } from '#kit'
import { openPools } from '../pools/index.ts'
import type { PlainFile } from '../pools/ready-input.ts'
import { loadOperations, type NamedOperation } from '../tasks/index.ts'
import { freshFolder } from './support/folder.ts'
import { faultsOf, stagedInput } from './support/operations.ts'

const LIMIT_SECONDS = 60
const SIGNAL = new AbortController().signal

const home = await freshFolder()
const lanes = Object.fromEntries(LANES.map(lane => [lane, 2])) as Record<Lane, number>
const silent = { info: () => undefined, warn: () => undefined, error: () => undefined }
const pools = await openPools({
  workRoot: join(home.path, 'work'),
  lanes,
  sandbox: 'auto',
  production: false,
  log: silent,
})
const missing = new Set((await pools.tools()).filter(({ ok }) => !ok).map(({ name }) => name))

afterAll(async () => {
  await pools.close()
  await home[Symbol.asyncDispose]()
})

describe.each((await loadOperations()).map(operation => [operation.name, operation] as const))('%s', (_, operation) => {
  test
    .skipIf(operation.uses.some(tool => missing.has(tool)))
    .each(operation.examples.map(example => [example.title, example] as const))(
    'answers its example: %s',
    async (_, example) => {
      const answer = await answerOf(operation, example)
      expect(faultsOf(closed(operation.output), answer)).toEqual([])
      if (example.answer) expect(answer).toMatchObject(example.answer)
    },
  )
})

async function answerOf(operation: NamedOperation, { title, input }: Example): Promise<unknown> {
  const jobId = `${operation.name} ${title}`.replace(/\W+/g, '-')
  const folder = await pools.openFolder(jobId)
  try {
    const ready = await probed(operation, await stagedInput(operation, input, folder), folder)
    const job = { jobId, operation: operation.name, input: ready, folder, signal: SIGNAL, limitSeconds: LIMIT_SECONDS }
    const done = await pools.run(job)
    if (!done.ok) throw new Error(complaint(operation, done.problem))
    const { result, warnings } = done.outcome
    const answer = (await mapOutputs(operation.output, result, (file, { rule, index }) =>
      checkedFile(file as OutputFile, rule, index),
    )) as object
    return warnings?.length ? { ...answer, warnings } : answer
  } finally {
    await pools.closeFolder(jobId)
  }
}

/** Gives each file the facts that the worker would find before the run. */
function probed(operation: NamedOperation, input: unknown, folder: string): Promise<unknown> {
  return mapFiles(operation.input, input, async (value, { rule }) => {
    const file = value as PlainFile
    if (!rule.probe) return file
    const [facts] = await pools.probe([{ ...file, probe: rule.probe }], folder, SIGNAL)
    return { ...file, facts }
  })
}

function complaint({ name, errors }: NamedOperation, { code, hints }: { code: string; hints: object }): string {
  const isDeclared = (errors as readonly string[]).includes(code)
  return `${name} answers ${code} ${JSON.stringify(hints)}${isDeclared ? '' : ', which it does not even declare'}`
}

/** Looks into an output file, and puts in its place what a caller would get of it. */
async function checkedFile(
  file: OutputFile,
  { contentTypes }: { contentTypes: readonly string[] },
  index: number | undefined,
): Promise<object> {
  const { path, bytes, contentType, name, ...facts } = file
  const content = bytes ?? (await readFile(path!))
  const shown = (await fileTypeFromBuffer(content))?.mime
  expect(content.length).toBeGreaterThan(0)
  expect(name).toMatch(/^[^/]+$/)
  expect(contentTypes.includes('*/*') ? contentType : contentTypes).toContain(contentType)
  if (shown) expect(contentType).toBe(shown)
  const place = index === undefined ? {} : { index }
  return {
    ...place,
    ...facts,
    outputKey: 'key',
    outputUrl: 'http://127.0.0.1/key',
    sizeBytes: content.length,
    contentType,
  }
}

/** A schema that also refuses what it does not name, so that no answer says more than its declaration. */
function closed(schema: TSchema): TSchema {
  const { properties, items, anyOf, oneOf } = schema as TSchema & Record<string, unknown>
  const strict: Record<string, unknown> = { ...schema }
  if (properties) {
    strict.properties = Object.fromEntries(
      Object.entries(properties).map(([name, field]) => [name, closed(field as TSchema)]),
    )
    strict.additionalProperties ??= false
  }
  if (items) strict.items = closed(items as TSchema)
  if (anyOf) strict.anyOf = (anyOf as TSchema[]).map(closed)
  if (oneOf) strict.oneOf = (oneOf as TSchema[]).map(closed)
  return strict as TSchema
}
