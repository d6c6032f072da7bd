import { type Amount, parseNumber } from './amounts.ts'
import { addDecimals, negateDecimal } from './decimals.ts'
import { cutLabel, isCarried, type Label } from './labels.ts'
import { compact, type Found, type InvoiceTax } from './model.ts'
import { amountsOf, type Reading } from './reader.ts'
import type { Row } from './rows.ts'

type SumLabel = 'subtotal' | 'amountDue' | 'amountPaid' | 'shipping' | 'tip' | 'discount' | 'tax' | 'total'

const SUM_LABELS: readonly SumLabel[] = [
  ...(['subtotal', 'amountDue', 'amountPaid', 'shipping', 'tip', 'discount', 'tax', 'total'] as const),
]
const NET = /^\(?(excl|net\b|netto|ht\b|before|hors|ohne|sans|zonder)/i
/** Such as the net weight of goods, or what is to be paid. */
const NET_OF = /^net\s+(?!total|amount|sum|price|[A-Z]{3}\b)\p{L}/iu
const PERCENT = /(\d{1,2}(?:[.,]\d{1,3})?)\s?%/

/** Which sum a row states, if any. */
export function classifyRow(reading: Reading, row: Row): SumLabel | undefined {
  const { text } = row.segments[0]!
  const start = PERCENT.test(text) ? text.replace(/^\s*\+?\s*\d{1,2}(?:[.,]\d{1,3})?\s?%\s*/, '') : text
  const isNetOf = NET_OF.test(start)
  const label = SUM_LABELS.find(name => cutLabel(start, name) !== undefined && !(name === 'subtotal' && isNetOf))
  const rest = label === 'total' ? cutLabel(start, label)! : ''
  const isOf = (other: Label) => rest !== '' && cutLabel(rest, other) !== undefined
  if (amountsOf(reading, row.text).length === 0) return undefined
  if (NET.test(rest)) return 'subtotal'
  return isOf('tax') ? 'tax' : isOf('amountDue') ? 'amountDue' : label
}

interface FoundSums {
  fields: Partial<Record<'subtotal' | 'shipping' | 'tip' | 'total' | 'amountPaid' | 'amountDue', Found>>
  taxes: InvoiceTax[]
  /** What the sum before tax has more than the one of the lines. */
  adjustment?: string
  /** Where the sums begin. */
  firstRow: number
}

const FIELD_LABELS = ['subtotal', 'shipping', 'tip', 'amountPaid', 'amountDue'] as const

export function findSums(reading: Reading): FoundSums {
  const stated = reading.rows.flatMap((row, index) => {
    const label = isCarried(row.text) ? undefined : classifyRow(reading, row)
    return label ? [{ row, index, label }] : []
  })
  const pick = (label: SumLabel) => stated.filter(sum => sum.label === label)
  const fields = Object.fromEntries(
    FIELD_LABELS.map(label => [
      label,
      pick(label)
        .map(({ row }) => placeLast(reading, row))
        .at(0),
    ]),
  )
  const total = pick('total')
    .map(({ row }) => placeLast(reading, row))
    .at(-1)
  const { subtotal: ofLines, amountPaid } = fields
  const beforeTax = pick('subtotal')
    .map(({ row }) => placeLast(reading, row))
    .at(-1)
  const discount = pick('discount')
    .map(({ row }) => placeLast(reading, row))
    .at(0)
  const adjustment = findAdjustment({ ofLines, beforeTax, discount })
  return {
    fields: compact({
      ...fields,
      subtotal: beforeTax,
      // What is paid already is often written as taken off.
      amountPaid: amountPaid && { ...amountPaid, value: amountPaid.value.replace(/^-/, '') },
      total: total ?? fields.amountDue,
    }),
    taxes: pick('tax').map(({ row }) => readTax(reading, row)),
    ...(adjustment !== undefined && { adjustment }),
    firstRow: Math.min(reading.rows.length, ...stated.map(({ index }) => index)),
  }
}

/** A second subtotal has discounts and shipping in it; else only the discount is between the lines and the sums. */
function findAdjustment({
  ofLines,
  beforeTax,
  discount,
}: Record<'ofLines' | 'beforeTax' | 'discount', Found | undefined>) {
  if (ofLines && beforeTax && ofLines.value !== beforeTax.value)
    return addDecimals([beforeTax.value, negateDecimal(ofLines.value)])
  return discount && (discount.value.startsWith('-') ? discount.value : `-${discount.value}`)
}

/** The sum stands at the end of its row. */
function placeLast(reading: Reading, row: Row): Found {
  const amount = amountsOf(reading, row.text).at(-1)!
  return placeAmount(reading, row, amount, 0.93)
}

function placeAmount(reading: Reading, row: Row, { value, raw }: Amount, certainty: number): Found {
  return reading.place(value, raw, row.words, certainty)
}

/** Such as `VAT 19 % of 100.00: 19.00`. */
function readTax(reading: Reading, row: Row): InvoiceTax {
  const [percent, digits] = PERCENT.exec(row.text) ?? []
  const amounts = amountsOf(reading, row.text)
  const amount = amounts.at(-1)!
  const base = amounts.length > 1 ? amounts.at(-2) : undefined
  return compact({
    rate:
      digits === undefined ? undefined : reading.place(parseNumber(digits, reading.mark), percent!, row.words, 0.93),
    base: base && placeAmount(reading, row, base, 0.8),
    amount: placeAmount(reading, row, amount, 0.93),
  })
}
