import { readFile } from 'node:fs/promises'
import { expect, test } from 'vitest'
import { configTable } from '../../ops/config-table.ts'

test('the README has the table of the environment as the schema makes it', async () => {
  const readme = await readFile(new URL('../../README.md', import.meta.url), 'utf8')
  expect(readme).toContain(configTable())
})
