import { execFileSync } from 'node:child_process'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { PYTHON } from '../../support/machine/programs.ts'
import { computePrice, runOperation } from '../../support/operations/run.ts'

const source = (content: string | Buffer) =>
  typeof content === 'string' ? { text: content } : { inline: content.toString('base64') }
const convert = async (content: string | Buffer, to: string, options = {}) => {
  const answer = await runOperation('csv.convert', { file: source(content), to, ...options })
  return { ...answer, text: Buffer.from(answer.output!.bytes!).toString() }
}
const json = async (content: string | Buffer, options = {}) =>
  JSON.parse((await convert(content, 'json', options)).text)
const csv = async (content: string, options = {}) => (await convert(content, 'csv', options)).text

/** What Python's reader makes of it. */
function python(text: string, delimiter = ','): string[][] {
  const program =
    'import csv,sys,json,io\nprint(json.dumps(list(csv.reader(io.StringIO(sys.stdin.buffer.read().decode("utf8"),newline=""),delimiter=sys.argv[1]))))'
  return JSON.parse(execFileSync(PYTHON, ['-c', program, delimiter], { input: text, encoding: 'utf8' }))
}

test('never changes values', async () => {
  const text = 'id,price,big,e,z,t\n007,1.10,12345678901234567890,1e5,+1,true\n'
  expect(await json(text)).toEqual([
    { id: '007', price: '1.10', big: '12345678901234567890', e: '1e5', z: '+1', t: 'true' },
  ])
  const back = await csv('[{"a":1.10,"b":12345678901234567890,"c":1e5,"d":true,"e":null,"f":"007"}]')
  expect(back).toBe('a,b,c,d,e,f\n1.10,12345678901234567890,1e5,true,,007\n')
  expect((await convert('[{"a":1.10,"b":12345678901234567890}]', 'ndjson')).text).toBe(
    '{"a":1.10,"b":12345678901234567890}\n',
  )
  expect((await convert('[{"a":[1,\r\n "\\n"]}]', 'ndjson')).text).toBe('{"a":[1, "\\n"]}\n')
})

test('writes CSV that Python reads, and reads back what it wrote', async () => {
  const cell = fc.string({
    unit: fc.constantFrom('a', '"', ',', ';', '\n', '\r', ' ', 'ü', '😀', "'", '\\', '\t'),
    maxLength: 6,
  })
  const table = fc.array(fc.array(cell, { minLength: 2, maxLength: 2 }), { maxLength: 8 })
  await fc.assert(
    fc.asyncProperty(table, fc.constantFrom(',', ';', '\t', '|'), fc.boolean(), async (cells, delimiter, quoteAll) => {
      const rows = JSON.stringify(cells.map(([a, b]) => ({ x: a, y: b })))
      const { text } = await convert(rows, 'csv', { outCsv: { delimiter, quoteAll } })
      if (cells.length > 0) expect(python(text, delimiter)).toEqual([['x', 'y'], ...cells])
      expect(await json(text, { csv: { delimiter, header: true } })).toEqual(cells.map(([x, y]) => ({ x, y })))
    }),
    { numRuns: 25 },
  )
})

describe('detects the dialect', () => {
  test.each([
    ['a;b\n1;2,5\n', { delimiter: ';', header: true }],
    ['a\tb\n1\t2\n', { delimiter: '\t' }],
    ['a|b|c\n1|2|3\n', { delimiter: '|' }],
    ['sep=;\na;b\n1;2\n', { delimiter: ';' }],
    ['"a,b";c\n"1,2";3\n', { delimiter: ';' }],
    ['1,2\n3,4\n', { header: false }],
    ['name,2019,2020\nx,1,2\n', { header: true }],
    ['a,b\r\n1,2\r\n', { eol: 'crlf' }],
    ['a,b\r1,2\r', { eol: 'cr' }],
    ['a,b', { header: true }],
    [',name,age\n0,Ada,36\n1,Bob,9\n', { header: true }],
    [',name\nx,Ada\ny,Bob\n', { header: true }],
    ['name,,age\nAda,x,36\nBob,y,9\n', { header: true }],
    [',2019,2020\nx,1,2\ny,3,4\n', { header: true }],
    [',0,1\n0,7,8\n1,9,7\n', { header: true }],
    [',0,1\n3,7,8\n', { header: false }],
    ['2019,\n2020,5\n', { header: false }],
    ['1,,3\n4,5,6\n', { header: false }],
    ['Ada,,Rome\nBob,x,Oslo\n', { header: false }],
  ])('%j', async (text, dialect) => {
    expect(await convert(text, 'json')).toMatchObject({ dialect })
  })

  test.each([
    ['utf-8', Buffer.from('\ufeffä,b\n1,2\n')],
    ['utf-16le', Buffer.from('\ufeffä,b\n1,2\n', 'utf16le')],
    ['utf-16le', Buffer.from('ä,b\n1,2\n', 'utf16le')],
    ['utf-16be', Buffer.from('\ufeffä,b\n1,2\n', 'utf16le').swap16()],
    ['windows-1252', Buffer.from('ä,b\n1,2\n', 'latin1')],
  ])('in %s', async (encoding, bytes) => {
    const answer = await convert(bytes, 'json')
    expect(answer).toMatchObject({ dialect: { encoding } })
    expect(JSON.parse(answer.text)).toEqual([{ ä: '1', b: '2' }])
  })

  test('as given by the caller', async () => {
    expect(
      await json(Buffer.from([0x93, 0xfa, 0x2c, 0x62, 0x0a, 0x31, 0x2c, 0x32]), { csv: { encoding: 'shift_jis' } }),
    ).toEqual([{ 日: '1', b: '2' }])
    await expect(
      convert(Buffer.from([0xff, 0x2c, 0x0a]), 'json', { csv: { encoding: 'utf-8' } }),
    ).rejects.toMatchObject({ code: 'CSV_PARSE_FAILED' })
  })
})

test('treats rows of another length as requested', async () => {
  const text = 'a,b\n1\n1,2\n1,2,3,4\n'
  await expect(json(text)).rejects.toMatchObject({ code: 'RAGGED_ROW', hints: { line: 2, expected: 2, found: 1 } })
  expect(await json(text, { csv: { ragged: 'truncate' } })).toEqual([
    { a: '1' },
    { a: '1', b: '2' },
    { a: '1', b: '2' },
  ])
  expect(await json(text, { csv: { ragged: 'collect' } })).toEqual([
    { a: '1' },
    { a: '1', b: '2' },
    { a: '1', b: '2', _extra: '3,4' },
  ])
  await expect(json(text, { csv: { ragged: 'pad' } })).rejects.toMatchObject({ code: 'RAGGED_ROW', hints: { line: 4 } })
  expect(await json('a,b\n1\n', { csv: { ragged: 'pad' } })).toEqual([{ a: '1' }])
})

test.each([
  ['# note\na,b\n# more\n1,2\n', { comment: '#' }],
  ['title\nx\na,b\n1,2\n', { skipRows: 2 }],
  ["a,b\n'1','2'\n", { quote: "'", escape: "'" }],
  ['a,b\n 1 ,\t"2" \n', { trim: true }],
  ['\n\na,b\n\n1,2\n\n', {}],
])('reads %j with %j', async (text, dialect) => {
  expect(await json(text, { csv: dialect })).toEqual([{ a: '1', b: '2' }])
})

test('reads other escapes and lines within quotes', async () => {
  expect(await json('a,b\n"x\\"y","z\n w"\n', { csv: { escape: '\\' } })).toEqual([{ a: 'x"y', b: 'z\n w' }])
  await expect(json('a,b\n"x\ny",1\n1\n')).rejects.toMatchObject({ hints: { line: 4 } })
})

test.each([
  ['a,b\n"x,1\n', 'CSV_PARSE_FAILED', { line: 2 }],
  ['a,b\n"x"y,1\n', 'CSV_PARSE_FAILED', { detail: 'text after a closing quote' }],
  ['[{"a":1,}]', 'JSON_PARSE_FAILED', { line: 1 }],
  ['[{"a":01}]', 'JSON_PARSE_FAILED', {}],
  ['[{"a":"\\x"}]', 'JSON_PARSE_FAILED', {}],
  ['[{"a":1}', 'JSON_PARSE_FAILED', {}],
  ['[1,2]', 'NOT_TABULAR', { row: 1 }],
  [
    '{"x":{"y":[{"a":1}]},"z":[]}',
    'NOT_TABULAR',
    { lists: ['/x/y', '/z'], detail: expect.stringContaining('jsonPath') },
  ],
  [`[${'['.repeat(5000)}${']'.repeat(5000)}]`, 'JSON_PARSE_FAILED', {}],
])('rejects %j', async (text, code, hints) => {
  await expect(convert(text, 'json')).rejects.toMatchObject({ code, hints })
})

test('rejects binary content and too many columns', async () => {
  await expect(convert(Buffer.from([0x89, 0x50, 0x4e, 0x47, 0, 0, 0, 1]), 'json')).rejects.toMatchObject({
    code: 'UNSUPPORTED_FORMAT',
  })
  await expect(convert(`${','.repeat(40_000)}\n`, 'json')).rejects.toMatchObject({ code: 'TOO_MANY_COLUMNS' })
})

test('assigns types only on request', async () => {
  const text = 'i,n,b,s,z,m\n1,1.50,true,x,007,1\n-2,2,false,,1,1.5\n,3.25,,y,2,2\n'
  const { text: written } = await convert(text, 'json', { types: 'infer' })
  expect(written).toContain('"n":1.50')
  expect(JSON.parse(written)).toEqual([
    { i: 1, n: 1.5, b: true, s: 'x', z: '007', m: 1 },
    { i: -2, n: 2, b: false, s: null, z: '1', m: 1.5 },
    { i: null, n: 3.25, b: null, s: 'y', z: '2', m: 2 },
  ])
  expect(await json('a,b\n1,{"x":1}\n', { types: { a: 'number', b: 'json' } })).toEqual([{ a: 1, b: { x: 1 } }])
  expect(await json('a\n12345678901234567\n', { types: 'infer' })).toEqual([{ a: '12345678901234567' }])
  expect((await convert('a\n12345678901234567\n', 'json', { types: 'infer', bigIntAs: 'number' })).text).toContain(
    ':12345678901234567}',
  )
  const odd = await convert('a,b,c\n1e-05,+5,+491701234567\n.5,1234567890123456789,x\n-5.,0,y\n', 'json', {
    types: 'infer',
  })
  expect(odd.text).toContain('{"a":1e-05,"b":5,"c":"+491701234567"},\n{"a":0.5,"b":"1234567890123456789","c":"x"}')
  expect(JSON.parse(odd.text)).toMatchObject([{}, {}, { a: -5, b: 0 }])
  expect(await json('a;b\n1,5;x\n', { types: 'infer', csv: { decimal: ',' } })).toEqual([{ a: 1.5, b: 'x' }])
  await expect(json('a\nx\n', { types: { a: 'integer' } })).rejects.toMatchObject({
    code: 'TYPE_MISMATCH',
    hints: { column: 'a', value: 'x' },
  })
  await expect(json('a\nx\n', { types: { b: 'integer' } })).rejects.toMatchObject({ code: 'COLUMN_NOT_FOUND' })
})

test('takes an empty cell in quotes for null where the others of its column have a type', async () => {
  const text = '"i","t"\n"1",""\n"","x"\n'
  expect(await json(text, { types: 'infer' })).toEqual([
    { i: 1, t: '' },
    { i: null, t: 'x' },
  ])
  expect(await json(text, { types: { i: 'number' } })).toMatchObject([{ i: 1 }, { i: null }])
  expect(await json(text)).toEqual([
    { i: '1', t: '' },
    { i: '', t: 'x' },
  ])
})

test('treats cells as null as requested', async () => {
  expect(await json('a,b\nNA,""\n,x\n', { csv: { nullValues: ['NA', ''] } })).toEqual([
    { a: null, b: '' },
    { a: null, b: 'x' },
  ])
  expect(await csv('[{"a":null,"b":1},{"b":2}]', { outCsv: { nullAs: 'NULL' } })).toBe('a,b\nNULL,1\nNULL,2\n')
})

test('joins the keys of all objects, and flattens nested ones', async () => {
  const text = '[{"a":1,"b":{"c":2,"d":{"e":"x"}},"l":[1, 2]},{"z":"\\u00e4\\n","a":2}]'
  expect(await csv(text)).toBe('a,b.c,b.d.e,l,z\n1,2,x,"[1, 2]",\n2,,,,"ä\n"\n')
  expect(await csv(text, { nested: 'json' })).toContain('"{""c"":2')
  await expect(csv(text, { nested: 'error' })).rejects.toMatchObject({ code: 'NOT_TABULAR' })
})

test('gives keys that make the same name when flattened a column each, with a warning', async () => {
  const answer = await convert('[{"a.b":1,"a":{"b":2}},{"a":{"b":3}}]', 'csv')
  expect(python(answer.text)).toEqual([
    ['a.b', 'a.b'],
    ['1', '2'],
    ['', '3'],
  ])
  expect(answer.warnings).toMatchObject([{ code: 'DUPLICATE_COLUMN' }])
})

test('reads NDJSON, and lists by a JSON pointer', async () => {
  expect(await csv('{"a":1}\n{"a":2}\n')).toBe('a\n1\n2\n')
  expect(await csv('{"a":1}')).toBe('a\n1\n')
  expect(await csv('{"d":{"i/j":[{"a":1}]}}', { jsonPath: '/d/i~1j' })).toBe('a\n1\n')
  await expect(csv('{"d":1}', { jsonPath: '/x' })).rejects.toMatchObject({ code: 'NOT_TABULAR' })
})

test.each([
  ['objects', '[\n{"a":"1","b":"x"},\n{"a":"2","b":"y"}\n]\n'],
  ['arrays', '[["a","b"],\n["1","x"],\n["2","y"]\n]\n'],
  ['columns', '{"a":["1","2"],"b":["x","y"]}\n'],
])('writes JSON as %s', async (jsonShape, text) => {
  const written = (await convert('a,b\n1,x\n2,y\n', 'json', { jsonShape })).text
  expect(written).toBe(text)
  expect(() => JSON.parse(written)).not.toThrow()
})

test('escapes formulas on request, and leaves numbers unchanged', async () => {
  const text = await csv('[{"a":"=1+1","b":"-5","c":"@x","d":"-x"}]', { escapeFormulas: true })
  expect(python(text)[1]).toEqual(["'=1+1", '-5', "'@x", "'-x"])
})

test('writes byte order marks and line ends as requested', async () => {
  const { output } = await convert('a,b\n1,2\n', 'tsv', { outCsv: { eol: 'crlf', bom: true, header: false } })
  expect(Buffer.from(output!.bytes!).toString()).toBe('\ufeff1\t2\r\n')
  expect(output).toMatchObject({ contentType: 'text/tab-separated-values', name: 'table.tsv' })
})

test('returns an empty list for a header alone, and makes column names distinct', async () => {
  expect(await json('a,b\n')).toEqual([])
  expect(await json('')).toEqual([])
  const answer = await convert('a,a,b\n1,2,3\n', 'json')
  expect(JSON.parse(answer.text)).toEqual([{ a: '1', a_2: '2', b: '3' }])
  expect(answer.warnings).toMatchObject([{ code: 'DUPLICATE_COLUMN' }])
})

test('is priced by the size of the table', async () => {
  expect(await computePrice('csv.convert', { file: { text: `a\n${'x'.repeat(2 ** 20)}` }, to: 'json' })).toBe(2_000n)
})

test.each([
  ['[{"a":1}]\n[{"a":2}]', { from: 'json' }],
  ['[{"a":1}] garbage', {}],
  ['[{"a":1}]]', {}],
  ['{"rows":[{"a":1}]} {"rows":[{"a":2}]}', { jsonPath: '/rows' }],
  ['{"rows":[{"a":1}],"more":{oops}}', { jsonPath: '/rows' }],
])('rejects JSON with more after its list: %s', async (text, options) => {
  await expect(convert(text, 'csv', options)).rejects.toMatchObject({ code: 'JSON_PARSE_FAILED' })
})

test('writes no names of columns that the input does not have', async () => {
  const headless = { csv: { header: false } }
  expect(await json('1,2\n3,4\n', { ...headless, jsonShape: 'arrays' })).toEqual([
    ['1', '2'],
    ['3', '4'],
  ])
  expect(await csv('1,2\n3,4\n', headless)).toBe('1,2\n3,4\n')
  expect(await csv('[["id","name"],["1","Ada"]]')).toBe('id,name\n1,Ada\n')
  expect(await csv('1,2\n', { ...headless, outCsv: { header: true } })).toBe('column1,column2\n1,2\n')
  expect(await json('a,b\n1,2\n', { jsonShape: 'arrays' })).toEqual([
    ['a', 'b'],
    ['1', '2'],
  ])
  expect(await json('', { ...headless, jsonShape: 'arrays' }).catch(({ code }) => code)).toBeDefined()
  for (const operation of ['csv.select', 'csv.dedupe']) {
    const options = operation === 'csv.select' ? { columns: [1, 2] } : {}
    const file = source('1,2\n3,4\n')
    const { output } = await runOperation(operation, { file, ...headless, ...options, outFormat: 'tsv' })
    expect(Buffer.from(output!.bytes!).toString()).toBe('1\t2\n3\t4\n')
  }
})

test('warns about a quote inside a cell without quotes, and keeps it', async () => {
  const { text, warnings } = await convert('a,b\n1,2\n3,5" pipe\n4" x,"y"\n', 'json')
  expect(JSON.parse(text)[1]).toEqual({ a: '3', b: '5" pipe' })
  expect(warnings).toEqual([{ code: 'UNESCAPED_QUOTE', message: expect.stringContaining('Line 3') }])
  expect((await convert('a,b\n"1""2",3\n', 'json')).warnings ?? []).toEqual([])
})
