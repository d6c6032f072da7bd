import { readdir, readFile } from 'node:fs/promises'
import { expect, test } from 'vitest'
import { renderConfigurationPage } from '../../ops/configuration-page.ts'
import { providerSettings, VARIABLE_GROUPS, Variables } from '../../ops/variables.ts'

const PAGE = new URL('../../ops/CONFIGURATION.md', import.meta.url)

test('ops/CONFIGURATION.md has the tables of the environment as the schema makes them', async () => {
  expect(await readFile(PAGE, 'utf8'), 'run npm run docs:config to write it again').toBe(renderConfigurationPage())
})

test('every variable belongs to one subject of the page', () => {
  const grouped = Object.values(VARIABLE_GROUPS).flatMap(variables => Object.keys(variables))
  expect(grouped.toSorted()).toEqual(Object.keys(Variables.properties).toSorted())
})

test('the settings of every capability are found in its folder', async () => {
  const folders = await readdir(new URL('../../ops/providers', import.meta.url), { recursive: true })
  const declared = folders.filter(path => path.endsWith('/settings.ts'))
  expect(providerSettings).toHaveLength(declared.length)
  expect(declared).toContain('llm/settings.ts')
  expect(Object.keys(VARIABLE_GROUPS)).toEqual(expect.arrayContaining(providerSettings.map(({ title }) => title)))
})
