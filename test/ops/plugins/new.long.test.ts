import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { execa } from 'execa'
import { expect, test } from 'vitest'
import { ROOT } from '../../support/house/files.ts'
import { freshFolder } from '../../support/machine/folder.ts'
import { runCheck } from '../../support/plugins/check.ts'

test('what npm run new writes passes the check, its types do, and Node runs it alone', async () => {
  await using folder = await freshFolder()
  const env = { PLUGINS_DIR: folder.path }
  const make = (...args: string[]) =>
    execa(process.execPath, ['ops/new.ts', 'plugin', ...args], { cwd: ROOT, env, reject: false })
  expect(await make('acme.number')).toMatchObject({ exitCode: 0, stderr: '' })
  expect(await make('acme.order', 'program')).toMatchObject({ exitCode: 0, stderr: '' })
  expect(await make('pdf.number')).toMatchObject({
    exitCode: 1,
    stderr: expect.stringContaining('the family pdf is ours'),
  })
  expect((await readdir(folder.path)).sort()).toEqual(
    ['acme-number.ts', 'acme-order', 'node_modules', 'package.json', 'tsconfig.json'].sort(),
  )
  expect(await runCheck(join(folder.path, 'acme-number.ts'))).toMatchObject({ code: 0 })
  expect(await runCheck(join(folder.path, 'acme-order'))).toMatchObject({ code: 0 })
  const types = await execa(join(ROOT, 'node_modules/.bin/tsc'), ['-p', folder.path], { reject: false })
  expect(types.stdout).toBe('')
  const alone = await execa(process.execPath, ['-p', 'require("./acme-number.ts").default.name'], { cwd: folder.path })
  expect(alone.stdout).toBe('acme.number')
})
