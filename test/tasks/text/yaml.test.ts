import { createRequire } from 'node:module'
import { describe, expect, test } from 'vitest'
import { computePrice, runOperation } from '../../support/operations/run.ts'

/** The reader of another project, which a dependency brings along. */
const { dump, load } = createRequire(createRequire(import.meta.url).resolve('cosmiconfig'))('js-yaml') as {
  dump(value: unknown): string
  load(text: string): unknown
}

const run = (body: Record<string, unknown>) => runOperation('text.yaml', body)
const toJson = async (text: string) => JSON.parse((await run({ text })).text as string) as unknown
const toYaml = async (value: unknown) => (await run({ text: JSON.stringify(value), to: 'yaml' })).text as string

test.each([
  ['a map', 'name: Ada\nage: 36\ntags: [a, b]\n', { name: 'Ada', age: 36, tags: ['a', 'b'] }],
  [
    'texts that other versions read as something else',
    'on: yes\nhour: 12:30\nold: 0o17\n',
    { on: 'yes', hour: '12:30', old: 15 },
  ],
  ['a merge key', 'a: &a {x: 1, y: 2}\nb: {<<: *a, y: 3}\n', { a: { x: 1, y: 2 }, b: { x: 1, y: 3 } }],
  ['texts over several lines', 'a: |\n  one\n  two\nb: >-\n  one\n  two\n', { a: 'one\ntwo\n', b: 'one two' }],
  ['nothing and booleans', 'a: ~\nb:\nc: true\nd: "true"\n', { a: null, b: null, c: true, d: 'true' }],
  ['letters of any script', 'größe: "\\u00e9 日本 😀"\n', { größe: 'é 日本 😀' }],
  ['keys that are no texts', '1: one\ntrue: yes\n1.50: x\n', { 1: 'one', true: 'yes', 1.5: 'x' }],
  ['a tab in a JSON text', '{"a":\t1}', { a: 1 }],
  ['lines that end as on Windows', 'a: 1\r\nb:\r\n  - 2\r\n', { a: 1, b: [2] }],
  ['a byte order mark', '\uFEFFa: 1\n', { a: 1 }],
  ['bytes', 'a: !!binary SGVsbG8=\n', { a: 'SGVsbG8=' }],
  ['a single text', 'hello\n', 'hello'],
])('reads %s', async (_, text, value) => {
  expect(await toJson(text)).toEqual(value)
})

test('keeps all digits of numbers', async () => {
  const text =
    'id: 9007199254740993\nprice: 0.10\nlong: 0.12345678901234567890\nhex: 0xff\nplus: +5\npoint: .5\nlarge: 1e400\n'
  const answer = await run({ text, indent: 1 })
  expect(answer.text).toBe(
    '{\n "id": 9007199254740993,\n "price": 0.10,\n "long": 0.12345678901234567890,\n "hex": 255,\n "plus": 5,\n "point": 0.5,\n "large": 1e400\n}',
  )
  const { text: special, warnings } = await run({ text: 'a: .inf\nb: .nan\n' })
  expect(JSON.parse(special as string)).toEqual({ a: null, b: null })
  expect(warnings).toMatchObject([{ code: 'NOT_A_NUMBER' }, { code: 'NOT_A_NUMBER' }])
})

test('returns several documents as an array, and names tags that JSON cannot hold', async () => {
  const { text, documents } = await run({ text: '---\na: 1\n---\nb: 2\n...\n' })
  expect([JSON.parse(text as string), documents]).toEqual([[{ a: 1 }, { b: 2 }], 2])
  const tagged = await run({ text: 'Key: !Ref Bucket\nOther: !Ref Other\n' })
  expect(JSON.parse(tagged.text as string)).toEqual({ Key: 'Bucket', Other: 'Other' })
  expect(tagged.warnings).toEqual([{ code: 'TAG_DROPPED', message: 'Unresolved tag: !Ref.' }])
})

test('warns of values that older readers take for something else, by their lines', async () => {
  const { text, warnings } = await run({ text: 'a: 1\nanswer: yes\nflag: true\n' })
  expect(JSON.parse(text as string)).toEqual({ a: 1, answer: 'yes', flag: true })
  expect(warnings).toEqual([{ code: 'VALUE_AMBIGUOUS', message: 'Line 2: read as str; YAML 1.1 reads it as bool.' }])
  const many = await run({ text: Array.from({ length: 1_000 }, (_, n) => `k${n}: no\n`).join('') })
  expect(many.warnings).toEqual([
    { code: 'VALUE_AMBIGUOUS', message: 'Line 1 and 999 more: read as str; YAML 1.1 reads it as bool.' },
  ])
})

describe('writes YAML that another reader understands', () => {
  test.each([
    [
      {
        on: 'yes',
        no: 'off',
        version: '1.10',
        date: '2026-11-28',
        empty: '',
        tilde: '~',
        hex: '0x1F',
        time: '12:30:45',
      },
    ],
    [[1, -0.5, 1e21, null, true, [], {}, [[1]]]],
    [{ text: 'one\ntwo\n', colon: 'a: b', dash: '- a', hash: 'a # b', quote: '"\'', tab: 'a\tb', end: 'a\n\n' }],
    [{ 'key: odd': { '': 1, '#': 2 }, __proto: 3 }],
    ['a text'],
  ])('%j', async value => {
    const text = await toYaml(value)
    expect(load(text)).toEqual(value)
    expect(await toJson(text)).toEqual(value)
    expect(await toJson(dump(value))).toEqual(value)
  })

  test('with the digits of large numbers', async () => {
    const { text } = await run({ text: '{"id":9007199254740993}', to: 'yaml' })
    expect(text).toBe('id: 9007199254740993\n')
  })
})

test('formats YAML and keeps its comments', async () => {
  const { text } = await run({ text: '# top\na:   1 # one\nb:\n    - 2\n    -   3\n', to: 'yaml' })
  expect(text).toBe('# top\na: 1 # one\nb:\n  - 2\n  - 3\n')
})

test('loses no digits and no sign when it writes YAML', async () => {
  const { text } = await run({ text: '{"a":1E400,"b":-0,"c":0.12345678901234567890,"d":1.50}', to: 'yaml' })
  expect(text).toBe('a: 1E400\nb: -0\nc: 0.12345678901234567890\nd: 1.50\n')
  expect((await run({ text: 'a: -0\nb: !!float -0\n', indent: 1 })).text).toBe('{\n "a": -0,\n "b": -0\n}')
})

test.each([
  ['!!set {a, b}', '["a","b"]'],
  ['!!set {12345678901234567890, 0.10, [x]}', '[12345678901234567890,0.10,["x"]]'],
  ['!!omap [a: 1, b: {c: 0.10}]', '{"a":1,"b":{"c":0.10}}'],
  ['!!pairs [a: 1, a: 2]', '[{"a":1},{"a":2}]'],
  ['!!float 3', '3'],
])('reads the tag of %s', async (text, json) => {
  const answer = await run({ text })
  expect((answer.text as string).replace(/\s/g, '')).toBe(json)
  expect(answer.warnings).toBeUndefined()
})

test.each([
  ['? {a: 1}\n: 2\n', 1],
  ['x: y\n&k {a: 1}: x\n', 2],
  ['{? {a: 1} : 2}', 1],
  ['a: &x [1]\n? *x\n: 2\n', 2],
  ['a: &a\n  b: *a\n', 2],
  ['&a [*a]', 1],
  ['a: &a\n  <<: *a\n', 2],
])('refuses what JSON cannot hold: %j', async (text, line) => {
  await expect(run({ text })).rejects.toMatchObject({ code: 'YAML_INVALID', hints: { line } })
  expect((await run({ text, to: 'yaml' })).documents).toBe(1)
})

test('reads an anchor that is given again within its value', async () => {
  expect(await toJson('&a [&a x, *a]')).toEqual(['x', 'x'])
})

test.each(['json', 'yaml'])('names the line of an alias without an anchor, to %s', async to => {
  const code = 'YAML_INVALID'
  await expect(run({ text: 'a: *nope', to })).rejects.toMatchObject({ code, hints: { line: 1 } })
  await expect(run({ text: 'a: 1\n? *x\n: 1', to })).rejects.toMatchObject({ code, hints: { line: 2 } })
})

const LAUGHS = [
  'a: &a [x,x,x,x,x,x,x,x,x]',
  ...'bcdefgh'.split('').map((name, at) => {
    const before = 'abcdefgh'[at]!
    return `${name}: &${name} [${`*${before},`.repeat(9)}]`
  }),
].join('\n')

test.each([
  ['a key that stands twice', 'a: 1\na: 2\n', { line: 2, column: 1 }],
  ['an indentation that does not fit', 'a:\n  b: 1\n c: 2\n', { line: 3 }],
  ['an open text', 'a: "x\n', {}],
  ['a tab as indentation', 'a:\n\tb: 1\n', { line: 2 }],
  ['an alias without an anchor', 'a: *b\n', {}],
  ['a bomb of aliases', LAUGHS, {}],
  ['deep nesting', '['.repeat(20_000), {}],
  ['no text', '', {}],
  ['nothing but a comment', '# nothing\n', {}],
])('refuses %s', async (_, text, hints) => {
  await expect(run({ text })).rejects.toMatchObject({ code: 'YAML_INVALID', hints })
})

test('costs what its size says', async () => {
  expect(await computePrice('text.yaml', { text: 'a: 1' })).toBe(1000n)
})
