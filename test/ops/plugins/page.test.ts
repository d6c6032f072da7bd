import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { execa } from 'execa'
import { expect, test } from 'vitest'
import { loadCatalog } from '../../../api/catalog.ts'
import { main } from '../../../ops/cli.ts'
import { explainTakenName } from '../../../ops/plugins/operations.ts'
import { ROOT } from '../../support/house/files.ts'
import { freshFolder } from '../../support/machine/folder.ts'

const PAGE = join(ROOT, 'ops/plugins.md')

async function readBlock(language: string): Promise<string> {
  const page = await readFile(PAGE, 'utf8')
  return new RegExp(`\`\`\`${language}\\n([\\s\\S]*?)\`\`\``).exec(page)![1]!
}

async function check(path: string): Promise<{ code: number; text: string }> {
  let text = ''
  const out = { write: (part: string) => (text += part) }
  return { code: await main(['plugin', 'check', path], { stdout: out, stderr: out }), text }
}

test('the module and the program of the page run as printed', async () => {
  await using folder = await freshFolder()
  const file = join(folder.path, 'acme-stamp.ts')
  await writeFile(file, await readBlock('ts'))
  expect(await check(file)).toEqual({
    code: 0,
    text: 'acme.stamp can be taken into service as POST /v1/acme/stamp\n  "A draft" runs as printed, for 0.002 USD\n',
  })
  const program = join(folder.path, 'sort')
  await mkdir(program)
  await writeFile(join(program, 'plugin.json'), await readBlock('json'))
  await writeFile(join(program, 'sort.sh'), await readBlock('sh'), { mode: 0o755 })
  expect(await check(program)).toMatchObject({
    code: 0,
    text: expect.stringContaining('"Three lines" runs as printed'),
  })
  await writeFile(join(program, 'sort.sh'), '#!/bin/sh\nexit 3\n')
  expect(await check(program)).toMatchObject({ code: 1, text: expect.stringContaining('does not: exit code 3') })
})

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
  expect(await check(join(folder.path, 'acme-number.ts'))).toMatchObject({ code: 0 })
  expect(await check(join(folder.path, 'acme-order'))).toMatchObject({ code: 0 })
  const types = await execa(join(ROOT, 'node_modules/.bin/tsc'), ['-p', folder.path], { reject: false })
  expect(types.stdout).toBe('')
  const alone = await execa(process.execPath, ['-p', 'require("./acme-number.ts").default.name'], { cwd: folder.path })
  expect(alone.stdout).toBe('acme.number')
})

test('no plugin can have a family, a path or a tool of ours', async () => {
  const { entries } = await loadCatalog()
  const words = entries.flatMap(({ family, path, tool = '' }) => [
    ...[family, tool.split('_')[0]!],
    ...(path.startsWith('/v1/') ? [path.split('/')[2]!] : []),
  ])
  const free = [...new Set(words)].filter(word => /^[a-z]/.test(word) && explainTakenName(`${word}.x`) === undefined)
  expect(free).toEqual([])
})
