import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { utils, write } from '@e965/xlsx'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Pools } from '../../../pools/index.ts'
import { changeZip } from '../../support/data/change-zip.ts'
import { runOperation } from '../../support/operations/run.ts'
import { runQpdf } from '../../support/pdf/document.ts'
import { runJob, sharedPools } from '../../support/pools/open.ts'

let pools: Pools & AsyncDisposable
const folder = mkdtempSync(join(tmpdir(), 'to-markdown-'))
beforeAll(async () => {
  pools = await sharedPools()
})
afterAll(async () => {
  rmSync(folder, { recursive: true })
  await pools[Symbol.asyncDispose]()
})

const sample = (name: string) => readFileSync(`tasks/samples/${name}`)
const convert = (file: string | Uint8Array, body: object = {}) =>
  runJob(
    pools,
    'doc.to-markdown',
    { file: typeof file === 'string' ? Buffer.from(file) : file, ...body },
    { limitSeconds: 60 },
  )

/** Debian's pandoc writes the sources and reads the Markdown; it is another release than the one that converts. */
function runPandoc(args: readonly string[], input: Buffer | string): Buffer {
  return execFileSync('pandoc', args, { input, cwd: folder, stdio: ['pipe', 'pipe', 'ignore'] })
}

function writeAs(format: string): Buffer {
  const source = '# Harbour\n\nWind *north-west*.\n\n| Hour | Wind |\n|------|------|\n| 6 | NW |\n'
  runPandoc(['-f', 'markdown', '-t', format, '-s', '-o', `source.${format}`, '--metadata', 'title=Log'], source)
  return readFileSync(join(folder, `source.${format}`))
}

function removeFromZip(file: Buffer, part: string): Buffer {
  const path = join(folder, 'changed.zip')
  writeFileSync(path, file)
  execFileSync('zip', ['-q', '-d', path, part], { cwd: folder })
  return readFileSync(path)
}

const readHtml = (markdown: Buffer) => runPandoc(['-f', 'gfm', '-t', 'html'], markdown).toString().replaceAll('\n', '')

test.each([
  ['odt', 2000n],
  ['pptx', 2000n],
  ['html', 2000n],
  ['ipynb', 2000n],
  ['rtf', 10_000n],
] as const)('converts %s', async (format, price) => {
  const { result, bytes, chargedMicros } = await convert(writeAs(format))
  expect(result.format).toBe(format)
  expect(chargedMicros).toBe(price)
  const html = readHtml(bytes)
  expect(html).toMatch(/<h[12][^>]*>(?:<span[^>]*><.span>)?Harbour<.h/)
  expect(html).toMatch(/<t[hd][^>]*>(?:<strong>)?Hour[\s\S]*<td[^>]*>NW/)
  expect(html).toMatch(format === 'pptx' ? /north-west/ : /<em>north-west<\/em>/)
})

test('converts without LibreOffice what needs none', async () => {
  const convertWithout = (format: string) =>
    runJob(pools, 'doc.to-markdown', { file: writeAs(format) }, { missingTools: ['libreoffice'] })
  expect((await convertWithout('odt')).result.format).toBe('odt')
  await expect(convertWithout('rtf')).rejects.toMatchObject({ name: 'ToolMissing', tool: 'libreoffice' })
})

test('leaves the pictures of a Word document out', async () => {
  const { result, bytes } = await convert(sample('log-book.docx'))
  expect(result).toMatchObject({ format: 'docx' })
  const html = readHtml(bytes)
  expect(html).toMatch(/<h1[^>]*>Monday<\/h1>.*<strong>force 6<\/strong>.*<td[^>]*>NW 6<\/td>.*<li>.*Lamp/)
  expect(html).not.toMatch(/<img|base64/)
})

const WORDS_OF_TITLE = ['The Log', 'of the Harbour', 'Ann Aker', 'Ben Berg', '1 May 2024']
const TITLED = `---\ntitle: The Log\nsubtitle: of the Harbour\nauthor: [Ann Aker, Ben Berg]\ndate: 1 May 2024\n---\n\n# Monday\n\nFog.\n`

test('keeps title, subtitle, authors and date of a Word document', async () => {
  runPandoc(['-f', 'markdown', '-t', 'docx', '-o', 'titled.docx'], TITLED)
  const file = readFileSync(join(folder, 'titled.docx'))
  const { bytes, warnings } = await convert(file)
  expect(bytes.toString()).toBe(`# ${WORDS_OF_TITLE.join('\n\n')}\n\n# Monday\n\nFog.\n`)
  expect(warnings).toEqual([])
  const cases: [string, boolean][] = [
    ...(['markdown', 'html', 'latex', 'plain'] as const).map((to): [string, boolean] => [to, false]),
    ...(['plain', 'rtf', 'org', 'asciidoc', 'ipynb', 'rst', 'gfm'] as const).map((to): [string, boolean] => [to, true]),
  ]
  for (const [to, standalone] of cases) {
    const converted = await runJob(pools, 'doc.convert', { file, from: undefined, to, options: { standalone } })
    const text = converted.bytes.toString()
    for (const words of WORDS_OF_TITLE) expect(text.split(words), `${to} ${standalone} ${words}`).toHaveLength(2)
  }
})

test('leaves out what pages and e-books only style with', async () => {
  const page = '<div class="page"><p><span class="s1">Low</span> at <span lang="de">sechs</span>.</p></div>'
  expect((await convert(`<!doctype html>${page}`)).bytes.toString()).toBe('Low at sechs.\n')
  runPandoc(['-f', 'html', '-t', 'epub', '-o', 'styled.epub', '--metadata', 'title=Log'], page)
  const { bytes } = await convert(readFileSync(join(folder, 'styled.epub')))
  expect(bytes.toString()).toContain('Low at sechs.')
  expect(bytes.toString()).not.toMatch(/<(?:span|div|section)/)
})

test('reads the bullets of Word, which its font of symbols draws', async () => {
  const item = (word: string) => `{\\f1\\u-3913?} ${word}\\par\n`
  const fonts = '{\\fonttbl{\\f0 Times;}{\\f1\\fcharset2 Symbol;}}'
  const text = `{\\rtf1\\ansi${fonts}\\f0 Take along:\\par\n${item('rope')}${item('lamp')}}`
  expect((await convert(text)).bytes.toString()).toBe('Take along:\n\n- rope\n- lamp\n')
})

test('says that text boxes and charts are left out', async () => {
  const box =
    '<w:p><w:r><w:pict><v:oval xmlns:v="urn:schemas-microsoft-com:vml"><v:textbox><w:txbxContent><w:p/></w:txbxContent></v:textbox></v:oval></w:pict></w:r></w:p>'
  const boxed = changeZip(sample('log-book.docx'), 'word/document.xml', xml =>
    xml.replace('<w:body>', `<w:body>${box}`),
  )
  expect((await convert(boxed)).warnings).toContain('CONTENT_SKIPPED')
  const charted = changeZip(sample('log-book.docx'), 'word/charts/chart1.xml', () => '<c:chartSpace/>')
  expect((await convert(charted)).warnings).toContain('CONTENT_SKIPPED')
  expect((await convert(sample('log-book.docx'))).warnings).not.toContain('CONTENT_SKIPPED')
  const workbook = changeZip(sample('people.xlsx'), 'xl/drawings/drawing1.xml', () => '<xdr:wsDr/>')
  expect((await convert(workbook)).warnings).toContain('CONTENT_SKIPPED')
})

test.each([
  ['word/header1.xml', '<w:hdr><w:p><w:r><w:t xml:space="preserve">Draft 2</w:t></w:r></w:p></w:hdr>', true],
  ['word/footer2.xml', '<w:ftr><w:p><w:r><w:t>3</w:t></w:r></w:p></w:ftr>', false],
  ['word/comments.xml', '<w:comments><w:comment w:id="1"><w:p/></w:comment></w:comments>', true],
  ['word/comments.xml', '<w:comments/>', false],
])('says that the text of %s is left out: %s', async (part, content, hasWarning) => {
  const file = changeZip(sample('log-book.docx'), part, () => content)
  expect((await convert(file)).warnings.includes('CONTENT_SKIPPED')).toBe(hasWarning)
  const options = { trackedChanges: 'all' }
  const shown = await runJob(pools, 'doc.convert', { file, from: undefined, to: 'markdown', options })
  expect(shown.warnings.includes('CONTENT_SKIPPED')).toBe(hasWarning && !part.includes('comments'))
})

const TABLE = [
  '<table:table><table:table-row><table:table-cell>',
  '</table:table-cell></table:table-row></table:table>',
]

test.each([
  ['a table within a table', `${TABLE[0]}${TABLE[0]}<text:p>x</text:p>${TABLE[1]}${TABLE[1]}`, true],
  ['two tables', `${TABLE.join('<text:p>x</text:p>')}${TABLE.join('<text:p>y</text:p>')}`, false],
  ['a comment', '<text:p>a<office:annotation><text:p>why</text:p></office:annotation></text:p>', true],
  ['a box', '<text:p><draw:frame><draw:text-box><text:p>boxed</text:p></draw:text-box></draw:frame></text:p>', true],
  ['an empty shape', '<text:p><draw:rect svg:width="1cm"><text:p/></draw:rect></text:p>', false],
])('says whether %s of an OpenDocument text is left out', async (_, content, hasWarning) => {
  const file = changeZip(writeAs('odt'), 'content.xml', xml => xml.replace(/(<office:text[^>]*>)/, `$1${content}`))
  expect((await convert(file)).warnings.includes('CONTENT_SKIPPED')).toBe(hasWarning)
})

test.each([
  ['Draft', true],
  ['<text:page-number>1</text:page-number>', false],
])('says whether the footer %s of an OpenDocument text is left out', async (content, hasWarning) => {
  const footer = `<style:master-page style:name="F"><style:footer><text:p>${content}</text:p></style:footer></style:master-page>`
  const file = changeZip(writeAs('odt'), 'styles.xml', xml =>
    xml.replace(/(<office:master-styles[^>]*>)/, `$1${footer}`),
  )
  expect((await convert(file)).warnings.includes('CONTENT_SKIPPED')).toBe(hasWarning)
})

const cell = (text: string, repeated = '') => `<table:table-cell${repeated}><text:p>${text}</text:p></table:table-cell>`
const REPEATED_CELLS =
  `<table:table><table:table-row>${cell('a')}${cell('b')}${cell('c')}</table:table-row>` +
  `<table:table-row table:number-rows-repeated="2">${cell('x ü', ' table:number-columns-repeated="2"')}${cell('y')}</table:table-row>` +
  `<table:table-row><table:table-cell table:number-columns-repeated='2'/>${cell('z')}</table:table-row></table:table>`

test.each([
  ['lists no styles', '<office:document-styles xmlns:office="urn:oasis:names:tc:opendocument:xmlns:office:1.0"/>'],
  ['lacks its styles', undefined],
])('reads an OpenDocument text that %s, with cells that are repeated', async (_, styles) => {
  const bare = (xml: string) =>
    xml
      .replace(/<office:automatic-styles.*<\/office:automatic-styles>|<office:automatic-styles ?\/>/s, '')
      .replace(/(<office:text[^>]*>)/, `$1${REPEATED_CELLS}`)
  let file = changeZip(writeAs('odt'), 'content.xml', bare)
  file = styles === undefined ? removeFromZip(file, 'styles.xml') : changeZip(file, 'styles.xml', () => styles)
  const { bytes, warnings } = await convert(file)
  expect(warnings).toEqual([])
  const rows = bytes
    .toString()
    .split('\n')
    .filter(line => /[abcxyz]/.test(line) && line.startsWith('|'))
    .slice(0, 4)
  expect(rows.map(row => row.replaceAll(/\s+/g, ' '))).toEqual([
    '| a | b | c |',
    '| x ü | x ü | y |',
    '| x ü | x ü | y |',
    '| | | z |',
  ])
})

test('says that cells are repeated too often to be kept', async () => {
  const table = `<table:table><table:table-row>${cell('x', ' table:number-columns-repeated="999999"')}</table:table-row></table:table>`
  const file = changeZip(writeAs('odt'), 'content.xml', xml => xml.replace(/(<office:text[^>]*>)/, `$1${table}`))
  expect((await convert(file)).warnings).toEqual(['CONTENT_SKIPPED'])
})

test('names the sheet that a warning is about', async () => {
  const book = utils.book_new()
  for (const name of ['First', 'Second']) utils.book_append_sheet(book, utils.aoa_to_sheet([['a'], [1]]), name)
  const file: Buffer = write(book, { type: 'buffer', bookType: 'xlsx' })
  const unvalued = changeZip(file, 'xl/worksheets/sheet2.xml', xml => xml.replace(/<v>1<.v>/, '<f>A1*2</f>'))
  const { warnings } = await runOperation('doc.to-markdown', { file: { inline: unvalued.toString('base64') } })
  expect(warnings).toEqual([
    { code: 'NO_CACHED_VALUE', message: 'Second: Formulas without a stored value were read as empty.' },
  ])
})

test('reads a sheet below blank rows', async () => {
  const blank = (xml: string) =>
    xml
      .replaceAll(/<row r="(\d+)"/g, (_, row) => `<row r="${Number(row) + 2}"`)
      .replaceAll(/ r="([A-Z]+)(\d+)"/g, (_, column, row) => ` r="${column}${Number(row) + 2}"`)
      .replaceAll(/<dimension[^>]*>/g, '<dimension ref="A1:Z99"/>')
  const moved = changeZip(sample('people.xlsx'), 'xl/worksheets/sheet1.xml', blank)
  const markdown = (await convert(moved)).bytes.toString()
  expect(markdown).toBe((await convert(sample('people.xlsx'))).bytes.toString())
})

test('converts a PDF, also an encrypted one, and tells pages without text', async () => {
  const encrypted = runQpdf(sample('letter.pdf'), ['IN', '--encrypt', 'user', 'owner', '256', '--', 'OUT'])
  const { result, bytes, chargedMicros } = await convert(encrypted, { password: 'user' })
  expect(result).toMatchObject({ format: 'pdf', pages: 2, needsOcr: [] })
  expect(chargedMicros).toBe(6000n)
  expect(readHtml(bytes)).toContain('<p>')
  await expect(convert(encrypted)).rejects.toMatchObject({ code: 'PDF_PASSWORD_REQUIRED' })
  const scan = await convert(sample('scan.pdf'))
  expect(scan.result).toMatchObject({ needsOcr: [1] })
  expect(scan.warnings).toContain('NO_TEXT_FOUND')
})

test('makes tables of sheets and of CSV, and leaves text as it is', async () => {
  const book = await convert(sample('people.xlsx'))
  const html = readHtml(book.bytes)
  expect(html).toMatch(/<h2[^>]*>People<\/h2><table>.*<td>007<\/td><td>Ada<\/td><td>1815-12-10<\/td><td>1\.65<\/td>/)
  expect(html).toMatch(/<h2[^>]*>Cities<\/h2><table>.*<td>Rome<\/td>/)
  expect(book.chargedMicros).toBe(1000n)
  const table = await convert('Name,Note\n007,"a | b"\n*x*,<b>\n')
  expect(table.result.format).toBe('csv')
  expect(readHtml(table.bytes)).toMatch(/<td>007<\/td><td>a \| b<\/td>.*<td>\*x\*<\/td><td>&lt;b&gt;<\/td>/)
  const text = await convert('# Tide\n\nLow at *six*.\n')
  expect([text.result.format, text.bytes.toString()]).toEqual(['txt', '# Tide\n\nLow at *six*.\n'])
})

test('refuses what it cannot read', async () => {
  const docx = sample('log-book.docx')
  const broken = Buffer.from(docx)
  broken.fill(0, 2000, docx.length - 2000)
  const cases: [Uint8Array | string, RegExp][] = [
    [sample('sign.png'), /^UNSUPPORTED_FORMAT$/],
    [sample('notes.zip'), /^UNSUPPORTED_FORMAT$/],
    [sample('clip.mp4'), /^UNSUPPORTED_FORMAT$/],
    ['{"a": 1}', /^UNSUPPORTED_FORMAT$/],
    ['<?xml version="1.0"?><a/>', /^UNSUPPORTED_FORMAT$/],
    [Buffer.from('\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1 no compound file', 'latin1'), /^UNSUPPORTED_FORMAT$/],
    [Buffer.from('caf\xe9 \xff\xfe', 'latin1'), /^ENCODING_INVALID$/],
    ['%PDF-1.7 nothing', /^PDF_PARSE_FAILED$/],
    [broken, /^DOC_PARSE_FAILED$/],
    [docx.subarray(0, 4000), /^(?:DOC_PARSE_FAILED|UNSUPPORTED_FORMAT)$/],
    [sample('people.xlsx').subarray(0, 2500), /^(?:XLSX_PARSE_FAILED|UNSUPPORTED_FORMAT)$/],
  ]
  for (const [index, [file, code]] of cases.entries())
    await expect(convert(file), `case ${index}`).rejects.toMatchObject({ code: expect.stringMatching(code) })
})

test('a mail is refused with the call that reads mails, but a memo is read', async () => {
  const mail = 'From: Ada <ada@example.com>\r\nMIME-Version: 1.0\r\nSubject: Tide\r\n\r\nLow at six.\r\n'
  const hints = { detected: 'eml', try: '/v1/text/email' }
  await expect(convert(mail)).rejects.toMatchObject({ code: 'UNSUPPORTED_FORMAT', hints })
  const memo = mail.replace('MIME-Version: 1.0\r\n', '')
  expect((await convert(memo)).result.format).toBe('txt')
})
