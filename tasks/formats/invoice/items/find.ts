import { CURRENCY, parseNumber } from '../amounts.ts'
import { isNear, multiplyDecimals } from '../decimals.ts'
import { isCarried } from '../labels.ts'
import { compact, type Found, type InvoiceLine, type LineField } from '../model.ts'
import { amountsOf, type Reading } from '../reader.ts'
import { heightOf, joinWords, type Row, type Word } from '../rows.ts'
import { classifyRow } from '../sums.ts'
import { type Column, findColumns, isTableHeader } from './columns.ts'
import { widenColumns } from './extents.ts'
import { findReceiptItems } from './receipt.ts'

interface PageItems {
  lines: InvoiceLine[]
  table: ItemTable
}

/** The table of the pages before: none yet, its columns if the page ended before it did, or that it has ended. */
export type ItemTable = 'none' | 'ended' | readonly Column[]

/** The lines of the table of an invoice, or of a receipt without a table. */
export function findLineItems(reading: Reading, sumsFrom: number, table: ItemTable = 'none'): PageItems {
  const at = reading.rows.findIndex(isTableHeader)
  if (at >= 0) return readTable(reading, at + 1, { columns: findColumns(reading.rows[at]!), before: table })
  if (table === 'none') return { lines: findReceiptItems(reading, sumsFrom), table }
  if (table === 'ended') return { lines: [], table }
  const first = reading.rows.findIndex(row => isOfTable(reading, row, table))
  return first < 0 ? { lines: [], table } : readTable(reading, first, { columns: table, before: table })
}

interface TablePart {
  columns: readonly Column[]
  before: ItemTable
}

function readTable(reading: Reading, from: number, { columns: named, before }: TablePart): PageItems {
  const rows = reading.rows.slice(from).filter(row => !isCarried(row.text) && !reading.isRunning(row))
  const columns = widenColumns(reading, rows.map(listFigures), named)
  const sums = rows.map(row => (isItemOfItsOwn(reading, row, columns) ? undefined : classifyRow(reading, row)))
  // Above the lines of a later page stands the sum of the page before.
  const first =
    before === 'none'
      ? 0
      : Math.max(
          0,
          sums.findIndex(sum => sum !== 'subtotal'),
        )
  const end = sums.findIndex((sum, index) => index >= first && sum !== undefined)
  const lines = readLines(reading, rows.slice(first, end < 0 ? undefined : end), columns)
  return { lines, table: end >= 0 && hasTotal(reading) ? 'ended' : columns }
}

/** Shipping, or whatever else is called like a sum, is an item where it has a number of pieces and a price of its own. */
function isItemOfItsOwn(reading: Reading, row: Row, columns: readonly Column[]): boolean {
  const { quantity, unitPrice, amount } = readLine(reading, row, columns)
  return quantity !== undefined && unitPrice !== undefined && amount !== undefined
}

interface Item {
  line: InvoiceLine
  row: Row
  above: Found[]
  below: Found[]
}

function readLines(reading: Reading, rows: readonly Row[], columns: readonly Column[]): InvoiceLine[] {
  const read = rows.map(row => ({ row, line: readLine(reading, row, columns), above: [], below: [] }) as Item)
  const items = read.filter(({ line }) => line.amount ?? line.unitPrice)
  for (const [index, { row, line }] of read.entries()) {
    const last = rows[index - 1] ?? row
    const isClose = row.top - last.bottom < (last.bottom - last.top) * 1.5
    if (line.description && !(line.amount ?? line.unitPrice)) addDescription(items, row, line.description, isClose)
  }
  return items.map(({ line, above, below }) => checkLine(joinDescription(line, above, below)))
}

/** A line of words belongs to the item above it, unless it is much nearer to the figures below it, which stand in the middle of their words. */
function addDescription(items: readonly Item[], row: Row, description: Found, isClose: boolean): void {
  const before = items.findLast(item => item.row.top < row.top)
  const after = items.find(item => item.row.top > row.top)
  const toBefore = before ? row.top - before.row.bottom : Number.POSITIVE_INFINITY
  const toAfter = after ? after.row.top - row.bottom : Number.POSITIVE_INFINITY
  const height = row.bottom - row.top
  if (after && toAfter < height * 0.5 && toAfter < toBefore * 0.5) after.above.push(description)
  else if (before && isClose) before.below.push(description)
}

function joinDescription(line: InvoiceLine, above: readonly Found[], below: readonly Found[]): InvoiceLine {
  const [first, ...others] = [...above, ...(line.description ? [line.description] : []), ...below]
  if (!first) return line
  const join = (part: 'value' | 'raw') => [first, ...others].map(found => found[part]).join('\n')
  return { ...line, description: { ...first, value: join('value'), raw: join('raw') } }
}

/** What is due may be stated in the head as well, but a total only at the end. */
function hasTotal(reading: Reading): boolean {
  return reading.rows.some(row => {
    const sum = classifyRow(reading, row)
    return sum === 'total' || (sum === 'amountDue' && /^\W*total\b/i.test(row.text))
  })
}

/** Whether a row goes on with a table whose columns stand on the page before: it has an amount in one of them, or is a sum. */
function isOfTable(reading: Reading, row: Row, columns: readonly Column[]): boolean {
  if (classifyRow(reading, row) !== undefined) return true
  if (amountsOf(reading, row.text).length === 0) return false
  const { amount, unitPrice } = readLine(reading, row, columns)
  return (amount ?? unitPrice) !== undefined
}

/** A number with its currency, which may be a word of its own. */
const NUMERIC = new RegExp(
  `^(?:[-−(]?(?:${CURRENCY}\\s?)?\\d[\\d.,'’\u00a0\u2009\u202f]*\\)?-?(?:\\s?${CURRENCY})?|${CURRENCY})$`,
)
const isFigure = ({ text }: Word) => NUMERIC.test(text) || /%$/.test(text)
const listFigures = ({ words }: Row) => joinThousands(words).filter(word => isFigure(word) && /\d/.test(word.text))

const FIGURES: readonly Column['field'][] = ['position', 'quantity', 'unitPrice', 'discount', 'taxRate', 'amount']

function readLine(reading: Reading, row: Row, columns: readonly Column[]): InvoiceLine {
  const cells = new Map<Column['field'], Word[]>()
  const firstFigure = Math.min(...columns.filter(({ field }) => isAmountColumn(field)).map(({ left }) => left))
  for (const word of joinThousands(row.words)) {
    const field = chooseColumn(word, columns, firstFigure)
    cells.set(field, [...(cells.get(field) ?? []), word])
  }
  const read = (field: LineField) => readCell(reading, cells.get(field))
  const texts = (field: LineField) => placeText(reading, cells.get(field))
  return compact({
    description: texts('description'),
    sku: texts('sku'),
    quantity: read('quantity'),
    unit: texts('unit') ?? readUnit(reading, cells.get('quantity')),
    unitPrice: read('unitPrice'),
    discount: read('discount'),
    taxRate: read('taxRate'),
    amount: read('amount'),
  })
}

function isAmountColumn(field: Column['field']): boolean {
  return FIGURES.includes(field) && field !== 'position'
}

/** Numbers belong to the nearest column of figures, words to the description, unless another column is around them. */
function chooseColumn(word: Word, columns: readonly Column[], firstFigure: number): Column['field'] {
  const [left, , right] = word.box
  const distance = (column: Column) => Math.max(0, column.left - right, left - column.right)
  const nearest = (of: readonly Column[]) => [...of].sort((a, b) => distance(a) - distance(b))[0]
  const figures = columns.filter(({ field }) => FIGURES.includes(field))
  const nearestOfAll = nearest(columns)
  const isNumber = isFigure(word)
  if (isNumber && nearestOfAll?.field !== 'description' && nearestOfAll?.field !== 'sku')
    return nearest(figures)?.field ?? 'description'
  if (isNumber && left >= firstFigure) return nearest(figures)?.field ?? 'description'
  const isBeside = nearestOfAll && distance(nearestOfAll) < heightOf(word)
  if (isBeside && ['sku', 'unit', 'quantity', 'position'].includes(nearestOfAll.field)) return nearestOfAll.field
  return 'description'
}

/** `1 234,56` is two words. */
function joinThousands(words: readonly Word[]): Word[] {
  const joined: Word[] = []
  for (const word of words) {
    const last = joined.at(-1)
    const isNext = last && word.box[0] - last.box[2] < heightOf(word) * 0.5
    if (isNext && /^[-−]?\d{1,3}$/.test(last.text) && /^\d{3}[.,]\d+$/.test(word.text))
      joined[joined.length - 1] = {
        ...word,
        text: `${last.text}\u00a0${word.text}`,
        box: [last.box[0], last.box[1], word.box[2], word.box[3]],
      }
    else joined.push(word)
  }
  return joined
}

function readCell(reading: Reading, words: readonly Word[] | undefined): Found | undefined {
  const text = words?.map(word => word.text).join(' ')
  if (!words || text === undefined) return undefined
  const percent = /(\d{1,2}(?:[.,]\d{1,3})?)\s?%/.exec(text)
  if (percent) return reading.place(parseNumber(percent[1]!, reading.mark), percent[0], words, 0.9)
  const amount = amountsOf(reading, text, false).at(-1)
  return amount && reading.place(amount.value, amount.raw, words, 0.85)
}

function placeText(reading: Reading, words: readonly Word[] | undefined): Found | undefined {
  const text = words && joinWords(words)
  return words && text ? reading.place(text, text, words, 0.85) : undefined
}

function readUnit(reading: Reading, words: readonly Word[] | undefined): Found | undefined {
  return placeText(
    reading,
    words?.filter(({ text }) => /^\p{L}{1,8}\.?$/u.test(text)),
  )
}

/** Figures that fit each other were read well; otherwise one of them was not. */
function checkLine(line: InvoiceLine): InvoiceLine {
  const { quantity, unitPrice, amount } = line
  if (!quantity || !unitPrice || !amount) return line
  const fits = isNear(multiplyDecimals(quantity.value, unitPrice.value), amount.value, '0.02')
  const judge = (found: Found) => ({
    ...found,
    confidence: Math.min(1, Math.round(found.confidence * (fits ? 1.1 : 0.8) * 1000) / 1000),
  })
  return { ...line, quantity: judge(quantity), unitPrice: judge(unitPrice), amount: judge(amount) }
}
