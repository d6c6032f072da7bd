import { existsSync, readFileSync } from 'node:fs'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Pools } from '../../../pools/index.ts'
import { buildPdf, plainPdf, runQpdf } from '../../support/pdf/document.ts'
import { runJob, sharedPools } from '../../support/pools/open.ts'

let pools: Pools & AsyncDisposable
beforeAll(async () => {
  pools = await sharedPools()
})
afterAll(() => pools[Symbol.asyncDispose]())

interface ExtractedText {
  text: string
  pageCount: number
  pages: {
    page: number
    text: string
    chars: number
    hasText: boolean
    garbled: boolean
    lines?: { text: string; box: number[] }[]
    words?: { text: string; box: number[] }[]
  }[]
  needsOcr: number[]
}

const LETTER = readFileSync('tasks/samples/letter.pdf')

async function extractText(body: Record<string, unknown>) {
  const answer = await runJob(pools, 'pdf.extract-text', body)
  return { ...answer, read: answer.result as unknown as ExtractedText }
}

test('reads every page and joins hyphenated words', async () => {
  const { read: found, units } = await extractText({ file: LETTER })
  expect(units).toBe(2)
  expect(found.text).toContain('new instruments that came on Monday')
  expect(found.text.split('\f')).toEqual(found.pages.map(({ text }) => text))
  expect(found.pages[1]).toEqual({
    page: 2,
    text: 'Stores\nOil for forty nights, and rope.',
    chars: 38,
    hasText: true,
    garbled: false,
  })
})

test('keeps hyphenated words divided on request', async () => {
  const { read: found } = await extractText({ file: LETTER, dehyphenate: false, pages: '1' })
  expect(found.text).toContain('instru-\nments')
})

test('reads only the selected pages, in their order', async () => {
  const { read: found, units } = await extractText({ file: LETTER, pages: 'last,1', pageSeparator: '|' })
  expect(units).toBe(2)
  expect(found.pages.map(({ page }) => page)).toEqual([2, 1])
  expect(found.text).toMatch(/^Stores[^|]*\|Harbour report/)
  await expect(extractText({ file: LETTER, pages: '3' })).rejects.toMatchObject({ code: 'BAD_RANGE' })
})

test('returns boxes of lines and words from the top left corner', async () => {
  const { read: lines } = await extractText({ file: LETTER, pages: '1', detail: 'lines' })
  const [title] = lines.pages[0]!.lines!
  expect(title!.text).toBe('Harbour report')
  expect(title!.box[0]).toBeCloseTo(72, 0)
  expect(title!.box[1]).toBeGreaterThan(45)
  expect(title!.box[3]).toBeLessThan(80)
  const { read: words } = await extractText({ file: LETTER, pages: '2', detail: 'words' })
  expect(words.pages[0]!.words!.map(({ text }) => text)).toEqual('Stores Oil for forty nights, and rope.'.split(' '))
})

const TWO_COLUMNS = buildPage(
  Array.from({ length: 6 }, (_, row) => [
    `BT /F 10 Tf 50 ${700 - row * 14} Td (left number ${row} of this column) Tj ET`,
    `BT /F 10 Tf 320 ${700 - row * 14} Td (right number ${row} of that column) Tj ET`,
  ]).flat(),
)

test('reads columns one after the other, or side by side with the physical layout', async () => {
  const { read: reading } = await extractText({ file: TWO_COLUMNS })
  expect(reading.text.indexOf('left number 5')).toBeLessThan(reading.text.indexOf('right number 0'))
  const { read: physical } = await extractText({ file: TWO_COLUMNS, layout: 'physical' })
  expect(physical.text).toMatch(/left number 0 of this column {2,}right number 0/)
})

test('lists the pages that need OCR', async () => {
  const { read: blank } = await extractText({ file: plainPdf(2) })
  expect(blank.needsOcr).toEqual([1, 2])
  expect(blank.pages[0]).toMatchObject({ text: '', hasText: false, garbled: false })
  const unmapped = buildPage(['BT /G 12 Tf 50 700 Td <0001000200030004> Tj ET'])
  const { read: garbled } = await extractText({ file: unmapped })
  expect(garbled.pages[0]).toMatchObject({ hasText: true, garbled: true })
  expect(garbled.needsOcr).toEqual([1])
})

test('reads the hidden text layer of a scan and form values', async () => {
  const { read: hidden } = await extractText({
    file: buildPage(['BT 3 Tr /F 12 Tf 50 700 Td (said by the scan) Tj ET']),
  })
  expect(hidden.text).toBe('said by the scan')
  const { read: form } = await extractText({ file: FORM })
  expect(form.text).toContain('Ada Lovelace')
})

test('opens an encrypted document with its password', async () => {
  const file = runQpdf(LETTER, ['--encrypt', 'geheim', 'owner', '256', '--', 'IN', 'OUT'])
  const { read: found, warnings } = await extractText({ file, password: 'geheim', pages: '2' })
  expect(found.text).toContain('forty nights')
  expect(warnings).toEqual([])
  await expect(extractText({ file })).rejects.toMatchObject({ code: 'PDF_PASSWORD_REQUIRED' })
})

test.each([
  { title: 'an image', file: readFileSync('tasks/samples/gradient.png') },
  { title: 'a truncated document', file: LETTER.subarray(0, 400) },
])('rejects $title', async ({ file }) => {
  await expect(extractText({ file })).rejects.toMatchObject({ code: 'PDF_PARSE_FAILED' })
})

/** A page in a font that maps its glyphs to characters; `buildContent` gets a function that encodes text in it. */
function buildMappedFontPdf(
  characters: string,
  buildContent: (shapes: (text: string) => string) => string[],
  encoding = 'Identity-H',
) {
  const all = [...new Set(characters)]
  const hex = (code: number) => code.toString(16).padStart(4, '0')
  const shapes = (text: string) => `<${[...text].map(letter => hex(all.indexOf(letter) + 1)).join('')}>`
  const pairs = all.map(
    (character, at) => `1 beginbfchar <${hex(at + 1)}> <${hex(character.codePointAt(0)!)}> endbfchar`,
  )
  const map =
    '/CIDInit /ProcSet findresource begin 12 dict begin begincmap /CMapName /M def\n' +
    `1 begincodespacerange <0000> <FFFF> endcodespacerange\n${pairs.join('\n')}\nendcmap end end`
  return buildPdf([
    '<< /Type /Catalog /Pages 2 0 R >>',
    '<< /Type /Pages /Count 1 /Kids [3 0 R] >>',
    '<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Contents 4 0 R /Resources << /Font << /F 5 0 R >> >> >>',
    buildStream(buildContent(shapes).join('\n')),
    `<< /Type /Font /Subtype /Type0 /BaseFont /Nameless /Encoding /${encoding} /ToUnicode 7 0 R /DescendantFonts [6 0 R] >>`,
    '<< /Type /Font /Subtype /CIDFontType2 /BaseFont /Nameless /CIDSystemInfo << /Registry (Adobe) /Ordering (Identity) /Supplement 0 >> /DW 600 >>',
    buildStream(map),
  ])
}

const reverse = (text: string) => [...text].reverse().join('')

test('reads right-to-left words in reading order', async () => {
  const hebrew = 'שלום (עולם) 123'
  const file = buildMappedFontPdf(hebrew, shapes => [
    `BT /F 12 Tf 300 700 Td ${shapes('123')} Tj ET BT /F 12 Tf 328 700 Td ${shapes(reverse('שלום (עולם)'))} Tj ET`,
  ])
  const { read: found } = await extractText({ file })
  expect(found.text).toBe('שלום (עולם) 123')
  expect((await extractText({ file, dehyphenate: false })).read.text).toBe('שלום (עולם) 123')
  const { read: words } = await extractText({ file, detail: 'words' })
  expect(words.pages[0]!.words!.map(({ text }) => text)).toEqual(['שלום', '(עולם)', '123'])
  const { read: lines } = await extractText({ file, detail: 'lines' })
  expect(lines.pages[0]!.lines!.map(({ text }) => text)).toEqual(['שלום (עולם) 123'])
})

test('reads right-to-left words within left-to-right text', async () => {
  const mixed = buildMappedFontPdf('the first line of שלום עולם', shapes => [
    `BT /F 12 Tf 100 700 Td ${shapes('the first ')} Tj ${shapes(reverse('שלום עולם'))} Tj ${shapes(' line of')} Tj ET`,
  ])
  for (const body of [{}, { dehyphenate: false }, { layout: 'physical' }]) {
    const { read: found } = await extractText({ file: mixed, ...body })
    expect(found.text.replaceAll(/ +/g, ' ')).toBe('the first שלום עולם line of')
  }
})

const HAS_ASIAN_TABLES = existsSync('/usr/share/poppler/cMap/Adobe-Japan1/90ms-RKSJ-H')

test.skipIf(!HAS_ASIAN_TABLES)('reads legacy Asian encodings', async () => {
  const file = buildPdf([
    '<< /Type /Catalog /Pages 2 0 R >>',
    '<< /Type /Pages /Count 1 /Kids [3 0 R] >>',
    '<< /Type /Page /Parent 2 0 R /MediaBox [0 0 200 100] /Contents 4 0 R /Resources << /Font << /F 5 0 R >> >> >>',
    buildStream('BT /F 24 Tf 20 40 Td <93fa967b8cea> Tj ET'),
    '<< /Type /Font /Subtype /Type0 /BaseFont /Ryumin-Light-90ms-RKSJ-H /Encoding /90ms-RKSJ-H /DescendantFonts [6 0 R] >>',
    '<< /Type /Font /Subtype /CIDFontType0 /BaseFont /Ryumin-Light /CIDSystemInfo << /Registry (Adobe) /Ordering (Japan1) /Supplement 2 >> /DW 1000 >>',
  ])
  expect((await extractText({ file })).read.text).toBe('日本語')
})

test('reads vertical columns from right to left', async () => {
  const [first, second] = ['縦書きの文', '二行目です']
  const file = buildMappedFontPdf(
    first + second,
    shapes => [`BT /F 12 Tf 400 700 Td ${shapes(first)} Tj ET BT /F 12 Tf 380 700 Td ${shapes(second)} Tj ET`],
    'Identity-V',
  )
  const { read: found } = await extractText({ file, detail: 'lines' })
  expect(found.text).toBe(`${first}\n${second}`)
  expect(found.pages[0]!.lines!.map(({ text }) => text)).toEqual([first, second])
})

test.each([
  ['up the page', '0 1 -1 0', (at: number) => `${100 + 14 * at} 100`],
  ['down the page', '0 -1 1 0', (at: number) => `${300 - 14 * at} 700`],
  ['upside down', '-1 0 0 -1', (at: number) => `400 ${100 + 14 * at}`],
])('reads text that runs %s', async (_, turn, place) => {
  const lines = ['the first line of a paragraph', 'that goes on for a while', 'in the second and the third']
  const file = buildMappedFontPdf(lines.join(''), shapes =>
    lines.map((line, at) => `BT /F 12 Tf ${turn} ${place(at)} Tm ${shapes(line)} Tj ET`),
  )
  expect((await extractText({ file })).read.text).toBe(lines.join('\n'))
})

function buildStream(content: string, entries = ''): string {
  return `<< ${entries} /Length ${content.length} >>\nstream\n${content}\nendstream`
}

/** One page with these operators; the font G maps its codes to private-use characters. */
function buildPage(operators: readonly string[]): Buffer {
  const map =
    '/CIDInit /ProcSet findresource begin 12 dict begin begincmap /CMapName /M def\n' +
    '1 begincodespacerange <0000> <FFFF> endcodespacerange\n1 beginbfrange <0001> <0004> <E001> endbfrange\nendcmap end end'
  return buildPdf([
    '<< /Type /Catalog /Pages 2 0 R >>',
    '<< /Type /Pages /Count 1 /Kids [3 0 R] >>',
    '<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Contents 4 0 R /Resources << /Font << /F 5 0 R /G 6 0 R >> >> >>',
    buildStream(operators.join('\n')),
    '<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>',
    '<< /Type /Font /Subtype /Type0 /BaseFont /Nameless /Encoding /Identity-H /ToUnicode 8 0 R /DescendantFonts [7 0 R] >>',
    '<< /Type /Font /Subtype /CIDFontType2 /BaseFont /Nameless /CIDSystemInfo << /Registry (Adobe) /Ordering (Identity) /Supplement 0 >> /DW 600 >>',
    buildStream(map),
  ])
}

const FORM = buildPdf([
  '<< /Type /Catalog /Pages 2 0 R /AcroForm << /Fields [4 0 R] /DA (/Helv 12 Tf 0 g) /DR << /Font << /Helv 5 0 R >> >> >> >>',
  '<< /Type /Pages /Count 1 /Kids [3 0 R] >>',
  '<< /Type /Page /Parent 2 0 R /MediaBox [0 0 300 300] /Annots [4 0 R] >>',
  '<< /Type /Annot /Subtype /Widget /F 4 /FT /Tx /T (name) /V (Ada Lovelace) /DA (/Helv 12 Tf 0 g) /Rect [20 200 280 220] /P 3 0 R /AP << /N 6 0 R >> >>',
  '<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>',
  buildStream(
    '/Tx BMC BT /Helv 12 Tf 2 5 Td (Ada Lovelace) Tj ET EMC',
    '/Type /XObject /Subtype /Form /BBox [0 0 260 20] /Resources << /Font << /Helv 5 0 R >> >>',
  ),
])
