import { execa } from 'execa'
import { expect, test } from 'vitest'
import { freshFolder } from '../../support/machine/folder.ts'

test('one figure is measured from the command line, printed and saved', async () => {
  await using folder = await freshFolder()
  const env = { DATA_DIR: folder.path }
  const { stdout } = await execa(process.execPath, ['ops/bench/main.ts', 'P2', '--quick', '--json'], { env })
  const { results } = JSON.parse(stdout)
  expect(results).toMatchObject([{ id: 'P2', readings: [{ unit: 'ms', goal: { atMost: 2 } }] }])
  expect(results[0].readings[0].ratio).toBeGreaterThan(0)
  const { stdout: files } = await execa('ls', [folder.path])
  expect(files.split('\n')).toEqual(['bench.json', 'secret'])
})
