import { fileTypeFromBuffer } from 'file-type'
import type { TSchema } from 'typebox'
import { expect } from 'vitest'
import { type Example, mapOutputs } from '#kit'
import type { NamedOperation } from '../../../tasks/index.ts'
import { listSchemaErrors } from './run.ts'

/** A file in an answer, as a caller sees it. */
interface AnsweredFile {
  outputKey: string
  outputUrl: string
  inline?: string
  sizeBytes: number
  contentType: string
}

/** Fields that any answer may have beside those of its operation. */
const SHARED_FIELDS = ['warnings']

/** Compares the answer of an example with its declaration: no field that is not declared, files of a declared type. */
export async function checkExampleAnswer(
  operation: NamedOperation,
  { answer: expected }: Example,
  body: object,
  readFile: (url: string) => Promise<Uint8Array>,
): Promise<void> {
  const fields = Object.entries(body).filter(([name]) => !SHARED_FIELDS.includes(name))
  const answer = Object.fromEntries(fields)
  await mapOutputs(operation.output, answer, async (file, { rule }) => {
    await checkFile(file as AnsweredFile, rule.contentTypes, readFile)
    return file
  })
  expect(listSchemaErrors(forbidUnknownFields(operation.output), answer)).toEqual([])
  if (expected) expect(body).toMatchObject(expected)
}

async function checkFile(
  { inline, outputUrl, sizeBytes, contentType }: AnsweredFile,
  allowed: readonly string[],
  readFile: (url: string) => Promise<Uint8Array>,
): Promise<void> {
  const content = inline === undefined ? await readFile(outputUrl) : Buffer.from(inline, 'base64')
  expect(sizeBytes).toBeGreaterThan(0)
  expect(content.length).toBe(sizeBytes)
  if (!allowed.includes('*/*')) expect(allowed).toContain(contentType)
  const detected = (await fileTypeFromBuffer(content))?.mime
  if (detected) expect(contentType).toBe(detected)
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
