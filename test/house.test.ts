import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { execa } from 'execa'
import { expect, test } from 'vitest'
import { loadCatalog } from '../api/catalog.ts'
import { idleCodes, samplesOf, unknownCodes, untested } from './support/house-catalog.ts'
import { brokenDoors, isRail, strayEnvironment } from './support/house-doors.ts'
import { ROOT, readHouse } from './support/house-files.ts'
import { licenceTrouble, packageTrouble, runningPackages } from './support/house-packages.ts'
import { emptyNames, fictionsInTree, strayAtTop, tooLong } from './support/house-plan.ts'

const house = readHouse()
const { entries } = await loadCatalog()

test('every room imports only what its door lets through', () => {
  expect(brokenDoors(house)).toEqual([])
})

test('only the configuration reads the environment', () => {
  expect(strayEnvironment(house)).toEqual([])
})

test('every operation and every route has a test and an example', () => {
  expect(untested(entries, house)).toEqual([])
})

test('every sample an example names is there', () => {
  const missing = [...samplesOf(entries)].filter(name => !existsSync(join(ROOT, 'test/samples', name)))
  expect(missing.map(name => `test/samples/${name} is named by an example: there is no such file`)).toEqual([])
})

test('every code that is declared is in the table, and every code of the table is thrown', () => {
  expect(unknownCodes(entries)).toEqual([])
  expect(idleCodes(house)).toEqual([])
})

test('importing the catalogue loads no engine and no native addon', async () => {
  const { stdout } = await execa(process.execPath, [join(ROOT, 'test/support/print-loaded.ts')])
  const { byTasks, byCatalogue, addons } = JSON.parse(stdout) as Record<string, string[]>
  expect(addons).toEqual([])
  expect(byTasks).toEqual(['typebox'])
  const engines = [...runningPackages(house)].filter(name => !isRail(name))
  expect(byCatalogue!.filter(name => engines.includes(name))).toEqual([])
})

test('names say what a thing does', () => {
  expect(emptyNames(house)).toEqual([])
})

test('no file is longer than one sitting', () => {
  expect(tooLong(house)).toEqual([])
})

test('the top of the house holds the floors and nothing else', () => {
  expect(strayAtTop(house)).toEqual([])
})

test("the README's tree is the tree", () => {
  expect(fictionsInTree(house.get('README.md') ?? '', path => existsSync(join(ROOT, path)))).toEqual([])
})

test('every package is declared where it is used, and used where it is declared', () => {
  expect(packageTrouble(house)).toEqual([])
})

test('every installed package is under a licence we may use', () => {
  expect(licenceTrouble(house.get('package-lock.json') ?? '{"packages":{}}', house)).toEqual([])
})
