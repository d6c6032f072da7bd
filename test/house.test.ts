import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { execa } from 'execa'
import { expect, test } from 'vitest'
import { loadCatalog } from '../api/catalog.ts'
import { findUnknownCodes, findUntested, findUnthrownCodes, listSamples } from './support/house/catalog.ts'
import { findLongSubjects, readSubjects } from './support/house/commits.ts'
import { findDecisionFaults } from './support/house/decisions.ts'
import { findSlowEngines } from './support/house/engine-imports.ts'
import { ROOT, readRepository } from './support/house/files.ts'
import { findImportCycles, findProductCycles } from './support/house/import-cycles.ts'
import { findEnvironmentReads, findForbiddenImports, isFramework } from './support/house/import-rules.ts'
import {
  findLongFiles,
  findStrayTopFiles,
  findTreeFaults,
  findVagueNames,
  listTreeFolders,
} from './support/house/layout.ts'
import { findLicenceFaults, findPackageFaults, listRuntimePackages } from './support/house/packages.ts'
import {
  findCrowdedFolders,
  findLongSqlFunctions,
  findMisplacedInFamilies,
  findRepeatedNames,
  findUnlistedTools,
} from './support/house/structure.ts'
import { findUnusedExports } from './support/house/unused-exports.ts'
import { findBannedIdentifiers } from './support/house/words.ts'

const repository = readRepository()
const { entries } = await loadCatalog()

test('every folder imports only what it may import', () => {
  expect(findForbiddenImports(repository)).toEqual([])
})

test('only the configuration reads the environment', () => {
  expect(findEnvironmentReads(repository)).toEqual([])
})

test('every operation and every route has a test and an example', () => {
  expect(findUntested(entries, repository)).toEqual([])
})

test('every sample that an example names exists', () => {
  const missing = [...listSamples(entries)].filter(name => !existsSync(join(ROOT, 'tasks/samples', name)))
  expect(missing.map(name => `tasks/samples/${name} is named by an example, but there is no such file`)).toEqual([])
})

test('every declared problem code is in the table, and every code in the table is thrown', () => {
  expect(findUnknownCodes(entries)).toEqual([])
  expect(findUnthrownCodes(repository)).toEqual([])
})

test('importing the catalogue loads no engine and no native addon', async () => {
  const { stdout } = await execa(process.execPath, [join(ROOT, 'test/support/house/print-loaded.ts')])
  const { byTasks, byCatalogue, addons } = JSON.parse(stdout) as Record<string, string[]>
  expect(addons).toEqual([])
  expect(byTasks?.filter(name => name !== '@noble/hashes')).toEqual(['typebox'])
  const engines = [...listRuntimePackages(repository)].filter(name => !isFramework(name))
  expect(byCatalogue!.filter(name => engines.includes(name))).toEqual([])
})

test('no engine loads what only takes time', () => {
  expect(findSlowEngines(repository)).toEqual([])
})

test('no file has a vague name', () => {
  expect(findVagueNames(repository)).toEqual([])
})

test('no file is longer than its limit', () => {
  expect(findLongFiles(repository)).toEqual([])
})

test('the root holds only the top folders and the listed files', () => {
  expect(findStrayTopFiles(repository)).toEqual([])
})

test('the tree of CONTRIBUTING.md shows what is there', () => {
  const page = repository.get('CONTRIBUTING.md') ?? ''
  expect(findTreeFaults(page, listTreeFolders(repository), path => existsSync(join(ROOT, path)))).toEqual([])
})

test('every imported package is declared in the right list, and every declared package is used', () => {
  expect(findPackageFaults(repository)).toEqual([])
})

test('every installed package has an allowed licence', () => {
  expect(findLicenceFaults(repository.get('package-lock.json') ?? '{"packages":{}}', repository)).toEqual([])
})

test('a family holds only operations, its schema, and folders named after its operations', () => {
  expect(findMisplacedInFamilies(repository)).toEqual([])
})

test('every entry of pools/tools is a tool of the inventory or shared by tools', () => {
  expect(findUnlistedTools(repository)).toEqual([])
})

test('no folder holds more than 20 files', () => {
  expect(findCrowdedFolders(repository)).toEqual([])
})

test('no file repeats the name of its folder', () => {
  expect(findRepeatedNames(repository)).toEqual([])
})

test('no SQL function is longer than 60 lines', () => {
  expect(findLongSqlFunctions(repository)).toEqual([])
})

test('no identifier contains a banned word', () => {
  expect(findBannedIdentifiers(repository)).toEqual([])
})

test('no commit has a subject of more than 72 characters', () => {
  expect(findLongSubjects(readSubjects(ROOT))).toEqual([])
})

test('every decision is cited by what follows it, and every citation names a decision', () => {
  expect(findDecisionFaults(repository)).toEqual([])
})

/** A route gets the context, the context holds the catalogue, and the catalogue lists the routes. */
const KNOWN_CYCLES = new Set(['api/catalog.ts,api/context.ts,api/route.ts'])

test('nothing is exported that no other file uses', () => {
  expect(findUnusedExports(repository)).toEqual([])
})

test('no products use each other', () => {
  expect(findProductCycles(repository)).toEqual([])
})

test('there are no import cycles, including those of type imports', () => {
  expect(findImportCycles(repository).filter(cycle => !KNOWN_CYCLES.has(cycle.join()))).toEqual([])
})
