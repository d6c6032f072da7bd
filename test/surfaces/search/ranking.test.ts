import { expect, test } from 'vitest'
import { loadCatalog } from '../../../api/catalog.ts'
import { buildSearchIndex, rankEntries } from '../../../api/surfaces/search/ranking.ts'
import { stem } from '../../../api/surfaces/search/words.ts'
import { QUERIES } from './queries.ts'

const { entries } = await loadCatalog()
const index = buildSearchIndex(entries.filter(({ tool }) => tool !== undefined))
const find = (query: string) => rankEntries(index, query, 5).map(({ entry }) => entry.name)

test('of 120 wishes, the right call is first in 85 %, and among five in 97 %', () => {
  const places = QUERIES.map(([query, ...right]) => find(query).findIndex(name => right.includes(name)))
  const missed = QUERIES.filter((_, at) => places[at] === -1).map(([query]) => `${query}: ${find(query).join(', ')}`)
  expect(QUERIES.length).toBeGreaterThanOrEqual(120)
  expect(places.filter(place => place === 0).length / QUERIES.length).toBeGreaterThanOrEqual(0.85)
  expect(places.filter(place => place >= 0).length / QUERIES.length, missed.join('\n')).toBeGreaterThanOrEqual(0.97)
})

test('every operation has words of its own and is known for', () => {
  const operations = entries.filter(({ kind }) => kind === 'operation')
  const known = new Set(QUERIES.flatMap(([, ...right]) => right))
  expect(operations.filter(({ keywords }) => !keywords).map(({ name }) => name)).toEqual([])
  expect([...known].filter(name => !operations.some(operation => operation.name === name))).toEqual([])
})

test('every operation is found by its own name and summary', () => {
  for (const { name, summary } of entries.filter(({ kind }) => kind === 'operation')) {
    expect(find(name)[0], name).toBe(name)
    expect(find(summary), summary).toContain(name)
  }
})

test.each([
  ['how much money is left', 'account.profile'],
  ['is my job finished', 'jobs.read'],
  ['upload a large file', 'outputs.upload-url'],
])('routes are found too: %s', (query, name) => {
  expect(find(query)).toContain(name)
})

test('misspelt words and any script are understood or ignored, never an error', () => {
  expect(find('pdf watermrak')[0]).toBe('pdf.watermark')
  expect(find('compres jpeg')).toContain('image.compress')
  expect(find('日本語 🦉 ///')).toEqual([])
  expect(find('')).toEqual([])
})

test('a hostile query costs no more than a long sentence', () => {
  const words = Array.from({ length: 10_000 }, (_, at) => `w${(at * 7919).toString(36)}rmark`).join(' ')
  const before = process.cpuUsage()
  for (let run = 0; run < 5; run++) find(words)
  expect(process.cpuUsage(before).user / 5_000).toBeLessThan(500)
})

test.each([
  [['convert', 'converts', 'converting', 'converter', 'converted']],
  [['compress', 'compression', 'compressing', 'compressed']],
  [['crop', 'cropping', 'cropped', 'crops']],
  [['rotate', 'rotation', 'rotating', 'rotates']],
  [['copy', 'copies']],
  [['box', 'boxes']],
])('%j have one stem', forms => {
  expect(new Set(forms.map(stem)).size).toBe(1)
})
