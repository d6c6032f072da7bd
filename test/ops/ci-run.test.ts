import { chmod, cp, mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { execa } from 'execa'
import { expect, test } from 'vitest'
import { ROOT } from '../support/house/files.ts'
import { freshFolder } from '../support/machine/folder.ts'

test.each([
  [
    'adds both runs up',
    'echo "3 passed, 0 failed, 1 skipped"',
    'echo "2 passed, 0 failed"',
    0,
    '5 passed, 0 failed, 1 skipped',
  ],
  [
    'fails with the tests',
    'echo "3 passed, 1 failed"; exit 1',
    'echo "2 passed, 0 failed"',
    1,
    '5 passed, 1 failed, 0 skipped',
  ],
  [
    'fails with the long tests',
    'echo "3 passed, 0 failed"',
    'echo "1 passed, 1 failed"; exit 1',
    1,
    '4 passed, 1 failed, 0 skipped',
  ],
  ['counts a failed check', 'echo "a fault"; exit 1', 'echo "2 passed, 0 failed"', 1, '2 passed, 1 failed, 0 skipped'],
] as const)('.ci/run %s', async (_title, onTest, onLong, exitCode, lastLine) => {
  await using folder = await freshFolder()
  const npm = join(folder.path, 'npm')
  await writeFile(npm, `#!/bin/sh\ncase $2 in test) ${onTest};; test:long) ${onLong};; esac\n`)
  await chmod(npm, 0o755)
  await mkdir(join(folder.path, '.ci'))
  await cp(join(ROOT, '.ci/run'), join(folder.path, '.ci/run'))
  const result = await execa(join(folder.path, '.ci/run'), {
    env: { PATH: `${folder.path}:${process.env.PATH}` },
    reject: false,
  })
  expect([result.exitCode, result.stdout.split('\n').at(-1)]).toEqual([exitCode, lastLine])
})
