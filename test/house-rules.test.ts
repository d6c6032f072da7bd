import { Type } from 'typebox'
import { expect, test } from 'vitest'
import type { Entry } from '#kit'
import { idleCodes, samplesOf, unknownCodes, untested } from './support/house-catalog.ts'
import { brokenDoors, strayEnvironment } from './support/house-doors.ts'
import { licenceTrouble, packageTrouble } from './support/house-packages.ts'
import { emptyNames, fictionsInTree, pathsOf, strayAtTop, tooLong } from './support/house-plan.ts'
import { sampleEntries } from './support/sample-entries.ts'

/** Rules that never fire protect nothing: each is shown a house that breaks it, and one that does not. */
const bad = (path: string, text: string) => new Map([[path, text]])

test.each([
  ['tasks/pdf/turn.ts', "import { readFile } from 'node:fs/promises'", 'a task does no I/O'],
  ['tasks/pdf/turn.ts', "import { x } from 'pdf-lib'", 'no package but typebox'],
  ['tasks/pdf/turn.ts', "import { x } from '../image/shape.ts'", "its family's shapes"],
  ['tasks/pdf/turn.ts', "import { x } from './merge.ts'", "its family's shapes"],
  ['tasks/pdf/turn.ts', "import {\n  hold,\n} from '../../sql/ledger.ts'", 'tasks may not know sql'],
  ['tasks/kit/money.ts', "export { x } from '../pdf/shape.ts'", 'kit may not know tasks'],
  ['pools/probe.ts', "import { x } from '../sql/job.ts'", 'pools may not know sql'],
  ['pools/probe.ts', "import sharp from 'sharp'", 'only in pools/tools'],
  ['workers/main.ts', "const x = await import('../api/server.ts')", 'workers may not know api'],
  ['api/server.ts', "import { x } from '../pools/threads.ts'", 'api may not know pools'],
  ['api/server.ts', "const x = require('sharp')", 'only in pools/tools'],
  ['sql/job.ts', "import { run } from 'graphile-worker'", 'only sql/migrate.ts may'],
  ['ops/config.ts', "import { x } from '../sql/db.ts'", 'ground may not know sql'],
  ['pools/tools/sharp.ts', "import fastify from 'fastify'", 'fastify belongs to api'],
])('a door: in %s, %s is refused', (path, code, said) => {
  expect(brokenDoors(bad(path, code))).toEqual([expect.stringContaining(said)])
})

test.each([
  ['tasks/pdf/turn.ts', "import type { Tools } from '../../pools/tools/index.ts'"],
  ['tasks/pdf/turn.ts', "import { createHash } from 'node:crypto'\nimport { x } from './pages-shape.ts'"],
  ['tasks/pdf/turn.ts', "// import { x } from 'pg'\nconst said = 1"],
  ['pools/tools/sharp.ts', "import sharp from 'sharp'\nimport { run } from '../programs.ts'"],
  ['test/pools/probe.test.ts', "import sharp from 'sharp'"],
])('a door: in %s, %s is let through', (path, code) => {
  expect(brokenDoors(bad(path, code))).toEqual([])
})

test.each(['process.env.HOME', "process['env']", "import { env } from 'node:process'"])(
  'the environment: %s is seen',
  code => {
    expect(strayEnvironment(bad('api/server.ts', code))).toHaveLength(1)
    expect(strayEnvironment(bad('ops/config.ts', code))).toEqual([])
    expect(strayEnvironment(bad('api/server.ts', `// ${code}`))).toEqual([])
    expect(strayEnvironment(bad('pools/sandbox.ts', `const text = \`\n${code}\n\``))).toEqual([])
  },
)

test('an operation or a route without a test or an example is named', () => {
  const [operation] = sampleEntries() as [Entry]
  const place = 'test/tasks/pdf/rotate.test.ts'
  expect(untested([operation], new Map())).toEqual([`tasks/pdf/rotate.ts has no test: ${place}`])
  expect(untested([{ ...operation, examples: [] }], bad(place, ''))).toEqual([
    'tasks/pdf/rotate.ts declares no example',
  ])
  const route: Entry = { ...operation, kind: 'route', name: 'jobs.show', path: '/v1/jobs/{id}', body: Type.Object({}) }
  expect(untested([{ ...route, examples: [] }], new Map())).toHaveLength(2)
  expect(untested([route], bad('test/routes/jobs.test.ts', "get('/v1/jobs/' + id)"))).toEqual([])
})

test('samples are found wherever an example names one', () => {
  expect([...samplesOf(sampleEntries())]).toEqual(['two-pages.pdf'])
})

test('a code nothing throws, one thrown too early and one that is unknown are named', () => {
  const nothing = idleCodes(new Map())
  expect(nothing.some(line => line.startsWith('BAD_RANGE stands'))).toBe(true)
  const thrown = bad('pools/x.ts', "throw new Problem('BAD_RANGE')\nthrow new Problem('BATON_FROZEN')")
  expect(idleCodes(thrown).some(line => line.startsWith('BAD_RANGE'))).toBe(false)
  expect(idleCodes(thrown)).toContain('BATON_FROZEN is thrown now: take it off the list of later codes')
  const declared = bad('tasks/x/y.ts', "define({ errors: ['BAD_RANGE', 'BASE64_INVALID'] })")
  expect(idleCodes(declared).some(line => line.startsWith('BAD_RANGE'))).toBe(true)
  const [operation] = sampleEntries() as [Entry]
  expect(unknownCodes([{ ...operation, errors: ['NO_SUCH' as 'BAD_RANGE'] }])).toHaveLength(1)
})

test("names that say nothing are named, the customer's own address is not", () => {
  expect(emptyNames(bad('pools/job-helpers.ts', ''))).toHaveLength(1)
  expect(emptyNames(bad('api/lib/answer.ts', ''))).toHaveLength(1)
  expect(emptyNames(bad('tasks/utils/hash.ts', ''))).toEqual([])
  expect(emptyNames(bad('tasks/utils/base64.ts', ''))).toEqual([])
})

test('files that are too long are named by their own limit', () => {
  const lines = (count: number) => 'x\n'.repeat(count)
  expect(tooLong(bad('tasks/pdf/turn.ts', lines(121)))).toHaveLength(1)
  expect(tooLong(bad('tasks/pdf/turn.ts', lines(120)))).toEqual([])
  expect(tooLong(bad('tasks/pdf/shape.ts', lines(121)))).toEqual([])
  expect(tooLong(bad('sql/functions/job.sql', lines(301)))).toHaveLength(1)
  expect(tooLong(bad('sql/schema.sql', lines(3000)))).toEqual([])
})

test('what stands at the top and is no floor is named', () => {
  expect(strayAtTop(new Map([['notes.txt', '']]))).toHaveLength(1)
  expect(
    strayAtTop(
      new Map([
        ['LICENSE', ''],
        ['.gitignore', ''],
      ]),
    ),
  ).toEqual([])
})

test('the tree of a README is read by its indents, and its fictions are named', () => {
  const tree = 'tasks/    what\n  kit/    words\n    money.ts price.ts   money\n  pdf/ image/\napi/main.ts   door'
  expect(pathsOf(tree)).toEqual([
    'tasks/',
    'tasks/kit/',
    'tasks/kit/money.ts',
    'tasks/kit/price.ts',
    'tasks/pdf/',
    'tasks/image/',
    'api/main.ts',
  ])
  const readme = `# x\n\n\`\`\`\n${tree}\n\`\`\`\n`
  expect(fictionsInTree(readme, path => path !== 'tasks/kit/price.ts')).toEqual([
    "README.md's tree shows tasks/kit/price.ts: there is no such path",
  ])
})

test('packages that are missing, idle or in the wrong list are named', () => {
  const house = (code: string, manifest: object) =>
    new Map([
      ['package.json', JSON.stringify(manifest)],
      ['api/server.ts', code],
    ])
  const use = "import fastify from 'fastify'"
  expect(packageTrouble(house(use, {}))).toHaveLength(1)
  expect(packageTrouble(house('', { dependencies: { fastify: '5' } }))).toHaveLength(1)
  expect(packageTrouble(house(use, { devDependencies: { fastify: '5' } }))).toHaveLength(1)
  expect(packageTrouble(house(use, { dependencies: { fastify: '5' } }))).toEqual([])
})

test('a licence that is not on the list is named, and so is a GPL program that is linked', () => {
  const lock = (name: string, license?: string) =>
    JSON.stringify({ packages: { [`node_modules/${name}`]: { license } } })
  expect(licenceTrouble(lock('mupdf', 'AGPL-3.0-or-later'), new Map())).toHaveLength(1)
  expect(licenceTrouble(lock('strange'), new Map())).toHaveLength(1)
  expect(licenceTrouble(lock('fine', '(MIT OR GPL-3.0)'), new Map())).toEqual([])
  expect(licenceTrouble(lock('half', 'MIT AND GPL-3.0'), new Map())).toHaveLength(1)
  expect(licenceTrouble(lock('ffmpeg-static', 'GPL-3.0-or-later'), new Map())).toEqual([])
  const linked = bad('pools/probe.ts', "import path from 'ffmpeg-static'")
  expect(licenceTrouble(lock('ffmpeg-static', 'GPL-3.0-or-later'), linked)).toHaveLength(1)
})
