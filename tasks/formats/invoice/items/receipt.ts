import { parseNumber } from '../amounts.ts'
import { isCarried } from '../labels.ts'
import { compact, type InvoiceLine } from '../model.ts'
import { amountsOf, type Reading } from '../reader.ts'
import type { Row } from '../rows.ts'

const QUANTITY_BEFORE = /^(\d{1,4}(?:[.,]\d{1,3})?)\s?[x×*]\s+/i
/** Such as `500 × 1.20`. */
const QUANTITY_AFTER = /\s(\d{1,6}(?:[.,]\d{1,3})?)\s?[x×*]\s?(\S*\d\S*)$/i
/** Such as `2 x Apples @ 0.50`. */
const EACH = /\s@\s?(\S*\d\S*)$/

/** On a receipt, every row before the sums that ends in an amount. */
export function findReceiptItems(reading: Reading, sumsFrom: number): InvoiceLine[] {
  return reading.rows.slice(0, sumsFrom).flatMap(row => {
    if (isCarried(row.text)) return []
    const amount = amountsOf(reading, row.text).at(-1)
    const isLast = amount && row.text.replace(/\s[A-Z]$/, '').endsWith(amount.raw)
    const head = amount ? row.text.slice(0, row.text.lastIndexOf(amount.raw)).trim() : ''
    if (!amount || !isLast || !/\p{L}{2}/u.test(head)) return []
    return [{ ...readItem(reading, row, head), amount: reading.place(amount.value, amount.raw, row.words, 0.85) }]
  })
}

function readItem(reading: Reading, { words }: Row, head: string): InvoiceLine {
  const match = QUANTITY_BEFORE.exec(head) ?? QUANTITY_AFTER.exec(head)
  const each = EACH.exec(head)
  const description = [match, each].reduce((text, found) => (found ? text.replace(found[0], '') : text), head).trim()
  const [, quantity, price = each?.[1]] = match ?? []
  const unitPrice = price === undefined ? undefined : amountsOf(reading, price, false).at(0)
  return compact({
    description: reading.place(description, description, words, 0.8),
    quantity: quantity ? reading.place(parseNumber(quantity, reading.mark), quantity, words, 0.85) : undefined,
    unitPrice: unitPrice && reading.place(unitPrice.value, unitPrice.raw, words, 0.85),
  })
}
