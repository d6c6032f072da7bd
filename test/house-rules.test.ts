import { Type } from 'typebox'
import { expect, test } from 'vitest'
import type { Entry } from '#kit'
import { findUnknownCodes, findUntested, findUnthrownCodes, listSamples } from './support/house/catalog.ts'
import { findImportCycles } from './support/house/import-cycles.ts'
import { findEnvironmentReads } from './support/house/import-rules.ts'
import {
  findLongFiles,
  findStrayTopFiles,
  findTreeFaults,
  findVagueNames,
  listTreeFolders,
  parseTree,
} from './support/house/layout.ts'
import { findLicenceFaults, findPackageFaults } from './support/house/packages.ts'
import {
  findCrowdedFolders,
  findLongSqlFunctions,
  findMisplacedInFamilies,
  findRepeatedNames,
  findUnlistedTools,
} from './support/house/structure.ts'
import { findUnusedExports } from './support/house/unused-exports.ts'
import { BANNED_WORDS, findBannedIdentifiers } from './support/house/words.ts'
import { sampleEntries } from './support/operations/sample-entries.ts'

/** Every rule is tested with files that break it and with files that do not, because a rule that never fires is useless. */
const bad = (path: string, text: string) => new Map([[path, text]])

test.each(['process.env.HOME', "process['env']", "import { env } from 'node:process'"])(
  'reads of the environment: %s is found',
  code => {
    expect(findEnvironmentReads(bad('api/server.ts', code))).toHaveLength(1)
    expect(findEnvironmentReads(bad('ops/config.ts', code))).toEqual([])
    expect(findEnvironmentReads(bad('api/server.ts', `// ${code}`))).toEqual([])
    expect(findEnvironmentReads(bad('pools/programs/sandbox.ts', `const text = \`\n${code}\n\``))).toEqual([])
  },
)

test('reports an operation or a route without a test or an example', () => {
  const [operation] = sampleEntries() as [Entry]
  const place = 'test/tasks/pdf/rotate.test.ts'
  expect(findUntested([operation], new Map())).toEqual([`tasks/pdf/rotate.ts has no test: ${place}`])
  expect(findUntested([{ ...operation, examples: [] }], bad(place, ''))).toEqual([
    'tasks/pdf/rotate.ts declares no example',
  ])
  const route: Entry = { ...operation, kind: 'route', name: 'jobs.show', path: '/v1/jobs/{id}', body: Type.Object({}) }
  expect(findUntested([{ ...route, examples: [] }], new Map())).toHaveLength(2)
  expect(findUntested([route], bad('test/routes/jobs/tickets.test.ts', "get('/v1/jobs/' + id)"))).toEqual([])
})

test('finds every sample that an example names', () => {
  expect([...listSamples(sampleEntries())]).toEqual(['two-pages.pdf'])
})

test('reports a code that nothing throws, and an unknown code', () => {
  const nothing = findUnthrownCodes(new Map())
  expect(nothing.some(line => line.startsWith('BAD_RANGE is in'))).toBe(true)
  const thrown = bad('pools/x.ts', "throw new Problem('BAD_RANGE')")
  expect(findUnthrownCodes(thrown).some(line => line.startsWith('BAD_RANGE'))).toBe(false)
  const declared = bad('tasks/x/y.ts', "define({ errors: ['BAD_RANGE', 'BASE64_INVALID'] })")
  expect(findUnthrownCodes(declared).some(line => line.startsWith('BAD_RANGE'))).toBe(true)
  const [operation] = sampleEntries() as [Entry]
  expect(findUnknownCodes([{ ...operation, errors: ['NO_SUCH' as 'BAD_RANGE'] }])).toHaveLength(1)
})

test("reports vague names, but not those that follow the customer's URL", () => {
  expect(findVagueNames(bad('pools/job-helpers.ts', ''))).toHaveLength(1)
  expect(findVagueNames(bad('api/lib/answer.ts', ''))).toHaveLength(1)
  expect(findVagueNames(bad('tasks/utils/hash.ts', ''))).toEqual([])
  expect(findVagueNames(bad('tasks/utils/base64.ts', ''))).toEqual([])
})

test('reports files that are longer than the limit of their kind', () => {
  const lines = (count: number) => 'x\n'.repeat(count)
  expect(findLongFiles(bad('tasks/pdf/turn.ts', lines(121)))).toHaveLength(1)
  expect(findLongFiles(bad('tasks/pdf/turn.ts', lines(120)))).toEqual([])
  expect(findLongFiles(bad('tasks/pdf/schema.ts', lines(121)))).toEqual([])
  expect(findLongFiles(bad('sql/functions/job.sql', lines(301)))).toHaveLength(1)
  expect(findLongFiles(bad('sql/schema.sql', lines(3000)))).toEqual([])
})

test('reports unexpected files in the root', () => {
  expect(findStrayTopFiles(new Map([['notes.txt', '']]))).toHaveLength(1)
  expect(
    findStrayTopFiles(
      new Map([
        ['LICENSE', ''],
        ['.gitignore', ''],
      ]),
    ),
  ).toEqual([])
})

test('reads a tree of folders by its indentation, and reports what it shows in vain or leaves out', () => {
  const tree = 'tasks/    what\n  kit/    words\n    money.ts price.ts   money\n  pdf/ image/\napi/main.ts   entry'
  expect(parseTree(tree)).toEqual([
    'tasks/',
    'tasks/kit/',
    'tasks/kit/money.ts',
    'tasks/kit/price.ts',
    'tasks/pdf/',
    'tasks/image/',
    'api/main.ts',
  ])
  const page = `# x\n\n\`\`\`\n${tree}\n\`\`\`\n`
  expect(findTreeFaults(page, ['tasks/', 'sql/'], path => path !== 'tasks/kit/price.ts')).toEqual([
    'the tree shows tasks/kit/price.ts: there is no such path',
    'the tree lacks sql/',
  ])
  expect(findTreeFaults('# x', [], () => true)).toEqual(['the page has no tree of folders'])
  const files = ['api/mcp/tools.ts', 'api/main.ts', 'tasks/pdf/merge.ts', '.ci/run', 'README.md']
  expect(listTreeFolders(new Map(files.map(file => [file, ''])))).toEqual(['api/', 'api/mcp/', 'tasks/'])
})

test('reports packages that are missing, unused or in the wrong list', () => {
  const project = (code: string, manifest: object) =>
    new Map([
      ['package.json', JSON.stringify(manifest)],
      ['api/server.ts', code],
    ])
  const use = "import fastify from 'fastify'"
  expect(findPackageFaults(project(use, {}))).toHaveLength(1)
  expect(findPackageFaults(project('', { dependencies: { fastify: '5' } }))).toHaveLength(1)
  expect(findPackageFaults(project(use, { devDependencies: { fastify: '5' } }))).toHaveLength(1)
  expect(findPackageFaults(project(use, { dependencies: { fastify: '5' } }))).toEqual([])
})

test('reports a licence that is not on the list, and a GPL package that is imported outside a tool', () => {
  const lock = (name: string, license?: string) =>
    JSON.stringify({ packages: { [`node_modules/${name}`]: { license } } })
  expect(findLicenceFaults(lock('mupdf', 'AGPL-3.0-or-later'), new Map())).toHaveLength(1)
  expect(findLicenceFaults(lock('strange'), new Map())).toHaveLength(1)
  expect(findLicenceFaults(lock('fine', '(MIT OR GPL-3.0)'), new Map())).toEqual([])
  expect(findLicenceFaults(lock('half', 'MIT AND GPL-3.0'), new Map())).toHaveLength(1)
  expect(findLicenceFaults(lock('ffmpeg-static', 'GPL-3.0-or-later'), new Map())).toEqual([])
  const linked = bad('pools/inspect/probe.ts', "import path from 'ffmpeg-static'")
  expect(findLicenceFaults(lock('ffmpeg-static', 'GPL-3.0-or-later'), linked)).toHaveLength(1)
})

test('reports files that do not belong in a family', () => {
  const family = (...paths: string[]) => findMisplacedInFamilies(new Map(paths.map(path => [path, ''])))
  expect(family('tasks/pdf/merge.ts', 'tasks/pdf/merge/plan.ts', 'tasks/pdf/schema.ts')).toEqual([])
  expect(family('tasks/formats/pdf/pages.ts', 'tasks/kit/money.ts')).toEqual([])
  expect(family('tasks/pdf/plans/merge.ts')).toHaveLength(1)
  expect(family('tasks/pdf/merge.ts', 'tasks/pdf/merge/steps/one.ts')).toHaveLength(1)
  expect(family('tasks/pdf/notes.md')).toHaveLength(1)
})

test('reports an entry of pools/tools that is not in the inventory', () => {
  const inventory = ['pools/tools/index.ts', "load: () => import('./qpdf/tool.ts')"] as const
  expect(findUnlistedTools(new Map([inventory, ['pools/tools/qpdf/tool.ts', '']]))).toEqual([])
  expect(findUnlistedTools(new Map([inventory, ['pools/tools/other.ts', '']]))).toHaveLength(1)
})

test('reports a folder with too many files, except a family', () => {
  const many = (folder: string) => new Map(Array.from({ length: 21 }, (_, index) => [`${folder}/f${index}.ts`, '']))
  expect(findCrowdedFolders(many('pools/tools'))).toHaveLength(1)
  expect(findCrowdedFolders(many('tasks/pdf'))).toEqual([])
})

test.each([
  ['pools/redaction/redaction-boxes.ts', 1],
  ['pools/threads/threads.ts', 1],
  ['pools/threads/thread.ts', 1],
  ['pools/redaction/boxes.ts', 0],
])('names that repeat the name of their folder: %s', (path, faults) => {
  expect(findRepeatedNames(bad(path, ''))).toHaveLength(faults)
})

test('reports an SQL function that is too long', () => {
  const body = (lines: number) => `create or replace function job.x() returns void as $$\n${'x;\n'.repeat(lines)}$$;`
  expect(findLongSqlFunctions(bad('sql/functions/job.sql', body(60)))).toHaveLength(1)
  expect(findLongSqlFunctions(bad('sql/functions/job.sql', body(50)))).toEqual([])
})

test('reports what is exported and used nowhere else', () => {
  const repository = new Map([
    ['api/a.ts', 'export const used = 1\nexport function alone() {}\nexport type Lonely = string\n'],
    ['api/b.ts', "import { used } from './a.ts'\nvoid used\n"],
  ])
  expect(findUnusedExports(repository)).toEqual([
    'api/a.ts exports alone, which nothing else uses',
    'api/a.ts exports Lonely, which nothing else uses',
  ])
})

test('reports an import cycle, including one of type imports', () => {
  const files = (back: string) =>
    new Map([
      ['pools/one.ts', "import { two } from './two.ts'\n"],
      ['pools/two.ts', `import { three } from './three.ts'\n`],
      ['pools/three.ts', back],
    ])
  expect(findImportCycles(files("import type { One } from './one.ts'\n"))).toEqual([
    ['pools/one.ts', 'pools/three.ts', 'pools/two.ts'],
  ])
  expect(findImportCycles(files("import { join } from 'node:path'\n"))).toEqual([])
})

test.each([
  ['const roomSize = 1', 'roomSize'],
  ['function openDoor() {}', 'openDoor'],
  ['interface StrangerInfo {}', 'StrangerInfo'],
  ['type Reply = { told?: string }', 'told'],
  ['class Lane { #isHurt = false }', '#isHurt'],
  ['const run = (jobRoom: string) => 1', 'jobRoom'],
  ['const { size: floorSize } = file', 'floorSize'],
  ['const text = `a $\u007brows.map(deed => `b $\u007b1}`)}`', 'deed'],
  ['const MOST_PIXELS = 1', 'MOST_PIXELS'],
  ['const toolsFor = 1', 'toolsFor'],
  ['const ratio = a / b; const crew = c / d', 'crew'],
  ["const a = await import('./a.ts'), door = a, from = 1", 'door'],
])('identifiers: %s is refused', (code, name) => {
  const expected = expect.stringContaining(`pools/x.ts:1 ${name} `)
  expect(findBannedIdentifiers(bad('pools/x.ts', code))).toEqual([expected])
})

test.each([...BANNED_WORDS.keys()])('identifiers: every form of the word %s is refused', word => {
  const title = word[0]!.toUpperCase() + word.slice(1)
  const names = [word, `${word}Size`, `open${title}`, `OLD_${word.toUpperCase()}`, `old_${word}`, title]
  const code = names.map(name => `let ${name} = 1\n`).join('')
  expect(findBannedIdentifiers(bad('pools/x.ts', code))).toHaveLength(names.length)
})

test.each([
  ['pools/x.ts', 'const size = Math.floor(1.5)'],
  ['pools/x.ts', "import { isTold } from './told.ts'\nisTold()"],
  ['pools/x.ts', 'const text = "the door" + \'the room\' + `the $\u007b1} house`'],
  ['pools/x.ts', '// the stranger\n/* the crew */ const size = 1'],
  ['pools/x.ts', 'const isMatch = /door|room/.test(text)'],
  ['pools/x.ts', 'const bathroom = 1; const flooring = 2; const almost = 3'],
  ['tasks/kit/price.ts', 'export const PRICE_FLOOR = 1n'],
  ['api/surfaces/prices.ts', 'interface Price { floorMicros: string }'],
  ['ops/bench/main.ts', 'const benchFolder = 1'],
  ['sql/functions/job.sql', 'declare _room uuid'],
])('identifiers: in %s, %s is allowed', (path, code) => {
  expect(findBannedIdentifiers(bad(path, code))).toEqual([])
})
