import { type Static, Type } from 'typebox'
import { Choice, FileInput, perStartedBytes } from '#kit'

const MEBIBYTE = 2 ** 20
const SingleCharacter = { minLength: 1, maxLength: 1, pattern: '^[\\x00-\\x7f]$' }

const ENCODINGS = [
  'auto',
  'utf-8',
  'utf-16le',
  'utf-16be',
  ...['1250', '1251', '1252', '1253', '1254', '1255', '1256', '1257', '1258'].map(page => `windows-${page}`),
  ...['1', '2', '3', '4', '5', '6', '7', '8', '10', '13', '14', '15', '16'].map(part => `iso-8859-${part}`),
  'shift_jis',
  'gbk',
  'gb18030',
  'big5',
  'euc-jp',
  'euc-kr',
  'koi8-r',
]

export const Dialect = Type.Object(
  {
    delimiter: Type.String({
      default: 'auto',
      pattern: '^(auto|[\\x00-\\x7f])$',
      description: 'One character, or auto.',
    }),
    quote: Type.String({ default: '"', ...SingleCharacter }),
    escape: Type.String({ default: '"', ...SingleCharacter }),
    header: Type.Union([Choice(['auto']), Type.Boolean()], { default: 'auto' }),
    encoding: Choice(ENCODINGS, { default: 'auto' }),
    comment: Type.Optional(Type.String(SingleCharacter)),
    skipRows: Type.Integer({ default: 0, minimum: 0, maximum: 1000 }),
    nullValues: Type.Optional(
      Type.Array(Type.String({ maxLength: 100 }), {
        maxItems: 100,
        description:
          'Cells that mean null. Left out: the empty cell where types are assigned, none where cells stay text.',
      }),
    ),
    ragged: Choice(['error', 'pad', 'truncate', 'collect'], {
      default: 'error',
      description: 'What to do with rows of another length; collect puts surplus cells into a column _extra.',
    }),
    trim: Type.Boolean({ default: false }),
    decimal: Choice(['.', ','], { default: '.' }),
  },
  {
    default: {},
    description: 'The dialect of the CSV. Settings that are auto are detected and reported in the answer.',
  },
)
export type Dialect = Static<typeof Dialect>

export const OutDialect = Type.Object(
  {
    delimiter: Type.Optional(Type.String({ ...SingleCharacter, description: 'Left out: a comma, for tsv a tab.' })),
    quoteAll: Type.Boolean({ default: false }),
    eol: Choice(['lf', 'crlf'], { default: 'lf' }),
    bom: Type.Boolean({ default: false }),
    header: Type.Optional(Type.Boolean({ description: 'Left out: true, unless the input has no names of columns.' })),
    nullAs: Type.String({ default: '', maxLength: 100 }),
  },
  { default: {} },
)
export type OutDialect = Static<typeof OutDialect>

export const FORMATS = ['csv', 'tsv', 'json', 'ndjson'] as const
export type Format = (typeof FORMATS)[number]

export const CONTENT_TYPES = {
  csv: 'text/csv',
  tsv: 'text/tab-separated-values',
  json: 'application/json',
  ndjson: 'application/x-ndjson',
} as const

export function TableInput() {
  return FileInput({ rows: true, description: 'CSV, TSV, JSON or NDJSON: inline, inputKey, text, url, or rows.' })
}

/** 0.001 USD for the first MiB, and 0.001 USD for each started 5 MiB after it. */
export const TABLE_PRICE = perStartedBytes({ base: '0.001', covered: MEBIBYTE, step: 5 * MEBIBYTE, dollars: '0.001' })

/** Problems that any operation on tables may answer with. */
export const TABLE_ERRORS = [
  'CSV_PARSE_FAILED',
  'JSON_PARSE_FAILED',
  'NOT_TABULAR',
  'RAGGED_ROW',
  'UNSUPPORTED_FORMAT',
  'TOO_MANY_COLUMNS',
  'TOO_MANY_ROWS',
  'INVALID_PARAM',
  'TIME_LIMIT_EXCEEDED',
  'MEMORY_LIMIT_EXCEEDED',
] as const

export const ResolvedDialect = Type.Optional(
  Type.Object({
    delimiter: Type.String(),
    quote: Type.String(),
    header: Type.Boolean(),
    encoding: Type.String(),
    eol: Type.String(),
  }),
)
export type ResolvedDialect = Static<typeof ResolvedDialect>
