import { STYLES } from '../../../../tasks/formats/tables/workbook-parts.ts'
import { type Column, NUMERIC, toText } from '../read/types.ts'
import { literal, name } from '../sql-text.ts'

/** The first day that spreadsheets and the calendar number alike. */
const FIRST_DAY = '1900-03-01'
const MICROSECONDS = 86_400_000_000
const EPOCH_DAY = 25_569
/** Spreadsheets round numbers of more digits, so those are written as text. */
const LARGEST = 999_999_999_999_999

interface CellOptions {
  /** The style for numbers and dates; left out, the usual one of the type. */
  style?: number
  hasFormulas: boolean
  /** Whether some text has characters that XML cannot hold. */
  hasHidden: boolean
}

/** The XML of a column's cells, as an expression of SQL. Cells that are null are left out. */
export function renderCell(column: Column, letters: string, options: CellOptions): string {
  const from = name(column.name)
  const isThere = column.type === 'number' ? `isfinite(${from})` : `${from} IS NOT NULL`
  return `CASE WHEN ${isThere} THEN ${renderValue(column, new CellXml(letters, options), options)} ELSE '' END`
}

class CellXml {
  readonly #letters: string
  readonly #style: number | undefined
  readonly #escape: (value: string) => string

  constructor(letters: string, { style, hasHidden: hides }: CellOptions) {
    this.#letters = letters
    this.#escape = hides ? escapeHidden : escapeMarks
    this.#style = style
  }

  text(value: string): string {
    return this.render(' t="inlineStr"', `'<is><t xml:space="preserve">', ${this.escape(value)}, '</t></is>'`)
  }

  escape(value: string): string {
    return this.#escape(value)
  }

  number(value: string, usualStyle?: number): string {
    const style = this.#style ?? usualStyle
    return this.render(style === undefined ? '' : ` s="${style}"`, `'<v>', ${value}, '</v>'`)
  }

  render(attributes: string, content: string): string {
    return `concat('<c r="${this.#letters}', "\u0001row", '"${attributes}>', ${content}, '</c>')`
  }
}

function renderValue(column: Column, cell: CellXml, { hasFormulas }: CellOptions): string {
  const from = name(column.name)
  const { type } = column
  if (type === 'number') return cell.number(from)
  if (type === 'boolean') return cell.render(' t="b"', `'<v>', ${from}::TINYINT, '</v>'`)
  if (type === 'date' || type === 'datetime') return renderDay(column, cell)
  if (NUMERIC.test(type)) {
    const digits = `length(replace(${from}::VARCHAR, '.', '')) <= 15`
    const isExact = type.startsWith('decimal') ? digits : `${from} BETWEEN -${LARGEST} AND ${LARGEST}`
    return `CASE WHEN ${isExact} THEN ${cell.number(from)} ELSE ${cell.text(`${from}::VARCHAR`)} END`
  }
  if (type !== 'string' || !hasFormulas) return cell.text(toText(column))
  const formula = cell.render('', `'<f>', ${cell.escape(`substr(${from}, 2)`)}, '</f>'`)
  return `CASE WHEN starts_with(${from}, '=') AND length(${from}) > 1 THEN ${formula} ELSE ${cell.text(from)} END`
}

function renderDay(column: Column, cell: CellXml): string {
  const from = name(column.name)
  const isDate = column.type === 'date'
  const days = isDate
    ? `datediff('day', DATE '1899-12-30', ${from})`
    : `(epoch_us(${from}) / ${MICROSECONDS}.0 + ${EPOCH_DAY})`
  const number = cell.number(days, isDate ? STYLES.date : STYLES.datetime)
  return `CASE WHEN ${from} >= DATE ${literal(FIRST_DAY)} THEN ${number} ELSE ${cell.text(toText(column))} END`
}

/** Text of XML: the marks as entities. */
function escapeMarks(value: string): string {
  return `replace(replace(replace(${value}, '&', '&amp;'), '<', '&lt;'), '>', '&gt;')`
}

/** Whether a text has characters that XML cannot hold, or what stands for them. */
export function hasHidden(value: string): string {
  return `regexp_matches(${value}, '[\\x00-\\x08\\x0B-\\x1F]|_x[0-9A-Fa-f]{4}_')`
}

/** The characters that XML cannot hold as spreadsheets write them. Few columns have any, and it takes long to prepare. */
function escapeHidden(value: string): string {
  const marked = escapeMarks(value)
  const controls = Array.from({ length: 32 }, (_, code) => code).filter(code => ![9, 10].includes(code))
  const hidden = controls.reduce(
    (sum, code) => `replace(${sum}, chr(${code}), '_x${code.toString(16).toUpperCase().padStart(4, '0')}_')`,
    guard(marked),
  )
  return `CASE WHEN ${hasHidden(value)} THEN ${hidden} ELSE ${marked} END`
}

/** A text that looks like such a character already. */
function guard(value: string): string {
  return `regexp_replace(${value}, '_(x[0-9A-Fa-f]{4}_)', '_x005F_\\1', 'g')`
}
