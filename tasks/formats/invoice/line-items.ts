import { CURRENCY, parseNumber } from './amounts.ts'
import { isNear, multiplyDecimals } from './decimals.ts'
import { isCarried } from './labels.ts'
import { compact, type Found, type InvoiceLine, type LineField } from './model.ts'
import { amountsOf, type Reading } from './reader.ts'
import { heightOf, type Row, type Word } from './rows.ts'
import { classifyRow } from './sums.ts'

const COLUMNS: [LineField | 'position', RegExp][] = [
  ['position', /^(pos\.?|position|no\.?|nr\.?|#|lp\.?)$/i],
  ['sku', /^(sku|item no\.?|art\.?-?(nr|no)\.?|artikelnummer|code|réf(érence)?\.?|ref\.?|código)$/i],
  [
    'description',
    /^(description|beschreibung|bezeichnung|item|items|artikel|leistung|product|produkt|désignation|descripción|concepto|descrizione|omschrijving|opis|nazwa|service|details)$/i,
  ],
  [
    'quantity',
    /^(qty\.?|quantity|menge|anzahl|anz\.?|qté|quantité|cantidad|cant\.?|quantità|q\.tà|aantal|ilość|hours|stunden)$/i,
  ],
  ['unit', /^(unit|einheit|unité|unidad|eenheid|jm|uom)$/i],
  [
    'unitPrice',
    /^(unit price|price|rate|einzelpreis|e-preis|preis|stückpreis|prix unitaire|prix|pu|p\.u\.|precio|precio unitario|prezzo|prijs|cena)$/i,
  ],
  ['discount', /^(discount|rabatt|remise|descuento|sconto|korting)$/i],
  ['taxRate', /^(vat|vat %|tax|tax rate|mwst\.?|ust\.?|tva|iva|btw|vat rate|%)$/i],
  [
    'amount',
    /^(amount|total|betrag|gesamt|gesamtpreis|summe|line total|montant|total ht|importe|importo|totale|bedrag|totaal|wartość|net amount)$/i,
  ],
]

export interface Column {
  field: LineField | 'position'
  left: number
  right: number
}

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

/** Whether a row names the columns of a table of items. */
export function isTableHeader(row: Row): boolean {
  return isHeader(findColumns(row))
}

interface TablePart {
  columns: readonly Column[]
  before: ItemTable
}

function readTable(reading: Reading, from: number, { columns, before }: TablePart): PageItems {
  const rows = reading.rows.slice(from).filter(row => !isCarried(row.text) && !reading.isRunning(row))
  const sums = rows.map(row => classifyRow(reading, row))
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

function readLines(reading: Reading, rows: readonly Row[], columns: readonly Column[]): InvoiceLine[] {
  const lines: InvoiceLine[] = []
  for (const [index, row] of rows.entries()) {
    const last = rows[index - 1] ?? row
    const line = readLine(reading, row, columns)
    const previous = lines.at(-1)
    const isClose = row.top - last.bottom < (last.bottom - last.top) * 1.5
    if (line.amount ?? line.unitPrice) lines.push(line)
    else if (previous?.description && line.description && isClose) extendDescription(previous, line.description)
  }
  return lines.map(checkLine)
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

function isHeader(columns: readonly Column[]): boolean {
  const fields = new Set(columns.map(({ field }) => field))
  const figures = (['quantity', 'unitPrice', 'amount', 'taxRate'] as const).filter(field => fields.has(field)).length
  return figures >= 2 || (figures === 1 && fields.has('description'))
}

function findColumns({ segments, words }: Row): Column[] {
  const bySegment = segments.flatMap(({ text, box: [left, , right] }) => matchColumn(text, left, right))
  if (isHeader(bySegment)) return bySegment
  return words.flatMap(({ text, box: [left, , right] }) => matchColumn(text, left, right))
}

function matchColumn(text: string, left: number, right: number): Column[] {
  const plain = text.replace(/\s*\(?(?:EUR|USD|GBP|CHF|€|\$|£)\)?$/, '').replace(/:$/, '')
  const column = COLUMNS.find(([, pattern]) => pattern.test(plain))
  return column ? [{ field: column[0], left, right }] : []
}

/** A number with its currency, which may be a word of its own. */
const NUMERIC = new RegExp(
  `^(?:[-−(]?(?:${CURRENCY}\\s?)?\\d[\\d.,'’\u00a0\u2009\u202f]*\\)?-?(?:\\s?${CURRENCY})?|${CURRENCY})$`,
)
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
  const isFigure = NUMERIC.test(word.text) || /%$/.test(word.text)
  if (isFigure && nearestOfAll?.field !== 'description' && nearestOfAll?.field !== 'sku')
    return nearest(figures)?.field ?? 'description'
  if (isFigure && left >= firstFigure) return nearest(figures)?.field ?? 'description'
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
  const text = words?.map(word => word.text).join(' ')
  return words && text ? reading.place(text, text, words, 0.85) : undefined
}

function readUnit(reading: Reading, words: readonly Word[] | undefined): Found | undefined {
  return placeText(
    reading,
    words?.filter(({ text }) => /^\p{L}{1,8}\.?$/u.test(text)),
  )
}

function extendDescription(line: InvoiceLine, more: Found): void {
  const { value, raw, ...rest } = line.description!
  line.description = { ...rest, value: `${value}\n${more.value}`, raw: `${raw}\n${more.raw}` }
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

const RECEIPT_QUANTITY = /^(\d{1,4}(?:[.,]\d{1,3})?)\s?[x×*]\s+/i

/** On a receipt, every row before the sums that ends in an amount. */
function findReceiptItems(reading: Reading, sumsFrom: number): InvoiceLine[] {
  return reading.rows.slice(0, sumsFrom).flatMap(row => {
    if (isCarried(row.text)) return []
    const amount = amountsOf(reading, row.text).at(-1)
    const isLast = amount && row.text.replace(/\s[A-Z]$/, '').endsWith(amount.raw)
    const head = amount ? row.text.slice(0, row.text.lastIndexOf(amount.raw)).trim() : ''
    if (!amount || !isLast || !/\p{L}{2}/u.test(head)) return []
    const quantity = RECEIPT_QUANTITY.exec(head)
    const description = quantity ? head.slice(quantity[0].length) : head
    return [
      compact({
        description: reading.place(description, description, row.words, 0.8),
        quantity: quantity
          ? reading.place(parseNumber(quantity[1]!, reading.mark), quantity[1]!, row.words, 0.85)
          : undefined,
        amount: reading.place(amount.value, amount.raw, row.words, 0.85),
      }),
    ]
  })
}
