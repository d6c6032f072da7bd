import { spawnSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { freshFolder } from '../../support/machine/folder.ts'
import { runOperation } from '../../support/operations/run.ts'

const merge = (base: string, ours: string, theirs: string, options = {}) =>
  runOperation('text.merge3', { base: { text: base }, ours: { text: ours }, theirs: { text: theirs }, ...options })

/** The same merge by git: its text, and how many conflicts it found. */
async function gitMerge(base: string, ours: string, theirs: string): Promise<{ text: string; conflicts: number }> {
  await using folder = await freshFolder()
  const paths = [ours, base, theirs].map((text, index) => {
    const path = join(folder.path, String(index))
    writeFileSync(path, text)
    return path
  })
  const { stdout, status } = spawnSync('git', [
    'merge-file',
    '-p',
    '--diff3',
    '-L',
    'ours',
    '-L',
    'base',
    '-L',
    'theirs',
    ...paths,
  ])
  return { text: stdout.toString(), conflicts: status ?? 0 }
}

test('gives the result of git wherever git merges cleanly', async () => {
  const lines = fc.array(fc.constantFrom('a', 'b', 'c', 'd'), { minLength: 1, maxLength: 12 })
  const edits = fc.array(fc.tuple(fc.nat(11), fc.constantFrom('x', 'y', '', 'z\nw')), { maxLength: 3 })
  await fc.assert(
    fc.asyncProperty(lines, edits, edits, async (list, left, right) => {
      const distinct = list.map((line, index) => `${line}${index}`)
      const edited = (changes: [number, string][]) => {
        const copy = [...distinct]
        for (const [at, text] of changes) if (at < copy.length) copy[at] = text
        return `${copy.filter(line => line !== '').join('\n')}\n`
      }
      const [base, ours, theirs] = [`${distinct.join('\n')}\n`, edited(left), edited(right)]
      const answer = await merge(base, ours, theirs)
      const git = await gitMerge(base, ours, theirs)
      if (git.conflicts === 0) expect(answer.text).toBe(git.text)
      expect(answer.clean).toBe(git.conflicts === 0)
    }),
    { numRuns: 60 },
  )
})

test('marks a conflict as git does, and reports its position', async () => {
  const answer = await merge('a\nb\nc\n', 'a\nB\nc\n', 'a\nx\nc\n')
  expect(answer.text).toBe((await gitMerge('a\nb\nc\n', 'a\nB\nc\n', 'a\nx\nc\n')).text)
  expect(answer.conflicts).toEqual([{ start: 2, end: 8, base: 'b\n', ours: 'B\n', theirs: 'x\n' }])
})

test.each([
  ['ours', 'B\n'],
  ['theirs', 'x\n'],
  ['union', 'B\nx\n'],
])('resolves a conflict by %s', async (onConflict, text) => {
  expect(await merge('b\n', 'B\n', 'x\n', { onConflict })).toMatchObject({ text, clean: false })
})

test('rejects a conflict on request', async () => {
  await expect(merge('b', 'c', 'd', { onConflict: 'error' })).rejects.toMatchObject({
    code: 'MERGE_CONFLICT',
    hints: { conflicts: [{ ours: 'c', theirs: 'd' }] },
  })
})

test('merges the same change of both sides', async () => {
  expect(await merge('a\n', 'b\n', 'b\n')).toMatchObject({ text: 'b\n', clean: true })
})

test('merges within a line by words', async () => {
  expect((await merge('the red cat sat', 'the blue cat sat', 'the red cat lay', { granularity: 'words' })).text).toBe(
    'the blue cat lay',
  )
})

test('keeps the line ends of ours', async () => {
  expect((await merge('a\nb\nc\n', 'a\r\nb\r\nc\r\n', 'a\nb\nC\n')).text).toBe('a\r\nb\r\nC\r\n')
})

test('merges JSON by members, and shows a conflict in place', async () => {
  const json = { granularity: 'json' }
  const answer = await merge(
    '{"a":1,"b":{"c":1.10,"d":2}}',
    '{"a":2,"b":{"c":1.10}}',
    '{"a":3,"b":{"c":1.10,"d":2,"e":[1]}}',
    json,
  )
  expect(JSON.parse(answer.text!)).toEqual({
    a: { '<<<<<<< ours': 2, '||||||| base': 1, '>>>>>>> theirs': 3 },
    b: { c: 1.1, e: [1] },
  })
  expect(answer.text).toContain('1.10')
  expect(answer.conflicts).toMatchObject([{ path: '/a', ours: '2', theirs: '3' }])
  expect((await merge('{"a":1}', '{}', '{"a":2}', { ...json, onConflict: 'theirs' })).text).toBe('{"a":2}')
  await expect(merge('{', '{}', '{}', json)).rejects.toMatchObject({
    code: 'JSON_PARSE_FAILED',
    hints: { field: 'base' },
  })
})

test('merges empty texts', async () => {
  expect(await merge('', '', '')).toEqual({ text: '', clean: true, conflicts: [] })
})
