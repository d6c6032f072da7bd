import { expect, test } from 'vitest'
import { loadCatalog } from '../../../api/catalog.ts'
import { buildSearchIndex, findEntries } from '../../../api/surfaces/search/ranking.ts'
import { isSearched, searchCalls } from '../../../api/surfaces/search/results.ts'

const { entries } = await loadCatalog()
const index = buildSearchIndex(entries.filter(isSearched))
const findFirst = (query: string) => findEntries(index, query, 1).ranked[0]!.entry

test('of any two formats, the first answer is a call that converts the one to the other', () => {
  const declared = entries.flatMap(({ converts = [] }) =>
    converts.flatMap(({ from, to }) =>
      from.split(' ').flatMap(one => to.split(' ').map(other => [one, other] as const)),
    ),
  )
  const pairs = declared.filter(([from, to]) => from !== to)
  expect(pairs.length).toBeGreaterThan(300)
  const missed = pairs.filter(([from, to]) => {
    const { converts = [] } = findFirst(`${from} to ${to}`)
    return !converts.some(one => one.from.split(' ').includes(from) && one.to.split(' ').includes(to))
  })
  expect(missed).toEqual([])
})

test.each([
  ['turn my markdown notes into a word file', 'doc.convert'],
  ['save the excel sheet as csv', 'data.from-xlsx'],
  ['I need a PNG of this SVG', 'image.convert'],
  ['heic photos from my iphone to jpeg', 'image.convert'],
  ['make an mp3 out of a video', 'media.audio-extract'],
  ['make a pdf from a word document', 'pdf.from-office'],
  ['PowerPoint to PDF', 'pdf.from-office'],
  ['convert pdf to text', 'pdf.extract-text'],
  ['pdf to images', 'pdf.render'],
  ['merge images to pdf', 'pdf.from-images'],
  ['gif from a video', 'media.gif'],
  ['website to markdown', 'web.readability'],
  ['convert a table in a pdf to excel', 'doc.extract-tables'],
  ['json lines to parquet', 'data.sql'],
  ['convert csv to parquet', 'data.sql'],
  ['excel sheet with formulas to csv', 'data.from-xlsx'],
])('%s', (query, name) => expect(findFirst(query).name).toBe(name))

test.each([
  ['scanned pdf to text', 'pdf.ocr'],
  ['extract images from pdf', 'pdf.images'],
  ['the images of a pdf', 'pdf.images'],
  ['remove page 2 from pdf', 'pdf.pages'],
  ['compare pdf to pdf', 'pdf.diff'],
  ['resize image to 100x100', 'image.resize'],
  ['convert video to 720p', 'media.convert'],
  ['text to qr code', 'codes.qr'],
  ['images to video slideshow', 'media.concat'],
])('%s: is no conversion of formats', (query, name) => expect(findFirst(query).name).toBe(name))

test.each([
  ['pdf to word', 'pdf.to-markdown', 'doc.convert'],
  ['slides of a powerpoint to jpg', 'pdf.from-office', 'pdf.render'],
  ['yaml to csv', 'text.yaml', 'csv.convert'],
  ['excel sheet from html', 'pdf.from-html', 'doc.extract-tables'],
  ['epub to pdf', 'doc.convert', 'pdf.from-markdown'],
  ['a video to pdf', 'media.frames', 'pdf.from-images'],
])('%s: two calls, one after the other, where no single one does it', (query, first, second) => {
  const { results, note } = searchCalls(entries, { query, limit: 3 }, {})
  expect(results.slice(0, 2).map(({ name }) => name)).toEqual([first, second])
  expect(note).toBe(`No single call does it: ${first}, then ${second} with what the first has made.`)
  // Where one of them cannot run, the way is not offered.
  const isAvailable = (name: string) => name !== second
  expect(searchCalls(entries, { query, limit: 3 }, { isAvailable }).note ?? '').not.toContain('No single call')
})

test.each(['png to svg', 'fill a pdf form from json', 'pdf to sculpture'])('%s: is no way of two calls', query => {
  expect(findEntries(index, query, 1)).not.toHaveProperty('steps')
})
