import { execFileSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { sortFields } from '../../../api/products/esigndoc/signer/page/document.ts'
import { parseTextBoxes } from '../../../pools/tools/poppler/text-boxes.ts'
import type { FoundPlaces, PlaceSearch } from '../../../tasks/products/esigndoc/document.ts'
import { findAnchor, findAutomatic } from '../../../tasks/products/esigndoc/documents/anchors.ts'
import { listTags, readTag } from '../../../tasks/products/esigndoc/documents/tags.ts'
import { closePages, openBrowser } from '../../support/browser/open.ts'
import { NEVER, openEngine } from '../../support/signing/engine.ts'

let engine: Awaited<ReturnType<typeof openEngine>>
let browser: Awaited<ReturnType<typeof openBrowser>>
beforeAll(async () => {
  ;[engine, browser] = await Promise.all([openEngine(), openBrowser()])
})
afterAll(async () => {
  await closePages(browser)
  await engine[Symbol.asyncDispose]()
})

/** A page as a browser prints it, which gives Arabic letters by the forms that they take within a word. */
async function print(paragraphs: readonly string[]) {
  const page = await browser.newPage()
  await page.setContent(`<body dir="rtl">${paragraphs.map(text => `<p>${text}</p>`).join('')}`)
  const bytes = await page.pdf({ width: '400px', height: '400px' })
  await page.close()
  return { bytes, stored: await engine.put(bytes) }
}

const NOTHING: PlaceSearch = { tags: true, anchors: [], automatic: true }
const MIDDLE = 50

test.each([
  ['Hebrew', 'הצדדים מסכימים', 'חתימה: __________________', 'תאריך: __________', 'הצדדים'],
  ['Arabic', 'اتفق الطرفان على ما يلي', 'التوقيع: __________________', 'التاريخ: __________', 'الطرفان على'],
])('finds the printed places and texts of a document in %s', async (_, text, sign, date, anchor) => {
  const { stored } = await print([text, sign, date])
  expect((await engine.documents.inspect(stored, NEVER)).pages).toMatchObject([{ isRightToLeft: true }])
  const { places } = await engine.documents.findPlaces([stored], NOTHING, NEVER)
  expect(places.map(({ type }) => type)).toEqual(['signature', 'date'])
  // They take the place of the printed lines, which stand to the left of their labels and are narrower than the page.
  for (const { x, w } of places) expect(x > 10 && x + w < 100 && w < MIDDLE).toBe(true)
  const anchors = [{ id: 'a', search: { text: anchor, occurrence: 'first', remove: false } as const }]
  const found = await engine.documents.findPlaces([stored], { ...NOTHING, automatic: false, anchors }, NEVER)
  expect(found.missing).toEqual([])
})

test('a tag of a line that is read from right to left is found, taken out, and grows to the left', async () => {
  const { bytes, stored } = await print(['שם: {{name:1}}', 'חתימה: {{sig:2}}'])
  const { places, changed } = await engine.documents.findPlaces([stored], NOTHING, NEVER)
  expect(places.map(({ type, recipient }) => [type, recipient])).toEqual([
    ['name', 1],
    ['signature', 2],
  ])
  const path = engine.path('printed.pdf')
  writeFileSync(path, bytes)
  const words = execFileSync('pdftotext', ['-bbox', path, '-'], { encoding: 'utf8' })
  const [, right] = /xMax="([\d.]+)"[^>]*>[^<]*sig/.exec(words)!
  const sign = places[1]!
  expect(((sign.x + sign.w) / 100) * 300).toBeCloseTo(Number(right), -1)
  writeFileSync(path, changed[0]!.bytes)
  expect(execFileSync('pdftotext', [path, '-'], { encoding: 'utf8' })).not.toContain('sig')
})

/** A line as Office programs write it: words from left to right, brackets as they were written, and words of their own. */
function readLine(words: readonly (readonly [left: number, right: number, text: string])[]) {
  const tags = words.map(
    ([left, right, text]) => `<word xMin="${left}" yMin="88" xMax="${right}" yMax="104">${text}</word>`,
  )
  const line = `<line xMin="56" yMin="88" xMax="500" yMax="104">${tags.join('')}</line>`
  return parseTextBoxes(`<page width="595" height="842">${line}</page>`, '')
}

test('brackets and colons that stand apart go with the line', () => {
  const tag = readLine([
    ...([[56.7, 66.1, '}}'] as const, [66, 89.3, 'sig:1'] as const] as const),
    ...([[89.5, 98.5, '{{'] as const, [101.6, 139.5, ':המיתח'] as const] as const),
  ])
  expect(tag[0]!.lines[0]!.text).toBe('חתימה: {{ sig:1 }}')
  expect(listTags([], tag).map(({ text }) => readTag(text))).toMatchObject([{ type: 'signature', recipient: 1 }])
  const labelled = readLine([
    ...([[10, 19, '}}'] as const, [19, 40, 'ריע'] as const, [40, 44, ':'] as const] as const),
    ...([[44, 90, 'text:2'] as const, [90, 99, '{{'] as const] as const),
  ])
  expect(listTags([], labelled).map(({ text }) => readTag(text))).toMatchObject([{ recipient: 2, label: 'עיר' }])
  const colon = readLine([
    [244, 247.7, ':'],
    [247.6, 290, 'ןמקלדכ'],
  ])
  expect(findAnchor({ text: 'כדלקמן:', occurrence: 'first', remove: false }, colon)).toHaveLength(1)
})

test('letters that only lengthen a word, and marks of direction, do not matter', () => {
  const line = readLine([[56, 120, ':\u200fعيــقوتلا']])
  expect(findAnchor({ text: 'التوقيع:', occurrence: 'first', remove: false }, line)).toHaveLength(1)
})

test('of two places on one line that is read from right to left, the right one is of the first signer', () => {
  const line = readLine([
    ...([[60, 160, '____________'] as const, [162, 200, ':המיתח'] as const] as const),
    ...([[300, 400, '____________'] as const, [402, 440, ':המיתח'] as const] as const),
  ])
  expect(findAutomatic(line).map(({ type, box: [left] }) => [type, left])).toEqual([
    ['signature', 300],
    ['signature', 60],
  ])
})

type Field = Parameters<typeof sortFields>[0][number]

test('fields are asked for in the direction in which their page is read', () => {
  const place = (id: string, page: number, x: number, y: number) =>
    ({ id, file: 0, page, x, y, w: 20, h: 4 }) as unknown as Field
  const fields = [place('a', 1, 10, 50), place('b', 1, 60, 50.5), place('c', 2, 10, 50), place('d', 2, 60, 50)]
  const pages = [{ isRightToLeft: true }, {}] as FoundPlaces['changed'][number]['pages']
  expect(sortFields(fields, [{ pages }]).map(({ id }) => id)).toEqual(['b', 'a', 'c', 'd'])
})

test('lines to sign on are added with the signature at the right, below text that is read from right to left', async () => {
  const { stored } = await print(['הצדדים מסכימים'])
  const signers = [{ recipient: 1, name: 'דוד לוי' }]
  const fallback = { style: 'block', page: 'last', signers, language: 'en' } as const
  const below = await engine.documents.findPlaces([stored], { ...NOTHING, fallback }, NEVER)
  const [sign, date] = below.places as [FoundPlaces['places'][number], FoundPlaces['places'][number]]
  expect([sign.type, date.type, sign.page, sign.x > date.x]).toEqual(['signature', 'date', 1, true])
  const own = await engine.documents.findPlaces(
    [stored],
    { ...NOTHING, fallback: { ...fallback, style: 'page' } },
    NEVER,
  )
  const [first, second] = own.places as [FoundPlaces['places'][number], FoundPlaces['places'][number]]
  expect([first.type, first.page, first.x < second.x]).toEqual(['signature', 2, true])
})
