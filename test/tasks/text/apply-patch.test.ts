import { execFileSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { freshFolder } from '../../support/machine/folder.ts'
import { runOperation } from '../../support/operations/run.ts'

const apply = (text: string, body: Record<string, unknown>) => runOperation('text.apply-patch', { text, ...body })
const TEXT = Array.from({ length: 20 }, (_, index) => `line ${index + 1}\n`).join('')

/** A patch as git writes it. */
async function gitDiff(a: string, b: string, options: string[] = []): Promise<string> {
  await using folder = await freshFolder()
  const files = ['a', 'b'].map(name => join(folder.path, name))
  writeFileSync(files[0]!, a)
  writeFileSync(files[1]!, b)
  try {
    return execFileSync('git', ['diff', '--no-index', ...options, ...files], { encoding: 'utf8' })
  } catch (error) {
    return (error as { stdout: string }).stdout
  }
}

const LINES = fc.array(fc.constantFrom('a', 'b', 'c', 'd', 'e', '', '-x', '+y', '\tz'), { maxLength: 25 })

test('applies and reverts any patch that git writes', async () => {
  const ends = fc.constantFrom('', '\n')
  await fc.assert(
    fc.asyncProperty(LINES, LINES, ends, ends, async (left, right, leftEnd, rightEnd) => {
      const [a, b] = [left.join('\n') + leftEnd, right.join('\n') + rightEnd]
      const patch = await gitDiff(a, b)
      if (patch === '') return
      const strict = { recountHunks: false, fuzz: 0 }
      expect((await apply(a, { patch, ...strict })).text).toBe(b)
      expect((await apply(b, { patch, reverse: true, ...strict })).text).toBe(a)
      expect((await apply(a, { patch })).text).toBe(b)
    }),
    { numRuns: 40 },
  )
})

const PLAIN_LINES = fc.array(fc.constantFrom('a', 'b', 'c', '', 'p\rq', 'r\r'), { maxLength: 15 })

test('applies and reverts what text.diff writes, with any context', async () => {
  const ends = fc.constantFrom('', '\n')
  const context = fc.integer({ min: 0, max: 3 })
  const strictness = fc.constantFrom({ fuzz: 0, recountHunks: false }, { fuzz: 0 })
  await fc.assert(
    fc.asyncProperty(
      fc.tuple(PLAIN_LINES, ends),
      fc.tuple(PLAIN_LINES, ends),
      context,
      strictness,
      async (left, right, context, options) => {
        const [a, b] = [left, right].map(([lines, end]) => lines.join('\n') + end) as [string, string]
        const { diff: patch } = await runOperation('text.diff', { a: { text: a }, b: { text: b }, context })
        if (patch === '') return
        const forward = await apply(a, { patch, ...options })
        expect(forward.text).toBe(b)
        const reverse = await apply(b, { patch, reverse: true, ...options })
        expect(reverse.text).toBe(a)
        for (const { offset, fuzz } of [forward, reverse].flatMap(({ hunks }) => hunks as Record<string, number>[]))
          expect([offset, fuzz]).toEqual([0, 0])
      },
    ),
    { numRuns: 300 },
  )
})

test.each([
  ['a removal that is undone', 'a\nb\nd\n', '@@ -3 +2,0 @@\n-c\n', true, 'a\nb\nc\nd\n'],
  ['an insertion at the start', 'a\nb\n', '@@ -0,0 +1 @@\n+x\n', false, 'x\na\nb\n'],
  ['an insertion that is undone among equal lines', 'x\na\nx\n', '@@ -2,0 +3 @@\n+x\n', true, 'x\na\n'],
])('takes a hunk without context by its line: %s', async (_, text, patch, reverse, result) => {
  const answer = await apply(text, { patch, reverse })
  expect(answer).toMatchObject({ text: result, applied: 1, hunks: [{ offset: 0, fuzz: 0 }] })
})

test.each(['@@ -0,0 +0,0 @@\n+x\n', '@@ @@\n+x\n', '--- /dev/null\n+++ b/x\n@@ -0,0 +1 @@\n+x\n'])(
  'rejects an addition without a place in a text that has lines: %j',
  async patch => {
    await expect(apply('a\n', { patch })).rejects.toMatchObject({ code: 'PATCH_REJECTED' })
  },
)

const CHANGE = ' line 9\n-line 10\n+ten\n line 11\n'

test.each([
  ['whose numbers are wrong', `@@ -1,3 +1,3 @@\n${CHANGE}`],
  ['whose counts are wrong', `@@ -9,7 +9,9 @@\n${CHANGE}`],
  ['without numbers', `@@ ... @@\n${CHANGE}`],
  ['in a fence', `Here it is:\n\`\`\`diff\n--- a/x\n+++ b/x\n@@ -9,3 +9,3 @@\n${CHANGE}\`\`\`\nDone.`],
  ['whose leading spaces are lost', '@@ -9,3 +9,3 @@\nline 9\n-line 10\n+ten\nline 11\n'],
  ['with line ends of the other kind', `@@ -9,3 +9,3 @@\n${CHANGE}`.replaceAll('\n', '\r\n')],
  ['with trailing space in its context', '@@ -9,3 +9,3 @@\n line 9  \n-line 10\n+ten\n line 11\n'],
  ['with a changed line of context', '@@ -9,3 +9,3 @@\n other\n-line 10\n+ten\n line 11\n'],
  ['without its last line end', `@@ -9,3 +9,3 @@\n${CHANGE.trimEnd()}`],
  ['with blank lines after it', `@@ -9,3 +9,3 @@\n${CHANGE}\n\n`],
])('applies a patch %s', async (_, patch) => {
  const { text, applied } = await apply(TEXT, { patch })
  expect(text).toBe(TEXT.replace('line 10', 'ten'))
  expect(applied).toBe(1)
})

test('keeps the lines of the text where the context is only similar', async () => {
  const text = 'function add(first, second) {\n  return first + second\n}\n'
  const patch = '@@\n function add(first, secnd) {\n-  return first + second\n+  return second + first\n }\n'
  expect((await apply(text, { patch })).text).toBe('function add(first, second) {\n  return second + first\n}\n')
})

test('removes no line that only looks like the one in the patch', async () => {
  const text = 'total = price * count\nreturn total_with_tax\nend of the function\n'
  const patch = '@@ -1,3 +1,2 @@\n total = price * count\n-return total_with_tip\n end of the function\n'
  await expect(apply(text, { patch, fuzz: 3 })).rejects.toMatchObject({ code: 'PATCH_REJECTED' })
  const exact = patch.replace('tip', 'tax').replace('count', 'counts')
  expect((await apply(text, { patch: exact, fuzz: 1 })).text).toBe('total = price * count\nend of the function\n')
})

test('keeps the line ends of the text', async () => {
  expect((await apply('a\r\nb\r\n', { patch: '@@ -1,2 +1,3 @@\n a\n+x\n b\n' })).text).toBe('a\r\nx\r\nb\r\n')
})

test('accounts for hunks that move later lines', async () => {
  const changed = TEXT.replace('line 2\n', '').replace('line 19\n', 'nineteen\nand a half\n')
  const moved = `first\n${TEXT}`
  const { text, hunks } = await apply(moved, { patch: await gitDiff(TEXT, changed) })
  expect(text).toBe(`first\n${changed}`)
  expect(hunks).toMatchObject([{ offset: 1, fuzz: 0 }, { offset: 0 }])
})

test('creates, deletes and renames files in a patch of several', async () => {
  const patch = [
    '--- a/one\n+++ b/one\n@@ -1 +1 @@\n-1\n+eins',
    '--- /dev/null\n+++ b/__proto__\n@@ -0,0 +1 @@\n+neu',
    '--- a/gone\n+++ /dev/null\n@@ -1 +0,0 @@\n-x',
    '--- a/old\n+++ b/../new\n@@ -1 +1 @@\n-o\n+n\n',
  ].join('\n')
  const answer = await runOperation('text.apply-patch', { files: { one: '1\n', gone: 'x\n', old: 'o\n' }, patch })
  expect(Object.entries(answer.files as object)).toEqual([
    ['one', 'eins\n'],
    ['__proto__', 'neu\n'],
    ['../new', 'n\n'],
  ])
  expect(answer.applied).toBe(4)
})

test.each([
  ['in two places', 'a\nb\nc\na\nb\nc\n', '@@ @@\n a\n-b\n+x\n c\n', 'PATCH_AMBIGUOUS'],
  ['nowhere', 'a\nb\n', '@@ -1,2 +1,2 @@\n x\n-y\n+z\n', 'PATCH_REJECTED'],
])('rejects a hunk that matches %s, or reports it', async (_, text, patch, code) => {
  await expect(apply(text, { patch })).rejects.toMatchObject({ code, hints: { hunks: [{ index: 0 }] } })
  const report = await apply(text, { patch, onReject: 'report' })
  expect(report).toMatchObject({ text, applied: 0, rejects: [patch.trimEnd()] })
})

test('uses the place that the patch names among several', async () => {
  const { text } = await apply('a\nb\nc\na\nb\nc\n', { patch: '@@ -4,3 +4,3 @@\n a\n-b\n+x\n c\n' })
  expect(text).toBe('a\nb\nc\na\nx\nc\n')
})

test.each([
  [{ op: 'add', path: '/a/-', value: 3 }, '{"a":[1,2,3]}'],
  [{ op: 'add', path: '/a/0', value: null }, '{"a":[null,1,2]}'],
  [{ op: 'remove', path: '/a/1' }, '{"a":[1]}'],
  [{ op: 'replace', path: '', value: 'x' }, '"x"'],
  [{ op: 'move', from: '/a/0', path: '/b' }, '{"a":[2],"b":1}'],
  [{ op: 'copy', from: '/a', path: '/~1~0' }, '{"a":[1,2],"/~":[1,2]}'],
  [{ op: 'add', path: '/__proto__', value: 1 }, '{"a":[1,2],"__proto__":1}'],
  [{ op: 'test', path: '/a', value: [1, 2] }, '{"a":[1,2]}'],
])('applies the JSON patch step %j', async (step, text) => {
  expect((await apply('{"a":[1,2]}', { jsonPatch: [step] })).text).toBe(text)
})

test.each([
  { op: 'remove', path: '/b' },
  { op: 'remove', path: '/a/2' },
  { op: 'add', path: '/a/3', value: 1 },
  { op: 'add', path: '/a/01', value: 1 },
  { op: 'test', path: '/a/0', value: 2 },
  { op: 'add', path: '/constructor/x', value: 1 },
  { op: 'move', from: '/a', path: '/a/0' },
  { op: 'add', path: 'a', value: 1 },
  { op: 'test', path: '/a', value: Infinity },
])('rejects the JSON patch step %j', async step => {
  await expect(apply('{"a":[1,2]}', { jsonPatch: [step] })).rejects.toMatchObject({ code: 'PATCH_REJECTED' })
})

test.each([
  ['{"b":1.10}', '1.1'],
  ['{"b":1e2}', '100'],
  ['{"b":9007199254740993}', '9007199254740993'],
])('compares the numbers of %s by value with %s', async (text, number) => {
  const jsonPatch = `[{"op":"test","path":"/b","value":${number}}]`
  expect((await apply(text, { jsonPatch })).text).toBe(text)
  const other = jsonPatch.replace(number, `${number}${number.includes('.') ? '' : '.'}0000000000000000001`)
  await expect(apply(text, { jsonPatch: other })).rejects.toMatchObject({ code: 'PATCH_REJECTED' })
})

test('keeps every digit of a JSON patch that is a text, and warns of one that is not', async () => {
  const step = (number: string) => `{"op":"add","path":"/n","value":[${number}]}`
  const exact = await apply('{}', { jsonPatch: `[${step('9007199254740993')}]` })
  expect(exact).toEqual({ text: '{"n":[9007199254740993]}', applied: 1, hunks: [], rejects: [] })
  const jsonPatch = [JSON.parse(step('9007199254740993'))]
  expect((await apply('{}', { jsonPatch })).warnings).toMatchObject([{ code: 'NUMBER_ROUNDED' }])
  const mergePatch = { n: 2 ** 53 }
  expect((await apply('{}', { mergePatch })).warnings).toMatchObject([{ code: 'NUMBER_ROUNDED' }])
  await expect(
    apply('{"n":9007199254740993}', { jsonPatch: [{ op: 'test', path: '/n', value: 2 ** 53 }] }),
  ).rejects.toMatchObject({ code: 'PATCH_REJECTED', hints: { detail: expect.stringContaining('given as text') } })
})

test.each([
  ['[', 'JSON_PARSE_FAILED'],
  ['{}', 'PATCH_INVALID'],
  ['[{"op":"set","path":""}]', 'PATCH_INVALID'],
])('rejects the JSON patch %s that is a text', async (jsonPatch, code) => {
  await expect(apply('{}', { jsonPatch })).rejects.toMatchObject({ code, hints: { field: 'jsonPatch' } })
})

test('keeps numbers and indentation of JSON as they were', async () => {
  const text = '{\n    "id": 12345678901234567890,\n    "price": 1.10\n}\n'
  expect((await apply(text, { mergePatch: { name: 'x' } })).text).toBe(text.replace('1.10', '1.10,\n    "name": "x"'))
  await expect(apply('{', { mergePatch: {} })).rejects.toMatchObject({ code: 'JSON_PARSE_FAILED' })
})

test.each([
  [[{ find: 'b', replace: 'x', count: 0 }], 'a x\r\nx'],
  [[{ find: 'b', replace: '$&', count: 1 }], 'a $&\r\nb'],
  [[{ find: 'a b\nb', replace: '1\n2' }], '1\r\n2'],
])('replaces %j', async (searchReplace, text) => {
  expect((await apply('a b\r\nb', { searchReplace })).text).toBe(text)
})

test('rejects a search text that occurs twice or not at all', async () => {
  await expect(apply('a a', { searchReplace: [{ find: 'a', replace: 'b' }] })).rejects.toMatchObject({
    code: 'PATCH_AMBIGUOUS',
  })
  await expect(apply('a', { searchReplace: [{ find: 'b', replace: '' }] })).rejects.toMatchObject({
    code: 'PATCH_REJECTED',
  })
})

test.each([
  [{ patch: 'no patch' }, 'PATCH_INVALID'],
  [{ patch: 'GIT binary patch\nliteral 3\n' }, 'PATCH_INVALID'],
  [{ patch: '@@ -1,3 +1,3 @@\n a\n', recountHunks: false }, 'PATCH_INVALID'],
  [{ patch: '--- a\n+++ a\n@@ @@\n-a\n--- b\n+++ b\n@@ @@\n-b\n' }, 'PATCH_INVALID'],
  [{ patch: '@@ @@\n-a', mergePatch: {} }, 'CONFLICTING_OPTIONS'],
  [{}, 'MISSING_FIELD'],
])('rejects %j', async (body, code) => {
  await expect(apply('a\n', body)).rejects.toMatchObject({ code })
})

test('gives up on a patch that matches nearly everywhere', async () => {
  const patch = Array.from({ length: 200 }, () => `@@ @@\n${' a\n'.repeat(100)}-b${'c'.repeat(50)}\n`).join('')
  await expect(apply('a\n'.repeat(30_000), { patch, onReject: 'report' })).rejects.toMatchObject({
    code: 'TIME_LIMIT_EXCEEDED',
  })
})

test('ignores members of a JSON patch operation that RFC 6902 does not define', async () => {
  const jsonPatch = [{ op: 'add', path: '/b', value: 1, from: '/x', comment: 'why', xyz: 123 }]
  expect((await apply('{"a":[1]}', { jsonPatch })).text).toBe('{"a":[1],"b":1}')
})

const B_TO_X = '@@ -1,2 +1,2 @@\n a\n-b\n+x\n'

test.each([
  ['has other line ends', 'a\r\nb\r\n', B_TO_X],
  ['has other line ends than the patch', 'a\nb\n', '@@ -1,2 +1,2 @@\n a\r\n-b\r\n+x\r\n'],
  ['lacks the last line end', 'a\nb', B_TO_X],
  ['has a last line end', 'a\nb\n', `${B_TO_X.replace('-b\n', '-b\n\\ No newline at end of file\n')}`],
  ['has trailing space', 'a \nb\n', B_TO_X],
])('rejects a patch without fuzz if the text %s, and applies it with fuzz', async (_, text, patch) => {
  await expect(apply(text, { patch, fuzz: 0 })).rejects.toMatchObject({ code: 'PATCH_REJECTED' })
  expect((await apply(text, { patch, fuzz: 1 })).text).toMatch(/^a ?\r?\nx(\r?\n)?$/)
})

test.each([
  ['a\r\nb\r\n', 'a\r\nx\r\n'],
  ['a\nb\n', 'a\nb\r\n'],
  ['a\r\nb', 'a\nb\n'],
  ['a\nb\r\nc\n', 'a\r\nb\nc'],
])('applies without fuzz what git writes of line ends: %j to %j', async (a, b) => {
  const patch = await gitDiff(a, b)
  expect((await apply(a, { patch, fuzz: 0 })).text).toBe(b)
  expect((await apply(b, { patch, fuzz: 0, reverse: true })).text).toBe(a)
})

test('ignores the shorter context last, as GNU patch does', async () => {
  const patch = '@@ -1,5 +1,5 @@\n first\n-b\n+x\n c\n d\n e\n'
  const text = 'FIRST\nb\nc\nd\ne\n'
  await expect(apply(text, { patch, fuzz: 1 })).rejects.toMatchObject({ code: 'PATCH_REJECTED' })
  expect((await apply(text, { patch, fuzz: 3 })).text).toBe('FIRST\nx\nc\nd\ne\n')
})
