import { cp, mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { execa } from 'execa'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { findLongSubjects, readSubjects } from './support/house/commits.ts'
import { findDecisionFaults } from './support/house/decisions.ts'
import { ROOT } from './support/house/files.ts'

/** A folder with our own settings and one planted fault per file, because a misspelt setting is ignored silently. */
const branches = Array.from({ length: 7 }, (_, index) => `if (a > ${index}) { if (a) n++ }`).join('\n')
const plantedFaults: [file: string, rule: string, code: string][] = [
  ['tasks/pdf/long-one.ts', 'noExcessiveLinesPerFile', `export const x = 1\n${'x.toString()\n'.repeat(125)}`],
  ['pools/long-one.ts', 'noExcessiveLinesPerFile', `export const x = 1\n${'x.toString()\n'.repeat(305)}`],
  ['pools/long.ts', 'noExcessiveLinesPerFunction', `export function f(n: number) {\n${'n++\n'.repeat(62)}return n }\n`],
  [
    'pools/knot.ts',
    'noExcessiveCognitiveComplexity',
    `export function f(a: number) {\nlet n = 0\n${branches}\nreturn n }\n`,
  ],
  ['pools/BadName.ts', 'useFilenamingConvention', 'export const x = 1\n'],
  ['pools/env.ts', 'noProcessEnv', 'export const x = process.env.HOME\n'],
  ['pools/loose.ts', 'noExplicitAny', 'export const x = (y: any): unknown => y\n'],
  ['pools/types.ts', 'useImportType', "import { Kind } from './kind.ts'\nexport const x: Kind = 1\n"],
  ['pools/ring-one.ts', 'noImportCycles', "import { b } from './ring-two.ts'\nexport const a = () => b\n"],
  ['pools/ring-two.ts', 'noImportCycles', "import { a } from './ring-one.ts'\nexport const b = () => a\n"],
  [
    'api/intake/writes-before.ts',
    'noParameterAssign',
    "export function f(call: { caller: string }) {\ncall.caller = 'me'\nreturn call }\n",
  ],
  ['pools/idle.ts', 'noUnusedVariables', 'const idle = 1\nexport const x = 2\n'],
  ['pools/plain.ts', 'useNodejsImportProtocol', "import { join } from 'path'\nexport const x = join\n"],
]
const plantedPromises: [file: string, rule: string, code: string][] = [
  ['pools/floating.ts', 'no-floating-promises', 'async function f() {}\nexport function g() { f() }\n'],
  [
    'pools/misused.ts',
    'no-misused-promises',
    'export const f = (a: Promise<boolean>) => { if (a) return 1; return 2 }\n',
  ],
  ['pools/thenable.ts', 'await-thenable', 'export const f = async () => { await 1 }\n'],
]

let folder: string

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'checkers-'))
  const biome = JSON.parse(await readFile(join(ROOT, '.biome.json'), 'utf8'))
  await writeFile(join(folder, '.biome.json'), JSON.stringify({ ...biome, vcs: { enabled: false } }))
  for (const file of ['.oxlintrc.json', 'tsconfig.json']) await cp(join(ROOT, file), join(folder, file))
  await symlink(join(ROOT, 'node_modules'), join(folder, 'node_modules'))
  const kind: [string, string, string] = ['pools/kind.ts', '', 'export type Kind = number\nexport const zero = 0\n']
  for (const [file, , code] of [...plantedFaults, ...plantedPromises, kind]) {
    await mkdir(dirname(join(folder, file)), { recursive: true })
    await writeFile(join(folder, file), code)
  }
})

afterAll(() => rm(folder, { recursive: true, force: true }))

test('Biome reports every planted fault in its file', async () => {
  const { stdout } = await run('biome', ['lint', '--reporter=json', '--max-diagnostics=none', '.'])
  const { diagnostics } = JSON.parse(stdout) as { diagnostics: { category: string; location: { path: string } }[] }
  const found = diagnostics.map(({ category, location }) => `${location.path} ${category.split('/').at(-1)}`)
  expect(found).toEqual(expect.arrayContaining(plantedFaults.map(([file, rule]) => `${file} ${rule}`)))
})

test('oxlint reports every unhandled promise', async () => {
  const { stdout } = await run('oxlint', ['--type-aware', '--format=json', 'pools'])
  const { diagnostics } = JSON.parse(stdout) as { diagnostics: { code: string; filename: string }[] }
  const found = diagnostics.map(({ code, filename }) => `${filename} ${/\((.*)\)/.exec(code)?.[1]}`)
  expect(found).toEqual(expect.arrayContaining(plantedPromises.map(([file, rule]) => `${file} ${rule}`)))
})

test('tsc refuses syntax that type stripping cannot run', async () => {
  await writeFile(join(folder, 'pools/enum.ts'), 'export enum Colour { Red }\nexport const x: number = "y"\n')
  const { stdout } = await run('tsc', ['--noEmit'])
  expect(stdout).toContain('pools/enum.ts(1,13): error TS1294')
  expect(stdout).toContain('pools/enum.ts(2,14): error TS2322')
})

function run(program: string, args: string[]) {
  return execa(program, args, { cwd: folder, preferLocal: true, localDir: ROOT, reject: false })
}

test('subjects of commits are read in a shallow clone and without a history, and long ones are reported', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'coinop-commits-'))
  const [origin, clone] = [join(folder, 'origin'), join(folder, 'clone')]
  const git = (...args: string[]) => execa('git', ['-c', 'user.name=A', '-c', 'user.email=a@b.example', ...args])
  const subjects = ['Keep the first', 'é'.repeat(72), 'x'.repeat(73)]
  await git('init', '-q', origin)
  for (const subject of subjects)
    await git('-C', origin, 'commit', '-q', '--allow-empty', '-m', `${subject}\n\n${'y'.repeat(99)}`)
  await git('clone', '-q', '--depth', '1', `file://${origin}`, clone)
  expect(readSubjects(origin)).toEqual(subjects.toReversed())
  expect(readSubjects(clone)).toEqual(['x'.repeat(73)])
  expect(readSubjects(folder)).toEqual([])
  expect(findLongSubjects(subjects)).toEqual([expect.stringContaining('has 73 characters')])
  await rm(folder, { recursive: true })
})

test('decisions that nothing cites, citations of none, and gaps of the index are reported', () => {
  const [one, other, none] = [9001, 9002, 9003]
  const repository = new Map([
    [`ops/decisions/${one}-keep-it.md`, `Replaces decision ${other}.`],
    [`ops/decisions/${other}-drop-it.md`, ''],
    ['ops/decisions/README.md', `[${one}](${one}-keep-it.md)`],
    ['pools/x.ts', `// Decision ${one}: keep it.\n// See decisions ${one} and ${none}.`],
  ])
  expect(findDecisionFaults(repository)).toEqual([
    `decision ${other} is not in ops/decisions/README.md`,
    `pools/x.ts cites decision ${none}, which there is not`,
    `decision ${other} is cited by nothing that follows it`,
  ])
})
