import { createHash } from 'node:crypto'
import { cp, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { execa } from 'execa'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { explainInvalidName } from '../../ops/new.ts'
import { ROOT, TOP_FOLDERS } from '../support/house/files.ts'

let copy: string

/** Files that add to types of others. */
const DECLARATIONS = [
  '**/*.d.ts',
  'tasks/products/*/product.ts',
  'api/products/*/open.ts',
  'ops/providers/*/settings.ts',
]

beforeAll(async () => {
  copy = await mkdtemp(join(tmpdir(), 'new-'))
  const isOurs = (path: string) => !/[/\\]node_modules$/.test(path)
  for (const folder of TOP_FOLDERS)
    await cp(join(ROOT, folder), join(copy, folder), { recursive: true, filter: isOurs })
  for (const entry of await readdir(ROOT, { withFileTypes: true }))
    if (entry.isFile()) await cp(join(ROOT, entry.name), join(copy, entry.name))
  await symlink(join(ROOT, 'node_modules'), join(copy, 'node_modules'))
})

afterAll(() => rm(copy, { recursive: true, force: true }))

const templates = [
  ['file', 'text.tally', ['text.tally']],
  ['text', 'text.measure', ['text.measure', 'text']],
  ['table', 'csv.size', ['csv.size', 'table']],
] as const
const pathsOf = (name: string) => {
  const path = name.replace('.', '/')
  return [`tasks/${path}.ts`, `test/tasks/${path}.test.ts`] as const
}

test('writes operations and tests that pass all checks', async () => {
  const written = templates.flatMap(([, name]) => pathsOf(name))
  for (const [kind, name, args] of templates) {
    const made = await run(process.execPath, ['ops/new.ts', ...args])
    expect(made, kind).toMatchObject({ exitCode: 0, stderr: '' })
    for (const path of pathsOf(name)) expect(made.stdout).toContain(path)
  }
  const style = await run('biome', ['check', '--error-on-warnings', '--vcs-enabled=false', ...written])
  expect(style.exitCode, style.stderr).toBe(0)
  // Only what was written and what it imports, because the whole takes half a minute of processor time.
  const project = {
    extends: './tsconfig.json',
    compilerOptions: { incremental: false },
    include: [...written, ...DECLARATIONS],
  }
  await writeFile(join(copy, 'tsconfig.written.json'), JSON.stringify(project))
  const types = await run('tsc', ['--noEmit', '-p', 'tsconfig.written.json'])
  expect([types.exitCode, types.stdout]).toEqual([0, ''])
  await rm(join(copy, 'tsconfig.written.json'))
  const tests = await run('vitest', ['run', '--root', '.', ...written.filter(path => path.startsWith('test/'))])
  expect(tests.exitCode, tests.stdout + tests.stderr).toBe(0)
  expect(tests.stdout).toContain('15 passed')
}, 300_000)

test.each([
  [['text.other', 'pdf'], 'There is no template for "pdf"'],
  [['text.other', 'text', 'more'], 'Give one name'],
])('refuses the arguments %j', async (args, reason) => {
  const refused = await run(process.execPath, ['ops/new.ts', ...args])
  expect(refused).toMatchObject({ exitCode: 1, stderr: expect.stringContaining(reason) })
})

test('never overwrites an existing operation', async () => {
  const before = await readFile(join(copy, 'tasks/utils/hash.ts'), 'utf8')
  const again = await run(process.execPath, ['ops/new.ts', 'utils.hash'])
  expect(again.exitCode).toBe(1)
  expect(again.stderr).toContain('tasks/utils/hash.ts exists already')
  expect(await readFile(join(copy, 'tasks/utils/hash.ts'), 'utf8')).toBe(before)
})

test.each([
  ['', 'is no valid name'],
  ['pdf', 'is no valid name'],
  ['pdf.Rotate', 'is no valid name'],
  ['../x.y', 'is no valid name'],
  ['pdf.rotate.twice', 'is no valid name'],
  ['kit.money', 'holds no operations'],
  ['pdf.page-helper', '"helper" says nothing'],
  ['shared.rotate', '"shared" says nothing'],
  ['pdf.schema', 'what the operations of a family share'],
])('refuses %j', (name, reason) => {
  expect(explainInvalidName(name, () => false)).toContain(reason)
})

test('accepts a name in the family utils', () => {
  expect(explainInvalidName('utils.checksum', () => false)).toBeUndefined()
})

function run(program: string, args: string[]) {
  return execa(program, args, { cwd: copy, preferLocal: true, localDir: ROOT, reject: false, env: { NO_COLOR: '1' } })
}

test('writes a product that passes all checks and leaves no trace when its files are deleted', async () => {
  const before = await readTree()
  expect(await run(process.execPath, ['ops/new.ts', 'product', 'bookings'])).toMatchObject({ exitCode: 0, stderr: '' })
  const written = (await listFiles()).filter(path => !before.has(path))
  expect(written.length).toBeGreaterThan(10)
  const code = written.filter(path => path.endsWith('.ts'))
  const style = await run('biome', ['check', '--error-on-warnings', '--vcs-enabled=false', ...code])
  expect(style.exitCode, style.stderr).toBe(0)
  const project = {
    extends: './tsconfig.json',
    compilerOptions: { incremental: false },
    include: [...code, ...DECLARATIONS],
  }
  await writeFile(join(copy, 'tsconfig.written.json'), JSON.stringify(project))
  const types = await run('tsc', ['--noEmit', '-p', 'tsconfig.written.json'])
  expect([types.exitCode, types.stdout]).toEqual([0, ''])
  await rm(join(copy, 'tsconfig.written.json'))
  const tests = await run('vitest', ['run', '--config', 'test/vitest.config.ts', ...PRODUCT_TESTS])
  expect(tests.exitCode, tests.stdout + tests.stderr).toBe(0)
  for (const path of written) await rm(join(copy, path))
  // What is the same to the byte passes the same checks.
  expect(await readTree()).toEqual(before)
}, 600_000)

/** The stories of the product, and the tests that look at everything there is. */
const PRODUCT_TESTS = [
  'test/products/bookings',
  'test/house.test.ts',
  'test/sql/tables.test.ts',
  'test/surfaces/texts.test.ts',
  'test/surfaces/search',
  'test/surfaces/mcp/tools.test.ts',
  'test/routes/other-accounts.test.ts',
]

/** What each file holds, as a digest. */
async function readTree(): Promise<Map<string, string>> {
  const digests = (await listFiles()).map(async path => {
    const bytes = await readFile(join(copy, path))
    return [path, createHash('sha256').update(bytes).digest('hex')] as const
  })
  return new Map(await Promise.all(digests))
}

/** Those of the folders of the code, and those beside them. */
async function listFiles(): Promise<string[]> {
  const names = await Promise.all(TOP_FOLDERS.map(folder => readdir(join(copy, folder), { recursive: true })))
  const inside = names.flatMap((paths, index) => paths.map(path => `${TOP_FOLDERS[index]}/${path}`))
  const beside = (await readdir(copy, { withFileTypes: true })).filter(entry => entry.isFile()).map(({ name }) => name)
  return [...inside, ...beside].filter(path => /\.\w+$/.test(path))
}
