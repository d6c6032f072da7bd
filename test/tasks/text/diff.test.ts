import { execFileSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { createJsonPatch } from '../../../tasks/text/diff/json.ts'
import { freshFolder } from '../../support/machine/folder.ts'
import { runOperation } from '../../support/operations/run.ts'

const diff = (a: string, b: string, options = {}) =>
  runOperation('text.diff', { a: { text: a }, b: { text: b }, ...options })

/** Applies a patch by the program of that name. */
async function patched(text: string, patch: string): Promise<string> {
  await using folder = await freshFolder()
  const [file, change] = [join(folder.path, 'file'), join(folder.path, 'change')]
  writeFileSync(file, text)
  writeFileSync(change, patch)
  if (patch !== '') execFileSync('patch', ['--binary', '-s', file, change])
  return readFileSync(file, 'utf8')
}

const LINES = fc.array(fc.constantFrom('a', 'b', 'c', '', 'dd', '-e', '+f', ' g', '--- x', '@@'), { maxLength: 30 })

test('writes patches that the program patch applies, for any change', async () => {
  await fc.assert(
    fc.asyncProperty(
      LINES,
      LINES,
      fc.boolean(),
      fc.integer({ min: 1, max: 4 }),
      async (left, right, hasEnd, context) => {
        const [a, b] = [left.join('\n') + (hasEnd ? '\n' : ''), `${right.join('\n')}\n`]
        const answer = await diff(a, b, { context })
        expect(await patched(a, answer.diff as string)).toBe(b)
      },
    ),
    { numRuns: 40 },
  )
})

test('marks a missing final line end', async () => {
  const { diff: text } = await diff('a\nb', 'a\nb\n')
  expect(text).toBe('--- a\n+++ b\n@@ -1,2 +1,2 @@\n a\n-b\n\\ No newline at end of file\n+b\n')
})

test('counts no carriage return alone as a line end', async () => {
  const [a, b] = ['p 1%\rdone\nnext\n', 'p 1%\rdone\nnew\n']
  const { diff: text } = await diff(a, b)
  expect(text).toBe('--- a\n+++ b\n@@ -1,2 +1,2 @@\n p 1%\rdone\n-next\n+new\n')
  expect(await patched(a, text as string)).toBe(b)
})

test('returns an empty diff for equal texts', async () => {
  expect(await diff('a\n', 'a\n')).toEqual({
    diff: '',
    stats: { added: 0, removed: 0, changed: 0, similarity: 1 },
  })
  expect((await diff('', '')).diff).toBe('')
})

test('ignores case and white space on request', async () => {
  expect((await diff('A  b\n', ' a b\n', { ignoreCase: true, ignoreWhitespace: true })).diff).toBe('')
  expect((await diff('a\r\n', 'a\n')).stats).toMatchObject({ changed: 1 })
  expect((await diff('a\r\n', 'a\n', { ignoreWhitespace: true })).diff).toBe('')
})

test.each([
  ['words', 'the red cat', 'the blue cat', ['the ', 'red', 'blue', ' cat']],
  ['chars', 'a👨‍👩‍👧c', 'abc', ['a', '👨‍👩‍👧', 'b', 'c']],
  ['sentences', 'One. Two. ', 'One. Three. ', ['One. ', 'Two. ', 'Three. ']],
])('compares by %s', async (granularity, a, b, values) => {
  const { ops } = await diff(a, b, { granularity })
  expect((ops as { value: string }[]).map(({ value }) => value)).toEqual(values)
})

test('marks changes in HTML and escapes the text', async () => {
  const { diff: html } = await diff('<b>', '<script>', { granularity: 'words', format: 'html' })
  expect(html).toContain('<ins>script</ins>')
  expect(html).not.toContain('<script>')
})

test('lays out both sides in columns', async () => {
  const { diff: text } = await diff('a\nb\nc\n', 'a\nB\nc\nd\n', { format: 'side-by-side' })
  expect(text).toBe('a   a\nb | B\nc   c\n  > d\n')
})

test('compares JSON by content, keeps every digit, and creates a patch', async () => {
  const answer = await diff('{"b":[1,2],"a":1.10}', '{"a":1.10,"b":[1,3],"c":12345678901234567890}', {
    granularity: 'json',
  })
  expect(answer.jsonPatch).toMatchObject([
    { op: 'replace', path: '/b/1', value: 3 },
    { op: 'add', path: '/c' },
  ])
  expect(answer.diff).toContain('+  "c": 12345678901234567890\n')
  expect((await diff('{"a":1,"b":2}', '{"b":2,"a":1}', { granularity: 'json' })).jsonPatch).toEqual([])
})

test.each([
  ['9007199254740993', 9007199254740992],
  ['0.10000000000000000001', 0.1],
  ['-1e999', -Number.MAX_VALUE],
])('answers a JSON patch with every digit of %s, which apply-patch takes', async (number, nearest) => {
  const [a, b] = ['{"n":1}', `{"n":${number}}`]
  const answer = structuredClone(await diff(a, b, { granularity: 'json' }))
  expect(answer.jsonPatch).toEqual([{ op: 'replace', path: '/n', value: nearest }])
  expect(answer.jsonPatchText).toBe(`[{"op":"replace","path":"/n","value":${number}}]`)
  expect(answer.diff).toContain(`+  "n": ${number}\n`)
  expect(answer.warnings).toMatchObject([{ code: 'NUMBER_ROUNDED' }])
  const patched = await runOperation('text.apply-patch', { text: a, jsonPatch: answer.jsonPatchText })
  expect(patched.text).toBe(b)
})

test('compares numbers of JSON by value', async () => {
  const [a, b] = ['{"a":1.0,"b":[1e2],"c":-0,"d":"1.0","e":1}', '{"a":1,"b":[100],"c":0.0,"d":"1","e":1.50}']
  const answer = structuredClone(await diff(a, b, { granularity: 'json' }))
  expect(answer.jsonPatch).toEqual([
    { op: 'replace', path: '/d', value: '1' },
    { op: 'replace', path: '/e', value: 1.5 },
  ])
  expect(answer.stats).toMatchObject({ added: 2, removed: 2 })
  expect(answer).not.toHaveProperty('jsonPatchText')
  const same = await diff('[1.0, 10e-1]', '[1,1]', { granularity: 'json' })
  expect(same).toMatchObject({ diff: '', jsonPatch: [], stats: { similarity: 1 } })
})

test('counts words without the white space between them', async () => {
  const { stats } = await diff('the cat', 'the cat and a dog', { granularity: 'words' })
  expect(stats).toMatchObject({ added: 3, removed: 0 })
  expect((await diff('a\n', 'a\n\n\n')).stats).toMatchObject({ added: 2 })
})

test('a JSON patch turns one document into the other', async () => {
  await fc.assert(
    fc.asyncProperty(fc.jsonValue({ maxDepth: 3 }), fc.jsonValue({ maxDepth: 3 }), async (from, to) => {
      const [a, b] = [JSON.parse(JSON.stringify(from)), JSON.parse(JSON.stringify(to))]
      const { text } = await runOperation('text.apply-patch', {
        text: JSON.stringify(a),
        jsonPatch: createJsonPatch(a, b),
      })
      expect(JSON.parse(text!)).toEqual(b)
    }),
    { numRuns: 60 },
  )
})

test('compares long texts that have nothing in common', async () => {
  const lines = (letter: string) => Array.from({ length: 50_000 }, (_, index) => `${letter}${index}\n`).join('')
  const { stats, output } = await diff(lines('a'), lines('b'))
  expect(stats).toMatchObject({ added: 50_000, removed: 50_000, similarity: 0 })
  expect(output).toBeUndefined()
})

test.each([
  [{ granularity: 'words', format: 'unified' }, 'CONFLICTING_OPTIONS'],
  [{ granularity: 'json' }, 'JSON_PARSE_FAILED'],
])('rejects %j', async (options, code) => {
  await expect(diff('{', '{', options)).rejects.toMatchObject({ code })
})

test('rejects JSON that is too deep', async () => {
  const deep = '['.repeat(100_000) + ']'.repeat(100_000)
  await expect(diff(deep, deep, { granularity: 'json' })).rejects.toMatchObject({ code: 'JSON_PARSE_FAILED' })
})
