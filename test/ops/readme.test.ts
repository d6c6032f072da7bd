import { readFile, writeFile } from 'node:fs/promises'
import { expect, test } from 'vitest'
import { configTable } from '../../ops/config-table.ts'

const README = new URL('../../README.md', import.meta.url)
const TABLE = /\| variable \| default \| meaning \|\n(?:\|.*\n?)*/

test('the README has the table of the environment as the schema makes it', async () => {
  const readme = await readFile(README, 'utf8')
  if (process.env.WRITE_README) await writeFile(README, readme.replace(TABLE, `${configTable()}\n`))
  expect(await readFile(README, 'utf8'), 'run WRITE_README=1 npm test to write it anew').toContain(configTable())
})
