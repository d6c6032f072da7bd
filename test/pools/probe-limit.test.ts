import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { runQpdf } from '../support/pdf/document.ts'
import { testPools } from '../support/pools/open.ts'

test('a probe ends at the time limit of its job', async () => {
  await using pools = await testPools()
  const folder = await pools.openFolder('probed')
  const path = join(folder, 'input-0')
  const sample = await readFile('tasks/samples/two-pages.pdf')
  const bytes = runQpdf(sample, ['--encrypt', '', 'owner', '256', '--', 'IN', 'OUT'])
  await writeFile(path, bytes)
  const file = { path, type: 'application/pdf', sizeBytes: bytes.length, probe: 'pdf' } as const
  const { signal } = new AbortController()
  expect(await pools.probe([file], folder, signal)).toMatchObject([{ pages: 2, encrypted: true }])
  await expect(pools.probe([file], folder, signal, { limitSeconds: 0 })).rejects.toMatchObject({
    code: 'TIME_LIMIT_EXCEEDED',
  })
})
