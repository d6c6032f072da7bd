import { cp, mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { execa } from 'execa'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { ROOT } from './support/house-files.ts'

/** A house with our own settings and one planted fault a file: a setting that is misspelt is silent otherwise. */
const branches = Array.from({ length: 7 }, (_, index) => `if (a > ${index}) { if (a) n++ }`).join('\n')
const planted: [file: string, rule: string, code: string][] = [
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
  ['pools/idle.ts', 'noUnusedVariables', 'const idle = 1\nexport const x = 2\n'],
  ['pools/plain.ts', 'useNodejsImportProtocol', "import { join } from 'path'\nexport const x = join\n"],
]
const promises: [file: string, rule: string, code: string][] = [
  ['pools/floating.ts', 'no-floating-promises', 'async function f() {}\nexport function g() { f() }\n'],
  [
    'pools/misused.ts',
    'no-misused-promises',
    'export const f = (a: Promise<boolean>) => { if (a) return 1; return 2 }\n',
  ],
  ['pools/thenable.ts', 'await-thenable', 'export const f = async () => { await 1 }\n'],
]

let home: string

beforeAll(async () => {
  home = await mkdtemp(join(tmpdir(), 'checkers-'))
  const biome = JSON.parse(await readFile(join(ROOT, '.biome.json'), 'utf8'))
  await writeFile(join(home, '.biome.json'), JSON.stringify({ ...biome, vcs: { enabled: false } }))
  for (const file of ['.oxlintrc.json', 'tsconfig.json']) await cp(join(ROOT, file), join(home, file))
  await symlink(join(ROOT, 'node_modules'), join(home, 'node_modules'))
  const kind: [string, string, string] = ['pools/kind.ts', '', 'export type Kind = number\nexport const zero = 0\n']
  for (const [file, , code] of [...planted, ...promises, kind]) {
    await mkdir(dirname(join(home, file)), { recursive: true })
    await writeFile(join(home, file), code)
  }
})

afterAll(() => rm(home, { recursive: true, force: true }))

test('Biome sees every planted fault where it is', async () => {
  const { stdout } = await run('biome', ['lint', '--reporter=json', '--max-diagnostics=none', '.'])
  const { diagnostics } = JSON.parse(stdout) as { diagnostics: { category: string; location: { path: string } }[] }
  const seen = diagnostics.map(({ category, location }) => `${location.path} ${category.split('/').at(-1)}`)
  expect(seen).toEqual(expect.arrayContaining(planted.map(([file, rule]) => `${file} ${rule}`)))
})

test('oxlint sees every promise that is lost', async () => {
  const { stdout } = await run('oxlint', ['--type-aware', '--format=json', 'pools'])
  const { diagnostics } = JSON.parse(stdout) as { diagnostics: { code: string; filename: string }[] }
  const seen = diagnostics.map(({ code, filename }) => `${filename} ${/\((.*)\)/.exec(code)?.[1]}`)
  expect(seen).toEqual(expect.arrayContaining(promises.map(([file, rule]) => `${file} ${rule}`)))
})

test('tsc refuses what type stripping cannot run', async () => {
  await writeFile(join(home, 'pools/enum.ts'), 'export enum Colour { Red }\nexport const x: number = "y"\n')
  const { stdout } = await run('tsc', ['--noEmit'])
  expect(stdout).toContain('pools/enum.ts(1,13): error TS1294')
  expect(stdout).toContain('pools/enum.ts(2,14): error TS2322')
})

function run(program: string, args: string[]) {
  return execa(program, args, { cwd: home, preferLocal: true, localDir: ROOT, reject: false })
}
