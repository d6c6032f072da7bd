import { execFileSync } from 'node:child_process'
import { hash } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { runTable } from '../../support/data/tables.ts'
import { PYTHON } from '../../support/machine/programs.ts'
import { runOperation } from '../../support/operations/run.ts'
import { runJob, sharedPools } from '../../support/pools/open.ts'

/** Reads the parts of a workbook with python's own zip and XML. */
const READ = `
import io, json, sys, zipfile
import xml.etree.ElementTree as tree
book = zipfile.ZipFile(io.BytesIO(sys.stdin.buffer.read()))
assert book.testzip() is None
ns = {"m": "http://schemas.openxmlformats.org/spreadsheetml/2006/main"}
sheets = {}
names = [sheet.get("name") for sheet in tree.fromstring(book.read("xl/workbook.xml")).findall(".//m:sheet", ns)]
styles = [xf.get("numFmtId") for xf in tree.fromstring(book.read("xl/styles.xml")).findall("m:cellXfs/m:xf", ns)]
for number, name in enumerate(names, 1):
    root = tree.fromstring(book.read("xl/worksheets/sheet%d.xml" % number))
    cells = {}
    for cell in root.iter("{%s}c" % ns["m"]):
        text = cell.find("m:is/m:t", ns)
        value, formula = cell.find("m:v", ns), cell.find("m:f", ns)
        cells[cell.get("r")] = ["f", formula.text] if formula is not None else ["s", text.text or ""] if text is not None else [cell.get("t") or "n", value.text]
    sheets[name] = {"cells": cells, "frozen": root.find(".//m:pane", ns) is not None, "filter": root.find("m:autoFilter", ns) is not None}
print(json.dumps(sheets))
`

interface Sheet {
  cells: Record<string, [string, string]>
  frozen: boolean
  filter: boolean
}

async function write(body: Record<string, unknown>): Promise<Record<string, Sheet>> {
  const { output } = await runOperation('data.to-xlsx', body)
  return JSON.parse(execFileSync(PYTHON, ['-c', READ], { input: output!.bytes! }).toString()) as Record<string, Sheet>
}

test('keeps texts, zeros, long numbers, dates and what looks like a formula', async () => {
  const text =
    'id,zip,big,n,day,at,ok,formula\n1,007,9007199254740993,1.5,2024-02-29,2024-02-29T06:00:00,true,=1+1\n2,,3,,1899-01-01,,false,"a<b & ""c"""\n'
  const { Sheet1 } = await write({ file: { text } })
  expect(Sheet1!.cells).toMatchObject({
    A2: ['n', '1'],
    B2: ['s', '007'],
    C2: ['s', '9007199254740993'],
    C3: ['n', '3'],
    D2: ['n', '1.5'],
    E2: ['n', '45351'],
    E3: ['s', '1899-01-01'],
    F2: ['n', '45351.25'],
    G2: ['b', '1'],
    H2: ['s', '=1+1'],
    H3: ['s', 'a<b & "c"'],
  })
  expect(Sheet1!.cells).not.toHaveProperty('B3')
  expect(Sheet1).toMatchObject({ frozen: true, filter: true })
})

test('writes formulas, formats and several sheets with names that are allowed', async () => {
  const book = await write({
    sheets: [
      { name: 'a/b:c', file: { text: 'x,y\n=A1*2,1.5\n' } },
      { name: 'A_B_C', file: { text: 'z\n1\n' } },
    ],
    formulas: true,
    freezeHeader: false,
    autoFilter: false,
    columnWidths: { y: 20 },
  })
  expect(Object.keys(book)).toEqual(['a_b_c', 'A_B_C (2)'])
  expect(book.a_b_c).toMatchObject({ frozen: false, filter: false, cells: { A2: ['f', 'A1*2'] } })
})

test('control characters and long texts', async () => {
  const { Sheet1 } = await write({ file: { rows: [{ a: 'x\u0001y_x0041_' }] } })
  expect(Sheet1!.cells.A2).toEqual(['s', 'x_x0001_y_x005F_x0041_'])
  await expect(write({ file: { rows: [{ a: 'x'.repeat(40_000) }] } })).rejects.toMatchObject({
    code: 'OUTPUT_TOO_LARGE',
  })
})

test.each([
  [{}, 'MISSING_FIELD'],
  [{ file: { text: 'a\n1\n' }, sheets: [{ name: 'x', file: { text: 'a\n1\n' } }] }, 'CONFLICTING_OPTIONS'],
  [{ sheets: [{ name: 'x', file: { text: 'a\n1\n' } }], types: { a: 'string' } }, 'CONFLICTING_OPTIONS'],
  [{ file: { text: 'a\n1\n' }, formats: { b: '0.00' } }, 'COLUMN_NOT_FOUND'],
  [{ file: { text: 'a\nx\n' }, types: { a: 'integer' } }, 'TYPE_MISMATCH'],
])('rejects %j', async (body, code) => {
  await expect(write(body)).rejects.toMatchObject({ code })
})

test('a table of many columns', async () => {
  const names = Array.from({ length: 500 }, (_, index) => `c${index}`)
  const text = `${names.join(',')}\n${names.map(name => `<${name}>`).join(',')}\n${names.map((_, index) => index).join(',')}\n`
  const { output } = await runOperation('data.to-xlsx', { file: { text } })
  const { written } = await runTable('slice', {
    file: { inline: Buffer.from(output!.bytes!).toString('base64') },
    limit: 2,
    outFormat: 'csv',
  })
  expect(written).toBe(text)
})

describe('with a password', () => {
  const password = 'Grüße, 世界 & "Co"'

  // The streams of the first are in small sectors, those of the second in large ones.
  test.each([1, 300])('only LibreOffice with the password opens a workbook of %i rows', async rows => {
    const text = `id,at\n${Array.from({ length: rows }, (_, row) => `R${row}E,${hash('sha256', `${row}`)}`).join('\n')}\n`
    const { output } = await runOperation('data.to-xlsx', { file: { text }, password })
    const file = Buffer.from(output!.bytes!)
    const read = runOperation('data.from-xlsx', { file: { inline: file.toString('base64') } })
    await expect(read).rejects.toMatchObject({ code: 'XLSX_ENCRYPTED' })
    await using pools = await sharedPools()
    const print = (given: object) => runJob(pools, 'pdf.from-office', { file, ...given }, { limitSeconds: 60 })
    await expect(print({})).rejects.toMatchObject({ code: 'OFFICE_PASSWORD_REQUIRED' })
    await expect(print({ password: 'grüße' })).rejects.toMatchObject({ code: 'OFFICE_PASSWORD_INCORRECT' })
    const { bytes: input } = await print({ password })
    expect(execFileSync('pdftotext', ['-', '-'], { input }).toString()).toContain(`R${rows - 1}E`)
  })
})
