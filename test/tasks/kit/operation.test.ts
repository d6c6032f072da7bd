import { Type } from 'typebox'
import { describe, expect, test } from 'vitest'
import { Choice, define, exactlyOne, FileInput, FileManifest, FileOutput, isFileProducing, perCall, Secret } from '#kit'
import { listSchemaErrors } from '../../support/operations/run.ts'

const plain = Type.Object({ text: Type.Optional(Type.String()) })
const declared = (
  input: Parameters<typeof define>[0]['input'],
  output: Parameters<typeof define>[0]['output'] = plain,
) =>
  define({
    summary: 'For a test.',
    price: perCall('0.001'),
    uses: [],
    input,
    output,
    errors: [],
    examples: [],
    run: () => ({ result: {} }),
  })

describe('a declaration rejects fields that it does not name', () => {
  const { input } = declared(
    Type.Object({
      list: Type.Optional(Type.Array(Type.Object({ a: Type.Optional(Type.String()) }))),
      either: Type.Optional(Type.Union([Type.Object({ b: Type.String() }), Type.String()])),
      file: Type.Optional(FileInput()),
      open: Type.Optional(Type.Object({ c: Type.Optional(Type.String()) }, { additionalProperties: true })),
      record: Type.Optional(Type.Record(Type.String(), Type.Number())),
    }),
  )

  test.each([
    [{ unknown: 1 }, false],
    [{ list: [{ a: 'x' }] }, true],
    [{ list: [{ a: 'x', z: 1 }] }, false],
    [{ either: { b: 'x' } }, true],
    [{ either: { b: 'x', z: 1 } }, false],
    [{ file: { text: 'x' } }, true],
    [{ file: { text: 'x', z: 1 } }, false],
    [{ open: { z: 1 } }, true],
    [{ record: { any: 1 } }, true],
    [{ record: { any: 'x' } }, false],
    [{ async: true, dryRun: false }, true],
    [{ filename: 'x' }, false],
  ])('%j', (body, isTaken) => {
    expect(listSchemaErrors(input, body).length === 0).toBe(isTaken)
  })
})

test('every alternative of a union is closed and accepts the options of a call', () => {
  const one = Type.Object({ action: Type.Literal('one'), at: Type.Integer({ default: 3 }) })
  const two = Type.Object({ action: Type.Literal('two') })
  const { input } = declared(
    Type.Unsafe({ type: 'object', oneOf: [one, two], discriminator: { propertyName: 'action' }, required: ['action'] }),
  )
  const body: Record<string, unknown> = { action: 'one', async: true }
  expect(listSchemaErrors(input, body)).toEqual([])
  expect(listSchemaErrors(input, { action: 'two', at: 1 })).not.toEqual([])
})

test.each([
  [Type.Object({ output: FileOutput('text/plain') }), true],
  [Type.Object({ files: FileManifest('text/plain') }), true],
  [Type.Union([Type.Object({ text: Type.String() }), Type.Object({ output: FileOutput('text/plain') })]), true],
  [plain, false],
])('recognises an operation that produces files, and accepts options for them: %#', (output, isMaking) => {
  expect(isFileProducing(output)).toBe(isMaking)
  const body = { filename: 'a.txt', inlineOutput: 'never' }
  expect(listSchemaErrors(declared(Type.Object({}), output).input, body).length === 0).toBe(isMaking)
})

test('fills in defaults, checks choices and marks secrets', () => {
  const { input } = declared(Type.Object({ mode: Choice(['a', 'b'], { default: 'b' }), key: Type.Optional(Secret()) }))
  const body: Record<string, unknown> = {}
  expect(listSchemaErrors(input, body)).toEqual([])
  expect(body).toEqual({ mode: 'b' })
  expect(listSchemaErrors(input, { mode: 'c' })).not.toEqual([])
  expect(Secret({ minLength: 3 })).toMatchObject({ type: 'string', minLength: 3, 'x-secret': true })
})

test('requires exactly one of several fields', () => {
  const names = ['text', 'file', 'rows'] as const
  expect(exactlyOne({ file: 0 }, names)).toBe('file')
  expect(exactlyOne({ text: '', file: undefined }, names)).toBe('text')
  expect(() => exactlyOne({}, names)).toThrow(
    expect.objectContaining({ code: 'MISSING_FIELD', hints: { field: 'text', oneOf: names } }),
  )
  expect(() => exactlyOne({ text: 'a', rows: [] }, names)).toThrow(
    expect.objectContaining({ code: 'CONFLICTING_OPTIONS', hints: { fields: ['text', 'rows'] } }),
  )
})
