import { read, utils } from '@e965/xlsx'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { execa } from 'execa'
import { afterAll, expect, test } from 'vitest'
import { KINDS } from '../../../tasks/engines/mock/kinds.ts'
import { PYTHON } from '../../support/machine/programs.ts'
import { runJob, sharedPools } from '../../support/pools/open.ts'

const pools = await sharedPools()
afterAll(() => pools[Symbol.asyncDispose]())

type Row = Record<string, unknown>
const make = (body: Record<string, unknown>) => runJob(pools, 'generate.mock-data', body)
const rowsOf = async (body: Record<string, unknown>) => JSON.parse((await make(body)).bytes.toString()) as Row[]

const SIMPLE = Object.keys(KINDS).filter(kind => !['enum', 'regex', 'ref', 'template', 'json'].includes(kind))
const EVERY = SIMPLE.map(type => ({ name: type, type }))
const PEOPLE = ['firstName', 'lastName', 'fullName', 'email'].map(type => ({ name: type, type }))

test('makes every type, the same for the same seed, and fewer rows as the first of more', async () => {
  const body = { fields: EVERY, rows: 4, seed: 5 }
  const [first, again, longer, other] = [
    await rowsOf(body),
    await rowsOf(body),
    await rowsOf({ ...body, rows: 6 }),
    await rowsOf({ ...body, seed: 6 }),
  ]
  expect(first).toEqual(again)
  expect(longer.slice(0, 4)).toEqual(first)
  expect(other).not.toEqual(first)
  for (const kind of SIMPLE)
    expect([kind, first.every(row => row[kind] !== null && row[kind] !== '')]).toEqual([kind, true])
})

test('uses only what is kept for tests, and one person for a row', async () => {
  for (const row of await rowsOf({ fields: EVERY, rows: 40 })) {
    expect(row.email).toMatch(/^[a-z0-9._-]+@(example\.(com|net|org)|mail\.example\.test)$/)
    expect(row.phone).toMatch(/^\+1-\d{3}-555-01\d\d$/)
    expect(row.ipv4).toMatch(/^(192\.0\.2|198\.51\.100|203\.0\.113)\.\d+$/)
    expect(row.creditCard).toMatch(/^(411111|424242|555555|510510)\d{10}$/)
    expect(row.fullName).toBe(`${row.firstName as string} ${row.lastName as string}`)
    expect(row.iban).toSatisfy(hasIbanChecksum)
  }
})

function hasIbanChecksum(iban: string): boolean {
  const digits = [...iban.slice(4), ...iban.slice(0, 4)].map(character => Number.parseInt(character, 36)).join('')
  return BigInt(digits) % 97n === 1n
}

test.each([
  ['de', /\+49 /],
  ['ja', /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]/u],
  ['ar', /\p{Script=Arabic}/u],
  ['zh_CN', /\p{Script=Han}/u],
])('makes names and numbers of %s', async (locale, pattern) => {
  const [row] = await rowsOf({ fields: [...PEOPLE, { name: 'phone', type: 'phone' }], rows: 1, locale })
  expect(Object.values(row!).join(' ')).toMatch(pattern)
})

test('keeps to the options of each type', async () => {
  const fields = [
    { name: 'int', type: 'int', min: -3, max: 3 },
    { name: 'float', type: 'float', min: 2, max: 4, decimals: 1 },
    { name: 'decimal', type: 'decimal', min: -5, max: 5, decimals: 3 },
    { name: 'date', type: 'date', from: '2020-02-28', to: '2020-03-01' },
    { name: 'enum', type: 'enum', values: ['a', 'b', 'c'], weights: [0, 3, 1] },
    { name: 'regex', type: 'regex', pattern: '^(AB|[x-z])-\\d{2,4}[^a]?$' },
    { name: 'sequence', type: 'sequence', start: 10, step: -5 },
    { name: 'lorem', type: 'lorem', min: 3, max: 3, null: 0.5 },
    { name: 'template', type: 'template', template: '{{sequence}}/{{ city }}' },
    { name: 'json', type: 'json', fields: [{ name: 'ok', type: 'bool' }] },
  ]
  const rows = await rowsOf({ fields, rows: 200, unique: [] })
  expect(new Set(rows.map(row => row.int))).toEqual(new Set([-3, -2, -1, 0, 1, 2, 3]))
  expect(new Set(rows.map(row => row.date))).toEqual(new Set(['2020-02-28', '2020-02-29', '2020-03-01']))
  expect(new Set(rows.map(row => row.enum))).toEqual(new Set(['b', 'c']))
  expect(rows.slice(0, 3).map(row => row.sequence)).toEqual([10, 5, 0])
  const empty = rows.filter(row => row.lorem === null).length
  expect([empty > 60, empty < 140]).toEqual([true, true])
  for (const row of rows) {
    expect(row.regex).toMatch(/^(AB|[x-z])-\d{2,4}[^a]?$/)
    expect(row.template).toMatch(new RegExp(`^${row.sequence as number}/.+`))
    expect(row.json).toEqual({ ok: expect.any(Boolean) })
    expect(Math.abs(row.decimal as number)).toBeLessThanOrEqual(5)
  }
})

const SCHEMA = {
  type: 'object',
  required: ['id', 'kind'],
  properties: {
    id: { type: 'string', format: 'uuid' },
    kind: { enum: ['a', 'b', 3] },
    price: { type: 'number', exclusiveMinimum: 0, maximum: 5, multipleOf: 0.25 },
    code: { type: 'string', pattern: '^[A-Z]{3}\\d+$' },
    note: { type: ['string', 'null'], minLength: 5, maxLength: 12 },
    tags: {
      type: 'array',
      items: { type: 'integer', minimum: 1, maximum: 9 },
      minItems: 2,
      maxItems: 4,
      uniqueItems: true,
    },
    shape: {
      oneOf: [
        { type: 'object', required: ['r'], properties: { r: { const: 1 } }, additionalProperties: false },
        { type: 'array', prefixItems: [{ type: 'boolean' }], items: false },
      ],
    },
    tree: { $ref: '#/$defs/node' },
    all: { allOf: [{ type: 'integer', minimum: 4 }, { maximum: 6 }] },
  },
  $defs: { node: { type: 'object', properties: { next: { type: 'array', items: { $ref: '#/$defs/node' } } } } },
}

test('makes rows that another validator of JSON Schema accepts', async () => {
  const validate = new Ajv2020({ strict: false, validateFormats: false, multipleOfPrecision: 6 }).compile(SCHEMA)
  for (const row of await rowsOf({ schema: SCHEMA, rows: 60 })) {
    validate(row)
    expect(validate.errors).toBeNull()
  }
})

const SHOP = {
  table: 'customers',
  rows: 20,
  fields: [
    { name: 'id', type: 'int', max: 60 },
    { name: 'name', type: 'fullName', null: 0.2 },
  ],
  unique: ['id'],
  relations: [
    {
      table: 'orders',
      perRow: { min: 0, max: 3 },
      fields: [
        { name: 'customer', type: 'ref', field: 'id' },
        { name: 'total', type: 'decimal', max: 9 },
        { name: 'at', type: 'timestamp' },
        { name: 'ok', type: 'bool' },
      ],
    },
    { table: 'visits', rows: 5, fields: [{ name: 'order', type: 'ref', table: 'orders', field: 'total' }] },
  ],
}

test('makes tables that refer to each other, as SQL that a database runs', async () => {
  const { bytes, result, chargedMicros } = await make({ ...SHOP, outFormat: 'sql', sql: { dialect: 'sqlite' } })
  const script = `
import sqlite3, sys
base = sqlite3.connect(":memory:")
base.executescript(sys.stdin.read())
ask = lambda q: base.execute(q).fetchone()[0]
print(ask("select count(distinct id) from customers"), ask("select count(*) from orders"),
  ask("select count(*) from orders where customer not in (select id from customers)"),
  ask("select count(*) from visits where \\"order\\" not in (select total from orders)"))`
  const { stdout } = await execa(PYTHON, ['-c', script], { input: bytes })
  const tables = result.tables as { name: string; rows: number }[]
  expect(tables.map(({ name }) => name)).toEqual(['customers', 'orders', 'visits'])
  expect(stdout).toBe(`20 ${tables[1]!.rows} 0 0`)
  expect(chargedMicros).toBe(2000n)
})

test('writes files, sheets and dialects', async () => {
  const several = await make({ ...SHOP, outFormat: 'csv', outCsv: { delimiter: ';', eol: 'crlf', nullAs: 'NULL' } })
  expect(several.files.map(({ name }) => name)).toEqual(['customers.csv', 'orders.csv', 'visits.csv'])
  expect(several.files[0]!.bytes.toString()).toMatch(/^id;name\r\n\d+;.*\r\n/)
  expect(several.files[0]!.bytes.toString()).toContain(';NULL\r\n')
  const book = read((await make({ ...SHOP, outFormat: 'xlsx' })).bytes)
  expect(book.SheetNames).toEqual(['customers', 'orders', 'visits'])
  const rows = utils.sheet_to_json(book.Sheets.customers!) as Row[]
  const json = await make({ ...SHOP, outFormat: 'json' })
  expect(rows.map(({ id }) => id)).toEqual((JSON.parse(json.files[0]!.bytes.toString()) as Row[]).map(({ id }) => id))
  const none = { table: 'none', perRow: { min: 0, max: 0 }, fields: SHOP.fields }
  const empty = read((await make({ ...SHOP, relations: [none], outFormat: 'xlsx' })).bytes)
  expect(utils.sheet_to_json(empty.Sheets.none!, { header: 1 })).toEqual([['id', 'name']])
  const parquet = await make({ fields: PEOPLE, rows: 3, outFormat: 'parquet' })
  expect([parquet.bytes.subarray(0, 4).toString(), parquet.bytes.subarray(-4).toString()]).toEqual(['PAR1', 'PAR1'])
  expect((await make({ fields: PEOPLE, rows: 2, outFormat: 'ndjson' })).bytes.toString().split('\n')).toHaveLength(3)
})

const field = (options: Row) => ({ fields: [{ name: 'a', ...options }] })

test.each([
  [{}, 'MISSING_FIELD'],
  [{ ...field({ type: 'int' }), schema: SCHEMA }, 'CONFLICTING_OPTIONS'],
  [field({ type: 'frist-name' }), 'MOCK_TYPE_UNKNOWN'],
  [field({ type: 'email', min: 3 }), 'CONFLICTING_OPTIONS'],
  [field({ type: 'int', min: 3, max: 1 }), 'INVALID_PARAM'],
  [field({ type: 'decimal', max: 9e15 }), 'INVALID_PARAM'],
  [field({ type: 'enum' }), 'MISSING_FIELD'],
  [field({ type: 'enum', values: [1], weights: [0] }), 'INVALID_PARAM'],
  [field({ type: 'regex', pattern: '(a{1000}){1000}' }), 'REGEX_INVALID'],
  [field({ type: 'regex', pattern: '[z-' }), 'REGEX_INVALID'],
  [field({ type: 'template', template: '{{a}}' }), 'INVALID_PARAM'],
  [field({ type: 'template', template: '{{nope nope}}' }), 'MOCK_TYPE_UNKNOWN'],
  [field({ type: 'ref', field: 'b' }), 'INVALID_PARAM'],
  [{ ...field({ type: 'bool' }), unique: ['a'] }, 'UNIQUE_EXHAUSTED'],
  [{ ...field({ type: 'bool' }), unique: ['b'] }, 'INVALID_PARAM'],
  [{ ...field({ type: 'bool' }), outCsv: { bom: true } }, 'CONFLICTING_OPTIONS'],
  [{ ...field({ type: 'bool' }), refDate: '2026-13-41' }, 'INVALID_PARAM'],
  [{ ...field({ type: 'bool' }), rows: 1e6, relations: [{ ...SHOP.relations[1], fields: EVERY }] }, 'TOO_MANY_ROWS'],
  [{ schema: { type: 'string' } }, 'SCHEMA_INVALID'],
  [{ schema: { properties: { a: { $ref: 'http://127.0.0.1/x' } } } }, 'SCHEMA_INVALID'],
  [{ schema: { properties: { a: { $ref: '#/properties/a' } } } }, 'SCHEMA_INVALID'],
  [{ schema: { properties: { a: { not: {} } } } }, 'SCHEMA_INVALID'],
  [{ schema: { properties: { a: { allOf: 'x' } } } }, 'SCHEMA_INVALID'],
  [{ schema: { properties: { a: { type: 'array', minItems: 'x' } } } }, 'SCHEMA_INVALID'],
  [{ schema: { properties: { a: { format: 'constructor' } } } }, 'SCHEMA_INVALID'],
  [{ schema: { properties: 5 } }, 'SCHEMA_INVALID'],
  [{ schema: { properties: { a: { oneOf: [{ type: 'string' }, { minLength: 1 }] } } } }, 'SCHEMA_INVALID'],
  [{ schema: { properties: { a: { type: 'integer', minimum: 1.2, maximum: 1.8 } } } }, 'SCHEMA_INVALID'],
])('refuses %j', async (body, code) => {
  await expect(make(body)).rejects.toMatchObject({ code })
})
