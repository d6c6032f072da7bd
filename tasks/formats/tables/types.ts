import { Problem } from '#kit'
import { isNumberText, isPhoneText, toJsonNumber, toPoint } from './number-text.ts'
import { DOUBLED, MISSING, PLAIN, QUOTED, type Rows, readCell } from './rows.ts'

export const CELL_TYPES = ['string', 'integer', 'number', 'boolean', 'null', 'json'] as const
export type CellType = (typeof CELL_TYPES)[number]

/** The JSON of a cell that gets a type; undefined if the cell stays as it is. */
export type CellCaster = (rows: Rows, column: number) => string | undefined

interface TypeRules {
  types: 'none' | 'infer' | Record<string, CellType>
  nullValues?: readonly string[]
  decimal: '.' | ','
  bigIntAs: 'string' | 'number'
}

const INTEGER = /^[+-]?(?:0|[1-9]\d{0,37})$/
const WHOLE = /^[+-]?(?:0|[1-9]\d*)$/

/** Cells keep their text unless types are requested; a cell that does not fit its requested type is a Problem. */
export function createCaster(rows: Rows, rules: TypeRules): CellCaster | undefined {
  const isTyped = rules.types !== 'none'
  if (!isTyped && rules.nullValues === undefined) return undefined
  const nulls = new Set(rules.nullValues ?? [''])
  const types = isTyped ? resolveTypes(rows, rules, nulls) : []
  return (row, column) => {
    const kind = row.kinds[column]!
    if (kind === MISSING) return 'null'
    if (kind !== PLAIN && kind !== QUOTED && kind !== DOUBLED) return undefined
    const text = readCell(row, column)!
    if (isNullCell(text, kind, nulls, types[column])) return 'null'
    return castCell(text, types[column], row, column, rules)
  }
}

/** In quotes an empty cell is one of the texts of its column, and is missing where the column has none. */
function isNullCell(text: string, kind: number, nulls: ReadonlySet<string>, type: CellType | undefined): boolean {
  if (!nulls.has(text)) return false
  return kind === PLAIN || (text === '' && type !== undefined && type !== 'string')
}

function castCell(
  text: string,
  type: CellType | undefined,
  row: Rows,
  column: number,
  rules: TypeRules,
): string | undefined {
  if (type === undefined || type === 'string') return undefined
  const cast = castText(text, type, rules)
  if (cast !== undefined || rules.types === 'infer') return cast
  throw new Problem('TYPE_MISMATCH', { column: row.columns[column], row: row.line, value: text.slice(0, 80), type })
}

function resolveTypes(rows: Rows, rules: TypeRules, nulls: ReadonlySet<string>): (CellType | undefined)[] {
  const { types } = rules
  if (types === 'infer') return inferTypes(rows, rules, nulls)
  if (types === 'none') return []
  for (const name of Object.keys(types)) {
    if (!rows.columns.includes(name))
      throw new Problem('COLUMN_NOT_FOUND', { column: name, available: rows.columns.slice(0, 100) })
  }
  return rows.columns.map(name => (Object.hasOwn(types, name) ? types[name] : undefined))
}

const INFERABLE_TYPES: [CellType, (text: string) => boolean][] = [
  ['integer', text => INTEGER.test(text) && !isPhoneText(text)],
  ['number', text => isNumberText(text) && !isPhoneText(text) && Number.isFinite(Number(text))],
  ['boolean', text => text === 'true' || text === 'false'],
]

/** A type is inferred only if every cell of the column has the same value again. */
function inferTypes(rows: Rows, { decimal }: TypeRules, nulls: ReadonlySet<string>): (CellType | undefined)[] {
  const found: (Set<CellType> | 'string')[] = rows.columns.map(() => new Set<CellType>())
  while (rows.next()) {
    for (const [column, known] of found.entries()) {
      if (known === 'string') continue
      const type = inferCellType(rows, column, decimal, nulls)
      if (type === 'string') found[column] = type
      else if (type) known.add(type)
    }
  }
  rows.rewind()
  return found.map(unifyTypes)
}

function inferCellType(rows: Rows, column: number, decimal: string, nulls: ReadonlySet<string>): CellType | undefined {
  const text = readCell(rows, column)
  if (text === undefined || (nulls.has(text) && (rows.kinds[column] === PLAIN || text === ''))) return undefined
  const plain = decimal === ',' ? toPoint(text) : text
  return INFERABLE_TYPES.find(([, isOfType]) => isOfType(plain))?.[0] ?? 'string'
}

function unifyTypes(found: Set<CellType> | 'string'): CellType | undefined {
  if (found === 'string' || found.size === 0) return undefined
  if (found.size === 1) return [...found][0]
  return found.has('boolean') ? undefined : 'number'
}

function castText(text: string, type: CellType, { decimal, bigIntAs }: TypeRules): string | undefined {
  const plain = decimal === ',' ? toPoint(text) : text
  if (type === 'null') return 'null'
  if (type === 'boolean') return /^(?:true|false)$/i.test(text) ? text.toLowerCase() : undefined
  if (type === 'json') return keepIfJson(text)
  const isNumber = type === 'integer' ? WHOLE.test(plain) : isNumberText(plain)
  if (!isNumber) return undefined
  const number = toJsonNumber(plain)
  const isLarge = bigIntAs === 'string' && WHOLE.test(plain) && !Number.isSafeInteger(Number(plain))
  return isLarge ? `"${number}"` : number
}

function keepIfJson(text: string): string | undefined {
  try {
    JSON.parse(text)
    return text
  } catch {
    return undefined
  }
}
