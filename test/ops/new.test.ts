import { cp, mkdtemp, readFile, rm, symlink } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { execa } from 'execa'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { refusal } from '../../ops/new.ts'
import { ROOMS, ROOT } from '../support/house-files.ts'

let home: string

beforeAll(async () => {
  home = await mkdtemp(join(tmpdir(), 'new-'))
  const isOurs = (path: string) => !/[/\\](node_modules|samples)$/.test(path)
  for (const room of ROOMS) await cp(join(ROOT, room), join(home, room), { recursive: true, filter: isOurs })
  for (const file of ['package.json', 'tsconfig.json', '.biome.json']) await cp(join(ROOT, file), join(home, file))
  await symlink(join(ROOT, 'node_modules'), join(home, 'node_modules'))
})

afterAll(() => rm(home, { recursive: true, force: true }))

const written = ['tasks/text/tally.ts', 'test/tasks/text/tally.test.ts']

test('writes an operation and a test that pass every check and run', async () => {
  const made = await run(process.execPath, ['ops/new.ts', 'text.tally'])
  expect(made).toMatchObject({ exitCode: 0, stderr: '' })
  for (const path of written) expect(made.stdout).toContain(path)

  const style = await run('biome', ['check', '--error-on-warnings', '--vcs-enabled=false', ...written])
  expect(style.exitCode, style.stderr).toBe(0)
  const types = await run('tsc', ['--noEmit'])
  expect(types.stdout).not.toContain('tally')
  const tests = await run('vitest', ['run', '--root', '.', written[1]!])
  expect(tests.exitCode, tests.stdout + tests.stderr).toBe(0)
  expect(tests.stdout).toContain('5 passed')
}, 60_000)

test('never writes over what is there', async () => {
  const before = await readFile(join(home, 'tasks/utils/hash.ts'), 'utf8')
  const again = await run(process.execPath, ['ops/new.ts', 'utils.hash'])
  expect(again.exitCode).toBe(1)
  expect(again.stderr).toContain('tasks/utils/hash.ts is there already')
  expect(await readFile(join(home, 'tasks/utils/hash.ts'), 'utf8')).toBe(before)
})

test.each([
  ['', 'is no name'],
  ['pdf', 'is no name'],
  ['pdf.Rotate', 'is no name'],
  ['../x.y', 'is no name'],
  ['pdf.rotate.twice', 'is no name'],
  ['kit.money', 'holds no operations'],
  ['pdf.page-helper', '"helper" says nothing'],
  ['shared.rotate', '"shared" says nothing'],
  ['pdf.page-shape', 'what a family shares'],
])('refuses %j', (name, said) => {
  expect(refusal(name, () => false)).toContain(said)
})

test('takes a name in the family the customer calls utils', () => {
  expect(refusal('utils.checksum', () => false)).toBeUndefined()
})

function run(program: string, args: string[]) {
  return execa(program, args, { cwd: home, preferLocal: true, localDir: ROOT, reject: false, env: { NO_COLOR: '1' } })
}
