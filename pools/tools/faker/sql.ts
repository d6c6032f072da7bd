import type { MockColumn } from '../../../tasks/engines/mock/table.ts'
import { toText } from '../../../tasks/engines/mock/table.ts'
import type { Value } from '../../../tasks/engines/mock/values.ts'
import type { RowWriter, SQL_DIALECTS } from './plan.ts'

type Dialect = (typeof SQL_DIALECTS)[number]

const TYPES: Record<Dialect, Record<string, string>> = {
  postgres: {
    string: 'text',
    integer: 'bigint',
    number: 'double precision',
    boolean: 'boolean',
    date: 'date',
    datetime: 'timestamp',
    timestamptz: 'timestamptz',
    time: 'time',
    uuid: 'uuid',
    json: 'jsonb',
  },
  mysql: {
    string: 'TEXT',
    integer: 'BIGINT',
    number: 'DOUBLE',
    boolean: 'BOOLEAN',
    date: 'DATE',
    datetime: 'DATETIME',
    timestamptz: 'DATETIME',
    time: 'TIME',
    uuid: 'CHAR(36)',
    json: 'JSON',
  },
  sqlite: { integer: 'INTEGER', number: 'REAL', boolean: 'INTEGER' },
}
const ROWS_PER_STATEMENT = 500

/** Statements that create a table and fill it. */
export function createSqlWriter(
  name: string,
  columns: readonly MockColumn[],
  { dialect, create }: { dialect: Dialect; create: boolean },
): RowWriter {
  const quoteName = (text: string) =>
    dialect === 'mysql' ? `\`${text.replaceAll('`', '``')}\`` : `"${text.replaceAll('"', '""')}"`
  const typeOf = (type: string) =>
    TYPES[dialect][type] ?? (dialect !== 'sqlite' && type.startsWith('decimal') ? type : 'TEXT')
  const defined = columns.map(column => `  ${quoteName(column.name)} ${typeOf(column.type)}`)
  const head = `INSERT INTO ${quoteName(name)} (${columns.map(column => quoteName(column.name)).join(', ')}) VALUES\n`
  const literals = columns.map(({ type }) => createLiteral(type, dialect))
  let isOpen = false
  return {
    begin: create ? `CREATE TABLE ${quoteName(name)} (\n${defined.join(',\n')}\n);\n` : '',
    row(values, index) {
      const start = index % ROWS_PER_STATEMENT === 0 ? (isOpen ? ';\n' : '') + head : ',\n'
      isOpen = true
      return `${start}(${values.map((value, at) => literals[at]!(value)).join(', ')})`
    },
    get end() {
      return isOpen ? ';\n' : ''
    },
  }
}

function createLiteral(type: string, dialect: Dialect): (value: Value) => string {
  const isBare = type === 'integer' || type === 'number' || type.startsWith('decimal')
  const quote = (text: string) =>
    `'${(dialect === 'mysql' ? text.replaceAll('\\', '\\\\') : text).replaceAll("'", "''")}'`
  const write = createWrite(type, dialect, isBare ? String : quote)
  return value => (value === null ? 'NULL' : write(value))
}

function createWrite(type: string, dialect: Dialect, quote: (text: string) => string): (value: Value) => string {
  if (type === 'boolean') return value => (dialect === 'postgres' ? String(value) : value ? '1' : '0')
  if (type === 'json') return value => quote(JSON.stringify(value))
  if (dialect === 'mysql' && type === 'timestamptz') return value => quote(toText(value).replace('T', ' ').slice(0, 19))
  return value => quote(toText(value))
}
