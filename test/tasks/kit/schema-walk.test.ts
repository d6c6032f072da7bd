import { Type } from 'typebox'
import { expect, test } from 'vitest'
import { alternativesOf, childSchemas, fieldEntries, mapChildSchemas, requiredFromCaller, type SchemaNode } from '#kit'

const text = { type: 'string' }
const number = { type: 'number' }

test.each([
  ['the fields of an object', { properties: { a: text, b: number } }, [text, number]],
  ['the items of a list', { items: text }, [text]],
  ['the values of a record', { additionalProperties: text }, [text]],
  ['the alternatives of a union', { oneOf: [text], anyOf: [number] }, [text, number]],
  ['the parts of a tuple', { prefixItems: [text, number] }, [text, number]],
  ['nothing of a closed object', { additionalProperties: false }, []],
  ['nothing of a scalar', { type: 'string', enum: ['items'], default: { properties: 1 } }, []],
])('lists %s', (_, schema, children) => {
  expect(childSchemas(schema)).toEqual(children)
})

test('changes a schema through all its levels, and leaves the original alone', () => {
  const schema = Type.Object({
    list: Type.Array(Type.Object({ a: Type.String() })),
    either: Type.Union([Type.String(), Type.Record(Type.String(), Type.Integer())]),
  })
  const before = structuredClone(schema)
  const typesSeen: (string | undefined)[] = []
  const describe = (node: SchemaNode): SchemaNode => {
    typesSeen.push(node.type)
    return { ...mapChildSchemas(node, describe), title: node.type } as SchemaNode
  }
  expect(describe(schema)).toMatchObject({
    title: 'object',
    required: ['list', 'either'],
    properties: {
      list: { title: 'array', items: { title: 'object', properties: { a: { title: 'string' } } } },
      either: { anyOf: [{ title: 'string' }, { patternProperties: { '^.*$': { title: 'integer' } } }] },
    },
  })
  expect(typesSeen).toHaveLength(8)
  expect(schema).toEqual(before)
})

test('lists alternatives, and fields with those of every alternative', () => {
  const union = { properties: { kind: text }, oneOf: [{ properties: { a: text } }, { properties: { a: number } }] }
  expect(alternativesOf(union)).toHaveLength(2)
  expect(alternativesOf(Type.String())).toEqual([])
  expect(fieldEntries(union)).toEqual([
    ['kind', text],
    ['a', text],
    ['a', number],
  ])
})

test('requires of a caller only what has no default', () => {
  const schema = Type.Object({ a: Type.String(), b: Type.String({ default: '' }), c: Type.Optional(Type.String()) })
  expect(requiredFromCaller(schema)).toEqual(['a'])
  expect(requiredFromCaller({ type: 'string' })).toEqual([])
})
