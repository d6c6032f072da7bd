import { expect, test } from 'vitest'
import { runTable } from '../../support/data/tables.ts'

const TEXT = `id,g\n${Array.from({ length: 100 }, (_, index) => `${index},${index % 4 === 0 ? 'a' : 'b'}`).join('\n')}\n`
const sample = async (options: object) =>
  await runTable('sample', { file: { text: TEXT }, outFormat: 'json', preview: 50, ...options })
const ids = async (options: object) => (await sample(options)).preview.map(row => row.id as number)

test('gives the same rows for the same seed, in their order', async () => {
  const first = await ids({ n: 10, seed: 1 })
  expect(first).toHaveLength(10)
  expect(first).toEqual(await ids({ n: 10, seed: 1 }))
  expect(first).not.toEqual(await ids({ n: 10, seed: 2 }))
  expect(first).toEqual([...first].sort((a, b) => a - b))
  expect((await sample({ n: 3 })).seed).toEqual(expect.any(Number))
})

test.each([
  [{ n: 3, method: 'head' }, [0, 1, 2]],
  [{ n: 3, method: 'tail' }, [97, 98, 99]],
  [{ fraction: 0.04, method: 'systematic' }, [0, 25, 50, 75]],
])('takes rows with %j', async (options, expected) => {
  expect(await ids(options)).toEqual(expected)
})

test('keeps the shares of groups, and may repeat rows', async () => {
  const groups = (await sample({ fraction: 0.2, method: 'stratified', by: ['g'], seed: 3 })).preview.map(row => row.g)
  expect(groups.filter(group => group === 'a')).toHaveLength(5)
  expect(groups).toHaveLength(20)
  const odd = await runTable('sample', {
    file: { text: 'g\na\na\na\nb\n""\n' },
    ...{ n: 3, method: 'stratified', by: ['g'], seed: 1 },
  })
  expect(odd.preview.map(row => row.g)).toEqual(['a', 'a', 'b'])
  const drawn = await sample({ n: 300, replace: true, seed: 3 })
  expect(drawn.rowsOut).toBe(300)
})

test.each([
  [{}, 'MISSING_FIELD'],
  [{ n: 1, fraction: 0.5 }, 'CONFLICTING_OPTIONS'],
  [{ n: 1, method: 'stratified' }, 'MISSING_FIELD'],
  [{ n: 1, by: ['g'] }, 'CONFLICTING_OPTIONS'],
  [{ n: 1, method: 'tail', seed: 1 }, 'CONFLICTING_OPTIONS'],
  [{ n: 1, method: 'head', replace: true }, 'CONFLICTING_OPTIONS'],
])('rejects %j', async (options, code) => {
  await expect(sample(options)).rejects.toMatchObject({ code })
})
