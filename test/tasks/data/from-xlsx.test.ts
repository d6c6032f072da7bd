import { execFileSync } from 'node:child_process'
import { utils, write } from '@e965/xlsx'
import { expect, test } from 'vitest'
import { PYTHON } from '../../support/machine/programs.ts'
import { type Answer, runOperation } from '../../support/operations/run.ts'

const read = (body: Record<string, unknown>) =>
  runOperation('data.from-xlsx', body) as Promise<Answer & { preview: object[] }>

const HEADER = `<row r="1"><c r="A1" t="inlineStr"><is><t>a</t></is></c><c r="B1" t="inlineStr"><is><t>b</t></is></c></row>`

/** A workbook written by python: the parts of a sheet, as XML. */
function makeBook(cells: string, { epoch = '', merges = '', rows = '', header = HEADER } = {}): { inline: string } {
  const script = `
import sys, zipfile, io
out = io.BytesIO()
book = zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED)
ns = 'xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"'
book.writestr("[Content_Types].xml", '<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Default Extension="xml" ContentType="application/xml"/><Override PartName="/xl/workbook.xml" ContentType="application/vnd.openxmlformats-officedocument.spreadsheetml.sheet.main+xml"/><Override PartName="/xl/styles.xml" ContentType="application/vnd.openxmlformats-officedocument.spreadsheetml.styles+xml"/><Override PartName="/xl/worksheets/sheet1.xml" ContentType="application/vnd.openxmlformats-officedocument.spreadsheetml.worksheet+xml"/></Types>')
book.writestr("_rels/.rels", '<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships"><Relationship Id="r1" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/officeDocument" Target="xl/workbook.xml"/></Relationships>')
book.writestr("xl/_rels/workbook.xml.rels", '<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships"><Relationship Id="r1" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/worksheet" Target="worksheets/sheet1.xml"/><Relationship Id="r2" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/styles" Target="styles.xml"/></Relationships>')
book.writestr("xl/workbook.xml", '<workbook %s xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships"><workbookPr ${epoch}/><sheets><sheet name="S" sheetId="1" r:id="r1"/></sheets></workbook>' % ns)
book.writestr("xl/styles.xml", '<styleSheet %s><cellXfs count="6"><xf numFmtId="0"/><xf numFmtId="14"/><xf numFmtId="22"/><xf numFmtId="20"/><xf numFmtId="46"/><xf numFmtId="2"/></cellXfs></styleSheet>' % ns)
book.writestr("xl/worksheets/sheet1.xml", '<worksheet %s><sheetData>' % ns + sys.stdin.read() + '</sheetData>${merges}</worksheet>')
book.close()
sys.stdout.buffer.write(out.getvalue())
`
  const sheet = `${header}${rows || `<row r="2">${cells}</row>`}`
  return { inline: execFileSync(PYTHON, ['-c', script], { input: sheet }).toString('base64') }
}

const cell = (value: number, style = 0, at = 'A2') => `<c r="${at}" s="${style}"><v>${value}</v></c>`

test.each([
  [cell(45_351, 1), {}, '2024-02-29'],
  [cell(45_351.75, 2), {}, '2024-02-29T18:00:00'],
  [cell(0.5, 3), {}, '12:00:00'],
  [cell(1.0625, 4), {}, '25:30:00'],
  [cell(0.5, 1), {}, '12:00:00'],
  [cell(0.75, 2), {}, '18:00:00'],
  [cell(0, 2), {}, '00:00:00'],
  [cell(0.5, 2), { epoch: 'date1904="1"' }, '1904-01-01T12:00:00'],
  [cell(59, 1), {}, '1900-02-28'],
  [cell(61, 1), {}, '1900-03-01'],
  [cell(43_889, 1), { epoch: 'date1904="1"' }, '2024-02-29'],
  [cell(2_958_465, 1), {}, '9999-12-31'],
  [cell(2_958_465.999988426, 2), {}, '9999-12-31T23:59:59'],
  [cell(2_957_003.999988426, 2), { epoch: 'date1904="1"' }, '9999-12-31T23:59:59'],
  [cell(1.5), {}, 1.5],
  ['<c r="A2" t="b"><v>1</v></c>', {}, true],
  ['<c r="A2" t="inlineStr"><is><r><t>bo</t></r><r><t>ld</t></r></is></c>', {}, 'bold'],
  ['<c r="A2" t="inlineStr"><is><t>007</t></is></c>', {}, '007'],
  ['<c r="A2" t="inlineStr"><is><t>&#128512; &#x1F600; &#x4E2D;&#233;</t></is></c>', {}, '😀 😀 中é'],
])('reads the cell %s', async (xml, options, value) => {
  const { preview } = await read({ file: makeBook(`${xml}<c r="B2"><v>1</v></c>`, options), outFormat: 'json' })
  expect(preview).toEqual([{ a: value, b: 1 }])
})

test.each([
  [cell(43_889, 1), 45_351],
  [cell(43_889.5, 2), 45_351.5],
  [cell(0.5, 3), 0.5],
  [cell(43_889), 43_889],
  [cell(43_889, 5), 43_889],
])('counts the days of %s from 1900 though the workbook counts them from 1904', async (xml, value) => {
  const file = makeBook(xml, { epoch: 'date1904="1"' })
  expect((await read({ file, dates: 'serial', range: 'A1:A2', outFormat: 'json' })).preview).toEqual([{ a: value }])
})

test('shows a time of the last day that there is', async () => {
  const file = makeBook(cell(2_958_465.999988426, 2))
  const { preview } = await read({ file, values: 'formatted', range: 'A1:A2', outFormat: 'json' })
  expect(preview).toEqual([{ a: '9999-12-31T23:59:59' }])
})

test('reads formulas, serial dates, merged cells and ranges', async () => {
  const formula = makeBook('<c r="A2"><f>1+1</f><v>2</v></c><c r="B2" t="e"><v>#DIV/0!</v></c>')
  expect((await read({ file: formula, values: 'formula', outFormat: 'json' })).preview).toEqual([
    { a: '=1+1', b: null },
  ])
  const plain = await read({ file: formula, outFormat: 'json' })
  expect(plain.preview).toEqual([{ a: 2, b: null }])
  expect(plain.warnings).toMatchObject([{ code: 'CELL_ERROR' }])
  expect(
    (await read({ file: makeBook(cell(45_351, 1)), dates: 'serial', range: 'A1:A2', outFormat: 'json' })).preview,
  ).toEqual([{ a: 45351 }])
  const merged = makeBook('', {
    rows: `<row r="2">${cell(5)}</row><row r="3"><c r="B3"><v>1</v></c></row>`,
    merges: '<mergeCells><mergeCell ref="A2:A3"/></mergeCells>',
  })
  expect((await read({ file: merged, mergeFill: true, outFormat: 'json' })).preview).toEqual([
    { a: 5, b: null },
    { a: 5, b: 1 },
  ])
  const hidden = makeBook('', { rows: `<row r="2" hidden="1">${cell(5)}</row><row r="3"><c r="A3"><v>6</v></c></row>` })
  expect((await read({ file: hidden, skipHidden: true, range: 'A1:A3', outFormat: 'json' })).preview).toEqual([
    { a: 6 },
  ])
  expect((await read({ file: hidden, headerRow: 0, range: 'A2:A3', outFormat: 'json' })).preview).toEqual([
    { column1: 5 },
    { column1: 6 },
  ])
})

test('keeps the texts that the spreadsheet shows', async () => {
  const rows = `<row r="2">${cell(1.5, 5)}<c r="B2"><v>3</v></c></row><row r="3">${cell(2, 5, 'A3')}<c r="B3"><v>12345678901234567</v></c></row><row r="4"><c r="B4" t="e"><v>#DIV/0!</v></c></row>`
  const shown = await read({ file: makeBook('', { rows }), values: 'formatted', outFormat: 'json' })
  expect(shown.preview).toEqual([
    { a: '1.50', b: '3' },
    { a: '2.00', b: '1.23457E+16' },
    { a: null, b: '#DIV/0!' },
  ])
  expect(shown.warnings ?? []).toEqual([])
})

test.each(['<v></v>', '<v/>', '<v />', ''])('warns of formulas without a value: %j', async value => {
  const rows = `<row r="2">${cell(1)}<c r="B2"><f>A2*2</f>${value}</c><c r="C2" s="1"/></row><row r="3"><c r="B3"><f>A3*2</f>${value}</c></row>`
  const file = makeBook('', { rows })
  const { preview, warnings } = await read({ file, outFormat: 'json' })
  expect(preview).toEqual([
    { a: 1, b: null },
    { a: null, b: null },
  ])
  expect(warnings).toMatchObject([{ code: 'NO_CACHED_VALUE' }])
  const formulas = await read({ file, values: 'formula', outFormat: 'json' })
  expect([formulas.preview.at(-1), formulas.warnings ?? []]).toEqual([{ a: null, b: '=A3*2' }, []])
})

test('says of an empty sheet that it is empty', async () => {
  const empty = makeBook('', { rows: ' ', header: '' })
  await expect(read({ file: empty })).rejects.toMatchObject({
    code: 'NOT_TABULAR',
    message: expect.not.stringContaining('JSON'),
    hints: { detail: 'the sheet is empty' },
  })
})

test('makes a file of each sheet', async () => {
  const { files, sheets } = (await read({ file: 'sample:people.xlsx', sheet: '*' })) as unknown as {
    files: { name: string; sheet: string; bytes: Uint8Array }[]
    sheets: string[]
  }
  expect(sheets).toEqual(['People', 'Cities'])
  expect(files.map(({ name, bytes }) => [name, Buffer.from(bytes).toString()])).toEqual([
    ['People.csv', 'id,name,born,height\n007,Ada,1815-12-10,1.65\n008,Bob,2000-01-31,1.8\n'],
    ['Cities.csv', 'city\nRome\n'],
  ])
})

test('names the sheet that a warning is of', async () => {
  const book = utils.book_new()
  utils.book_append_sheet(book, utils.aoa_to_sheet([['a'], [1]]), 'Plain')
  const odd = utils.aoa_to_sheet([['a'], [1]])
  odd.A3 = { t: 'e', v: 7 }
  odd['!ref'] = 'A1:A3'
  utils.book_append_sheet(book, odd, 'Odd')
  const { warnings } = await read({ file: { inline: write(book, { type: 'base64' }) as string }, sheet: '*' })
  expect(warnings).toMatchObject([{ code: 'CELL_ERROR', message: expect.stringMatching(/^Odd: Cells with errors/) }])
})

test('leaves empty sheets out of all, and says so', async () => {
  const book = utils.book_new()
  utils.book_append_sheet(book, {}, 'Cover')
  utils.book_append_sheet(book, utils.aoa_to_sheet([['a'], [1]]), 'Data')
  utils.book_append_sheet(book, {}, 'Notes')
  const file = { inline: write(book, { type: 'base64' }) as string }
  const answer = await read({ file, sheet: '*' })
  expect(answer).toMatchObject({ sheets: ['Cover', 'Data', 'Notes'], rowsOut: 1, files: [{ sheet: 'Data', rows: 1 }] })
  expect(answer.files).toHaveLength(1)
  expect(answer.warnings).toEqual([
    { code: 'SHEET_LEFT_OUT', message: 'The sheet Cover was left out: the sheet is empty.' },
    { code: 'SHEET_LEFT_OUT', message: 'The sheet Notes was left out: the sheet is empty.' },
  ])
  const empty = makeBook('', { rows: ' ', header: '' })
  await expect(read({ file: empty, sheet: '*' })).rejects.toMatchObject({ code: 'NOT_TABULAR' })
  await expect(read({ file, sheet: 'Cover' })).rejects.toMatchObject({ code: 'NOT_TABULAR' })
})

test('what it writes, to-xlsx and from-xlsx give back', async () => {
  const text =
    'id,zip,big,n,day,at,ok,note\n1,007,9007199254740993,1.5,2024-02-29,2024-02-29T06:00:00,true,=1+1\n2,008,3,2,1850-01-01,2024-03-01T00:00:01,false,\n'
  const { output } = await runOperation('data.to-xlsx', { file: { text } })
  const back = await read({ file: { inline: Buffer.from(output!.bytes!).toString('base64') } })
  expect(Buffer.from(back.output!.bytes!).toString()).toBe(text)
})

test('a day as a header is read as the days below it', async () => {
  const rows = `<row r="2">${cell(45_351, 1)}</row><row r="3">${cell(45_352, 1, 'A3')}</row>`
  const { columns, preview } = await read({
    file: makeBook('', { rows }),
    headerRow: 1,
    range: 'A2:A3',
    outFormat: 'json',
  })
  expect([columns, preview]).toEqual([[{ name: '2024-02-29', type: 'date' }], [{ '2024-02-29': '2024-03-01' }]])
})

test.each([
  [{ file: { text: 'no workbook' } }, 'XLSX_PARSE_FAILED'],
  [{ file: { inline: Buffer.from('PK\u0003\u0004broken').toString('base64') } }, 'XLSX_PARSE_FAILED'],
  [{ file: 'sample:people.xlsx', sheet: 'Nope' }, 'SHEET_NOT_FOUND'],
  [{ file: 'sample:people.xlsx', sheet: 3 }, 'SHEET_NOT_FOUND'],
  [{ file: 'sample:people.xlsx', headerRow: 50 }, 'NOT_TABULAR'],
  [{ file: 'sample:people.xlsx', range: 'D9:A1' }, 'BAD_RANGE'],
])('rejects %j', async (body, code) => {
  await expect(read(body)).rejects.toMatchObject({ code })
})

test.each([
  ['[$-407]mmmm yyyy', 'Februar 2024'],
  ['[$-407]dddd, d. mmmm yyyy', 'Donnerstag, 29. Februar 2024'],
  ['[$-40C]dddd d mmmm yyyy;@', 'jeudi 29 février 2024'],
  ['[$-1010415]d mmmm yyyy', '29 lutego 2024'],
  ['[$-415]mmmm yyyy', 'luty 2024'],
  ['[$-es-ES]mmmm', 'febrero'],
  ['[$-411]dddd', '木曜日'],
  ['[$-409]mmmm yyyy', 'February 2024'],
  ['[$-FFFF]mmmm yyyy', 'February 2024'],
  ['[$-407]dd.mm.yyyy', '29.02.2024'],
])('names months and days in the language of the format %s', async (format, text) => {
  const sheet = utils.aoa_to_sheet([['at'], [45_351]])
  sheet.A2.z = format
  const book = utils.book_new(sheet)
  const { preview } = await read({ file: { inline: write(book, { type: 'base64' }) }, values: 'formatted' })
  expect(preview).toEqual([{ at: text }])
})

test.each([
  ['dd.mm.yyyy', '29.02.2024'],
  ['d.m.yy', '29.2.24'],
  ['d. mmmm yyyy', '29. February 2024'],
  ['dd.mm.yyyy hh:mm', '29.02.2024 18:00'],
  ['mm.yyyy', '02.2024'],
])('shows the date of the format %s', async (format, text) => {
  const book = utils.book_new(utils.aoa_to_sheet([['a'], [{ t: 'n', v: 45_351.75, z: format }]]), 'S')
  const inline = Buffer.from(write(book, { bookType: 'xlsx', type: 'array' })).toString('base64')
  const { preview } = await read({ file: { inline }, values: 'formatted', outFormat: 'json' })
  expect(preview).toEqual([{ a: text }])
})

const OPEN_DOCUMENT = 'urn:oasis:names:tc:opendocument:xmlns'

/** A flat OpenDocument in its archive: one row of names, then one cell a row. */
function makeOpenDocument(cells: readonly string[], hasStyles = true): { inline: string } {
  const rows = ['<table:table-cell office:value-type="string"><text:p>a</text:p></table:table-cell>', ...cells]
  const script = `
import sys, zipfile, io
out = io.BytesIO()
book = zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED)
book.writestr("mimetype", "application/vnd.oasis.opendocument.spreadsheet", zipfile.ZIP_STORED)
book.writestr("META-INF/manifest.xml", '<manifest:manifest xmlns:manifest="${OPEN_DOCUMENT}:manifest:1.0"><manifest:file-entry manifest:full-path="/" manifest:media-type="application/vnd.oasis.opendocument.spreadsheet"/><manifest:file-entry manifest:full-path="content.xml" manifest:media-type="text/xml"/></manifest:manifest>')
if ${hasStyles ? 1 : 0}: book.writestr("styles.xml", '<office:document-styles xmlns:office="${OPEN_DOCUMENT}:office:1.0"/>')
book.writestr("content.xml", '<office:document-content xmlns:office="${OPEN_DOCUMENT}:office:1.0" xmlns:table="${OPEN_DOCUMENT}:table:1.0" xmlns:text="${OPEN_DOCUMENT}:text:1.0"><office:body><office:spreadsheet><table:table table:name="S">' + sys.stdin.read() + '</table:table></office:spreadsheet></office:body></office:document-content>')
book.close()
sys.stdout.buffer.write(out.getvalue())
`
  const input = rows.map(row => `<table:table-row>${row}</table:table-row>`).join('')
  return { inline: execFileSync(PYTHON, ['-c', script], { input }).toString('base64') }
}

test('gives the dates that an OpenDocument states, also those before March 1900', async () => {
  const dates = ['1850-01-15', '1899-12-29', '1899-12-30', '1899-12-31', '1900-02-28', '1900-03-01', '2024-02-29']
  const all = [...dates, '1899-12-30T06:00:00', '1850-01-15T18:30:00', '2024-02-29T23:59:59']
  const cells = all.map(
    date =>
      `<table:table-cell office:value-type="date" office:date-value="${date}"><text:p>x</text:p></table:table-cell>`,
  )
  const { output } = await read({ file: makeOpenDocument(cells), outFormat: 'csv' })
  const [, ...shown] = Buffer.from((output as { bytes: Uint8Array }).bytes)
    .toString()
    .trim()
    .split('\n')
  expect(shown).toEqual(all)
})

test('gives the booleans of an OpenDocument as those of a workbook', async () => {
  const kinds = [
    'office:value-type="boolean" office:boolean-value="true"',
    'office:value-type="boolean" office:boolean-value="false"',
    'table:formula="of:=TRUE()" office:value-type="float" office:value="1"',
    'table:formula="of:=FALSE()" office:value-type="float" office:value="0"',
  ]
  const cells = kinds.map(kind => `<table:table-cell ${kind}><text:p>x</text:p></table:table-cell>`)
  const { preview } = await read({ file: makeOpenDocument(cells), outFormat: 'json' })
  expect(preview).toEqual([{ a: true }, { a: false }, { a: true }, { a: false }])
})

test('reads the values of an OpenDocument without styles and without texts that show them', async () => {
  const kinds = [
    'table:formula="of:=IF([.B1]>0;7)" office:value-type="float" office:value="7"',
    'office:value-type="string" office:string-value="low &amp; high"',
    'office:value-type="date" office:date-value="2026-01-02"',
    'office:value-type="boolean" office:boolean-value="true"',
  ]
  const cells = kinds.flatMap(kind => [`<table:table-cell ${kind}/>`, `<table:table-cell ${kind}></table:table-cell>`])
  const { preview } = await read({ file: makeOpenDocument(cells, false), outFormat: 'json', preview: 10 })
  const values = ['7', 'low & high', '2026-01-02', 'true']
  expect(preview).toEqual(values.flatMap(value => [{ a: value }, { a: value }]))
})
