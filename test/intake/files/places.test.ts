import { Type } from 'typebox'
import { describe, expect, test } from 'vitest'
import { FILE_RULE, FileInput, FileManifest, FileOutput, findMarkedValues, mapFiles, mapOutputs } from '#kit'

const mapToFields = async (schema: Parameters<typeof mapFiles>[0], value: unknown) =>
  mapFiles(schema, value, (_source, { field, index }) => (index === undefined ? field : `${field}#${index}`))

describe('the files of a value', () => {
  test('are found at the top level, in lists and in objects', async () => {
    const schema = Type.Object({
      file: FileInput(),
      files: Type.Array(FileInput()),
      stamp: Type.Optional(Type.Object({ image: FileInput(), at: Type.Number() })),
    })
    const value = {
      file: { inline: 'a' },
      files: [{ inline: 'b' }, { inline: 'c' }],
      stamp: { image: { text: 'd' }, at: 1 },
    }
    expect(await mapToFields(schema, value)).toEqual({
      file: 'file',
      files: ['files.0#0', 'files.1#1'],
      stamp: { image: 'stamp.image', at: 1 },
    })
    expect(value.file).toEqual({ inline: 'a' })
  })

  test('are found in the alternative that the value matches', async () => {
    const remove = Type.Object({ action: Type.Literal('delete'), file: FileInput(), insert: Type.String() })
    const insert = Type.Object({ action: Type.Literal('insert'), file: FileInput(), insert: FileInput() })
    const schema = Type.Unsafe({ oneOf: [remove, insert] })
    expect(await mapToFields(schema, { action: 'insert', file: {}, insert: {} })).toMatchObject({
      file: 'file',
      insert: 'insert',
    })
    expect(await mapToFields(schema, { action: 'delete', file: {}, insert: 'x' })).toMatchObject({
      file: 'file',
      insert: 'x',
    })
  })

  test('are found in a field that is a file or something else', async () => {
    const schema = Type.Object({ image: Type.Union([Type.String(), FileInput()]) })
    expect(await mapToFields(schema, { image: { inline: 'a' } })).toEqual({ image: 'image' })
    expect(await mapToFields(schema, { image: 'none' })).toEqual({ image: 'none' })
  })

  test('are not searched in a schema that has none', async () => {
    const schema = Type.Object({ rows: Type.Array(Type.Object({ file: Type.String() })) })
    const value = { rows: [{ file: 'x' }] }
    expect(await mapToFields(schema, value)).toBe(value)
    expect(findMarkedValues(FILE_RULE, schema, value)).toEqual([])
  })

  test('are visited one by one in a manifest', async () => {
    const schema = Type.Object({
      files: FileManifest('application/pdf'),
      output: Type.Optional(FileOutput('text/plain')),
    })
    const mapped = await mapOutputs(schema, { files: [{ name: 'a' }, { name: 'b' }] }, (_part, { index }) => index)
    expect(mapped).toEqual({ files: [0, 1] })
  })
})
