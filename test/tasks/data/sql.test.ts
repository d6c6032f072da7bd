import { describe, expect, test } from 'vitest'
import { querySqlite, runTable } from '../../support/data/tables.ts'

const ORDERS = 'id,customer,amount\n1,7,10.5\n2,8,20\n3,7,5\n4,9,\n'
const CUSTOMERS = 'id,name\n7,Ada\n8,Bob\n'
const TABLES = { orders: { text: ORDERS }, customers: { text: CUSTOMERS } }
const sql = (text: string, options: object = {}) =>
  runTable('sql', { tables: TABLES, sql: text, preview: 50, ...options })

test.each([
  'SELECT c.name, sum(o.amount) AS total, count(*) AS n FROM orders o JOIN customers c ON c.id = o.customer GROUP BY c.name ORDER BY 1',
  'SELECT o.id, c.name FROM orders o LEFT JOIN customers c ON c.id = o.customer ORDER BY o.id',
  'WITH big AS (SELECT * FROM orders WHERE amount > 6) SELECT id, amount FROM big ORDER BY amount DESC',
  'SELECT id, sum(amount) OVER (ORDER BY id) AS so_far FROM orders ORDER BY id',
  'SELECT id FROM orders WHERE amount > (SELECT avg(amount) FROM orders)',
  'WITH RECURSIVE r(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM r WHERE n < 5) SELECT n FROM r',
  'SELECT customer FROM orders UNION SELECT id FROM customers ORDER BY 1',
])('answers as another database does: %s', async text => {
  expect((await sql(text)).preview).toEqual((await querySqlite({ orders: ORDERS, customers: CUSTOMERS }, [text]))[0])
})

test.each(['007', '12x', '', '2026-02-30', 'true', '1e400', '+491701234567'])(
  'a late %j decides the type of its column',
  async cell => {
    const rows = Array.from({ length: 1200 }, (_, index) => `${index},${index}\n`).join('')
    const text = `id,n\n${rows}1200,${cell}\n`
    const answer = await runTable('sql', { file: { text }, sql: 'SELECT n, typeof(n) AS t FROM input WHERE id = 1200' })
    expect(answer.preview).toEqual([cell === '' ? { n: null, t: 'BIGINT' } : { n: cell, t: 'VARCHAR' }])
  },
)

test.each([
  ['1e3', 1000, 'DOUBLE'],
  ['+5', 5, 'BIGINT'],
  ['1234567890123456789', '1234567890123456789', 'DECIMAL(38,0)'],
  ['-1.2345678901234567890', '-1.234567890123456789', 'DECIMAL(22,18)'],
])('a late %j makes its column one of such numbers', async (cell, n, t) => {
  const rows = Array.from({ length: 1200 }, (_, index) => `${index},${index}\n`).join('')
  const text = `id,n\n${rows}1200,${cell}\n`
  const answer = await runTable('sql', { file: { text }, sql: 'SELECT n, typeof(n) AS t FROM input WHERE id = 1200' })
  expect(answer.preview).toEqual([{ n, t }])
})

test('a late row of another width is an error, whatever the statement makes of it', async () => {
  const text = `id,n\n${'1,2\n'.repeat(1200)}1\n`
  await expect(runTable('sql', { file: { text }, sql: 'SELECT 1 / 0' })).rejects.toMatchObject({ code: 'RAGGED_ROW' })
})

test.each([
  'SELECT 1 AS a; -- end',
  'SELECT 1 AS a;;',
  'SELECT 1 AS a; /* x /* ; */ ; */ ;\n',
  ';SELECT 1 AS a',
  "SELECT 1 AS a FROM (SELECT NULL AS \"a;\") WHERE ';' <> E'\\';' AND $x$;--$x$ <> '' AND \"a;\" IS NULL; --x;",
])('takes what ends a statement: %s', async text => {
  expect((await sql(text)).preview).toEqual([{ a: 1 }])
})

test('tells names of tables apart only by their letters', async () => {
  const table = { text: 'a\n1\n' }
  const answer = await runTable('sql', { tables: { Customers: table }, sql: 'SELECT * FROM customers, Customers AS c' })
  expect(answer.rowsOut).toBe(1)
  await expect(
    runTable('sql', { tables: { Customers: table, customers: table }, sql: 'SELECT 1' }),
  ).rejects.toMatchObject({ code: 'INVALID_PARAM' })
})

const WIDE = [
  { id: 1, '7': 10.5, '8': null, '9': null },
  { id: 2, '7': null, '8': 20, '9': null },
  { id: 3, '7': 5, '8': null, '9': null },
  { id: 4, '7': null, '8': null, '9': null },
]

test.each([
  ['PIVOT orders ON customer USING sum(amount) GROUP BY id ORDER BY id', WIDE],
  ['PIVOT orders ON customer IN (SELECT customer FROM orders) USING sum(amount) GROUP BY id ORDER BY id;', WIDE],
  ['SELECT * FROM (PIVOT orders ON customer USING sum(amount) GROUP BY id) ORDER BY id', WIDE],
  [
    'WITH o(i, c, a) AS (FROM orders), p AS (PIVOT o ON c USING sum(a)), q AS (SELECT 1) SELECT i AS id, * EXCLUDE (i) FROM p ORDER BY i',
    WIDE,
  ],
  [
    "PIVOT orders ON CASE WHEN id IN (1, 3) THEN 'o''dd' ELSE 'even' END, customer IN (7) USING count(*) GROUP BY customer ORDER BY customer",
    [7, 8, 9].map(customer => ({ customer, even_7: 0, "o'dd_7": customer === 7 ? 2 : 0 })),
  ],
  [
    'PIVOT (PIVOT orders ON customer USING sum(amount) GROUP BY id) ON id USING max("7") GROUP BY "9"',
    [{ '9': null, '1': 10.5, '2': null, '3': 5, '4': null }],
  ],
  [
    'PIVOT orders o JOIN (SELECT 7 AS customer, 2 AS z) c USING (customer) ON z USING sum(amount) GROUP BY customer',
    [{ customer: 7, '2': 15.5 }],
  ],
] as const)('reads the values of %s', async (text, rows) => {
  expect((await sql(text)).preview).toEqual(rows)
})

test('a PIVOT reads its values with the parameters of its source', async () => {
  const text = 'PIVOT (SELECT * FROM orders WHERE id < $2) ON customer USING sum(amount) ORDER BY id LIMIT $1'
  expect((await sql(text, { params: [1, 3] })).preview).toEqual([{ id: 1, '7': 10.5, '8': null }])
})

test.each([
  ["PIVOT read_csv('/etc/passwd') ON a USING count(*)", 'SQL_FORBIDDEN'],
  ["PIVOT orders ON (SELECT content FROM read_text('/etc/passwd')) USING count(*)", 'SQL_FORBIDDEN'],
  ["PIVOT orders ON customer IN (SELECT content FROM read_text('/etc/passwd')) USING count(*)", 'SQL_FORBIDDEN'],
  ['PIVOT orders ON nope USING count(*)', 'COLUMN_NOT_FOUND'],
  ['PIVOT (SELECT * FROM orders WHERE id < ?) ON customer USING sum(amount)', 'SQL_FORBIDDEN'],
  ['PIVOT (SELECT * FROM orders WHERE false) ON customer USING sum(amount)', 'SQL_RUNTIME'],
  ['PIVOT (SELECT range AS a FROM range(2000)) ON a USING count(*)', 'TOO_MANY_COLUMNS'],
])('refuses to read the values of %s', async (text, code) => {
  await expect(sql(text)).rejects.toMatchObject({ code })
})

test('takes sizes that texts and lists usually have', async () => {
  const text =
    "SELECT repeat('0123456789', 2) AS a, lpad('x', 5, '99999999') AS b, len(list_transform(range(100000), lambda x: lpad(x::VARCHAR, 20, '0'))) AS c"
  expect((await sql(text)).preview).toEqual([{ a: '01234567890123456789', b: '9999x', c: 100_000 }])
})

test('binds parameters, truncates and keeps types', async () => {
  expect((await sql('SELECT id FROM orders WHERE amount > $1', { params: [10] })).preview).toEqual([
    { id: 1 },
    { id: 2 },
  ])
  expect((await sql('SELECT $name AS name', { params: { name: "x'; DROP" } })).preview).toEqual([{ name: "x'; DROP" }])
  const cut = await sql('SELECT * FROM orders', { maxRows: 2 })
  expect(cut).toMatchObject({ rowsOut: 2, truncated: true, warnings: [{ code: 'ROWS_LEFT_OUT' }] })
  const whole = await sql('SELECT * FROM orders;', { maxRows: 4 })
  expect(whole).toMatchObject({ rowsOut: 4, truncated: false })
  expect(whole.warnings ?? []).toEqual([])
  const { preview } = await sql(
    'SELECT 9007199254740993 AS big, sum(id) AS s, 1.10::DECIMAL(4,2) AS d, [1, NULL] AS l, NULL AS n FROM orders',
  )
  expect(preview).toEqual([{ big: '9007199254740993', s: 10, d: 1.1, l: [1, null], n: null }])
})

test('explains without a result', async () => {
  const answer = await sql('SELECT count(*) FROM orders', { explain: true })
  expect(answer.plan).toContain('AGGREGATE')
  expect(answer.output).toBeUndefined()
})

/** Every text of this list was tried against the engine without the checks, and most of them did harm. */
const FORBIDDEN = [
  "SELECT * FROM '/etc/passwd'",
  "SELECT * FROM read_csv('/etc/passwd')",
  "SELECT * FROM read_text('/etc/passwd')",
  "SELECT * FROM read_blob('/etc/passwd')",
  "SELECT * FROM glob('/*')",
  "SELECT * FROM sniff_csv('/etc/passwd')",
  "SELECT * FROM parquet_metadata('/etc/passwd')",
  "COPY orders TO '/tmp/x.csv'",
  "COPY (SELECT 1) TO '/tmp/x.csv'",
  "EXPORT DATABASE '/tmp/x'",
  "ATTACH '/tmp/x.db'",
  "ATTACH ':memory:' AS other",
  'INSTALL httpfs',
  'LOAD httpfs',
  'UPDATE EXTENSIONS',
  'SET enable_external_access = true',
  'RESET memory_limit',
  "PRAGMA enable_profiling = 'json'",
  'PRAGMA database_list',
  'CREATE TABLE x (a INTEGER)',
  'CREATE VIEW x AS SELECT 1',
  'CREATE MACRO f(x) AS x',
  'CREATE SECRET s (TYPE s3)',
  'DROP TABLE orders',
  'INSERT INTO orders VALUES (1, 2, 3)',
  'DELETE FROM orders',
  'UPDATE orders SET id = 1',
  'PREPARE p AS SELECT 1',
  'EXECUTE p',
  'SET VARIABLE a = 1',
  'CHECKPOINT',
  'CALL enable_logging()',
  'CALL pragma_version()',
  'EXPLAIN SELECT 1',
  'BEGIN TRANSACTION',
  'VACUUM',
  'SELECT 1; SELECT 2',
  'SELECT * FROM duckdb_settings()',
  'SELECT * FROM duckdb_settings',
  'SELECT * FROM duckdb_databases()',
  'SELECT * FROM duckdb_logs',
  'SELECT * FROM pragma_database_list',
  'SELECT * FROM information_schema.tables',
  'SELECT * FROM sqlite_master',
  'SELECT * FROM memory.main.orders',
  "SELECT current_setting('temp_directory')",
  "SELECT getvariable('a')",
  "SELECT getenv('PATH')",
  "SELECT nextval('s')",
  "SELECT write_log('x')",
  "SELECT * FROM query('SELECT 1')",
  "SELECT * FROM query_table('orders')",
  "SELECT json_execute_serialized_sql('{}')",
  "SELECT json_serialize_plan('SELECT 1')",
  "SELECT * FROM sql_auto_complete('SEL')",
  "SELECT * FROM which_secret('s3://x', 's3')",
  'SELECT * FROM test_all_types()',
  'DESCRIBE orders',
  'SUMMARIZE orders',
  'SHOW TABLES',
  'SELECT * FROM "table 1"',
  'SELECT * FROM "source orders"',
  'WITH "/etc/passwd" AS (SELECT 1) SELECT * FROM orders',
  'WITH duckdb_settings AS (SELECT 1) SELECT * FROM duckdb_settings',
  "SELECT length(repeat('a', 4000000000))",
  'SELECT len(range(100000000))',
  'SELECT * FROM range(300000000)',
  "SELECT md5(lpad('a', 2000000000, 'b'))",
  "SELECT format('{:>2000000000}', 'x')",
  "SELECT printf('%2000000000d', 1)",
  'SELECT * FROM unnest(range(300000000))',
  'SELECT list_resize([1], 4000000000)',
  "SELECT length(repeat(repeat('a', 9999999), 300))",
  `SELECT length(repeat('${'a'.repeat(1000)}', 9999999))`,
  "SELECT len(list_transform(range(100000), lambda x: repeat('a', 999999)))",
  `SELECT length(printf('${'%9999999d'.repeat(20)}'${', 1'.repeat(20)}))`,
  "SELECT length(printf('%' || '9999' || '99999' || 'd', 1))",
  "SELECT length(repeat('a', 30000 * 30000))",
  "SELECT rpad('a', 2000000000, 'b')",
  'SELECT * FROM orders FOR UPDATE',
  'SELECT * INTO x FROM orders',
  "PRAGMA enable_logging('x')",
  "SET log_query_path = '/tmp/x.log'",
  'SELECT * FROM arrow_scan(1, 2, 3)',
  "SELECT * FROM parquet_scan('/etc/passwd')",
  "SELECT * FROM (SELECT * FROM '/etc/passwd')",
  "SELECT (SELECT content FROM read_text('/etc/passwd'))",
  "SELECT * FROM orders WHERE id IN (FROM '/etc/passwd')",
  'SELECT current_query()',
  'SELECT sleep_ms(10000)',
  'SELECT pg_sleep(10)',
]

test.each(FORBIDDEN)('forbids %s', async text => {
  await expect(sql(text)).rejects.toMatchObject({ code: expect.stringMatching(/^SQL_(?:FORBIDDEN|SYNTAX)$/) })
})

describe('what cannot be run', () => {
  test.each([
    ['SELEC 1', 'SQL_SYNTAX'],
    ['', 'SQL_SYNTAX'],
    ['-- nothing', 'SQL_SYNTAX'],
    [';;', 'SQL_SYNTAX'],
    ['SELECT 1e400', 'SQL_SYNTAX'],
    ['SELECT id FROM orders WHERE amount > -1e999', 'SQL_SYNTAX'],
    ['SELECT nope FROM orders', 'COLUMN_NOT_FOUND'],
    ['SELECT * FROM nope', 'SQL_FORBIDDEN'],
    ["SELECT 'x'::INTEGER", 'SQL_RUNTIME'],
    ['SELECT $1', 'SQL_RUNTIME'],
    ['SELECT abs()', 'SQL_RUNTIME'],
  ])('%s', async (text, code) => {
    await expect(sql(text || ' ')).rejects.toMatchObject({ code })
  })

  test('a parameter without a place', async () => {
    for (const params of [[1, 2], { x: 1 }]) {
      await expect(sql('SELECT 1 AS a', { params })).rejects.toMatchObject({ code: 'INVALID_PARAM' })
    }
  })

  test('refuses what changes, if asked', async () => {
    await expect(sql('SELECT now()', { deterministic: true })).rejects.toMatchObject({ code: 'SQL_FORBIDDEN' })
    await expect(runTable('sql', { sql: 'SELECT 1' })).rejects.toMatchObject({ code: 'MISSING_FIELD' })
    await expect(sql('SELECT 1', { file: { text: 'a\n1\n' } })).rejects.toMatchObject({ code: 'CONFLICTING_OPTIONS' })
  })
})
