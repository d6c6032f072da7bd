import { readFile } from 'node:fs/promises'
import { expect, test } from 'vitest'
import { renderConfigurationPage } from '../../ops/configuration-page.ts'
import { VARIABLE_GROUPS, Variables } from '../../ops/variables.ts'

const PAGE = new URL('../../ops/CONFIGURATION.md', import.meta.url)

test('ops/CONFIGURATION.md has the tables of the environment as the schema makes them', async () => {
  expect(await readFile(PAGE, 'utf8'), 'run npm run docs:config to write it again').toBe(renderConfigurationPage())
})

test('every variable belongs to one subject of the page', () => {
  const grouped = Object.values(VARIABLE_GROUPS).flatMap(variables => Object.keys(variables))
  expect(grouped.toSorted()).toEqual(Object.keys(Variables.properties).toSorted())
})
