import { join } from 'node:path'
import { execa } from 'execa'
import { expect, test } from 'vitest'
import { ROOT } from '../../support/house/files.ts'

async function listFound(by: 'ours' | 'node'): Promise<[string, string][]> {
  const { stdout } = await execa(process.execPath, [join(ROOT, 'test/support/house/print-found.ts'), by])
  return JSON.parse(stdout) as [string, string][]
}

test('finds the very files that Node finds, and takes them for the same', async () => {
  const [ours, node] = await Promise.all([listFound('ours'), listFound('node')])
  expect(ours.length).toBeGreaterThan(3_000)
  expect(ours).toEqual(node)
})
