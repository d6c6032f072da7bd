import { exactlyOne, Problem } from '#kit'
import { apportion, divide, MILLION, parseDecimal, percentOf, toAmount } from '../../formats/einvoice/amounts.ts'
import type { ComputedInvoice, ComputedLine, TaxCategory, TaxGroup, Totals } from '../../formats/einvoice/invoice.ts'
import { REASONS } from './exemptions.ts'
import type { InvoiceInput, ItemInput } from './input.ts'

/** The tax of all of it, in percent: what it takes to get from an amount with tax to one without. */
const HUNDRED = 100n * MILLION
/** Computes an invoice in whole units of the currency: lines, then what is taxed alike, then the totals. */
export function computeInvoice(input: InvoiceInput): ComputedInvoice {
  const digits = findDigits(input.currency)
  const lines = input.items.map((item, index) => computeLine(item, digits, `items.${index}`))
  const shown = sum(lines.map(({ amount }) => amount))
  const discount = computeDiscount(input.discount, shown, digits, 'discount')
  const shipping = input.shipping === undefined ? 0n : toAmount(parseDecimal(input.shipping), digits)
  const groups = taxGroups(lines, { discount, shipping }, input)
  const paid = input.paid === undefined ? 0n : toAmount(parseDecimal(input.paid), digits)
  const target = input.taxInclusive ? shown - discount + shipping : undefined
  const { number, type, issueDate, currency, seller, buyer } = input
  const { logo: _, ...party } = seller
  return {
    ...{ number, type, issueDate, currency, digits, seller: party, buyer, lines, groups },
    ...pickDefined(input, ['dueDate', 'deliveryDate', 'buyerReference', 'purchaseOrder', 'correctedInvoice']),
    ...pickDefined(input, ['notes', 'terms']),
    ...(input.bank && { bank: { ...input.bank, iban: input.bank.iban.replaceAll(' ', '') } }),
    totals: computeTotals(lines, groups, { discount, shipping, paid, target }),
  }
}

function pickDefined<Key extends keyof InvoiceInput>(input: InvoiceInput, names: readonly Key[]) {
  return Object.fromEntries(names.filter(name => input[name] !== undefined).map(name => [name, input[name]]))
}

function findDigits(currency: string): number {
  if (!Intl.supportedValuesOf('currency').includes(currency)) throw new Problem('CURRENCY_UNKNOWN', { currency })
  return new Intl.NumberFormat('en', { style: 'currency', currency }).resolvedOptions().maximumFractionDigits ?? 2
}

function sum(amounts: readonly bigint[]): bigint {
  return amounts.reduce((total, amount) => total + amount, 0n)
}

function computeDiscount(given: InvoiceInput['discount'], of: bigint, digits: number, path: string): bigint {
  if (!given) return 0n
  const { percent, amount } = given
  const name = exactlyOne({ percent, amount }, ['percent', 'amount'])
  const discount = name === 'percent' ? percentOf(of, parseDecimal(percent!)) : toAmount(parseDecimal(amount!), digits)
  if (discount > (of < 0n ? -of : of))
    throw new Problem('INVOICE_INVALID', { path, reason: 'more than it is taken from' })
  return discount
}

/** The parts without tax are filled in when all that is taxed alike is known. */
function computeLine(item: ItemInput, digits: number, path: string): ComputedLine {
  const [quantity, unitPrice] = [parseDecimal(item.quantity), parseDecimal(item.unitPrice)]
  const full = divide(quantity * unitPrice * 10n ** BigInt(digits), MILLION * MILLION)
  const discount = computeDiscount(item.discount, full, digits, `${path}.discount`)
  const category = findCategory(item, path)
  const amount = full - discount
  return {
    ...{ description: item.description, quantity, unitPrice, discount, amount },
    ...{ netPrice: unitPrice, netDiscount: discount, net: amount },
    ...(item.unit !== undefined && { unit: item.unit }),
    ...(category && { category, rate: parseDecimal(item.taxRate ?? '0') }),
  }
}

function findCategory({ taxRate, taxCategory }: ItemInput, path: string): TaxCategory | undefined {
  const isTaxed = taxRate !== undefined && parseDecimal(taxRate) > 0n
  const mayTax = taxCategory === undefined || ['S', 'L', 'M'].includes(taxCategory)
  if (isTaxed && !mayTax)
    throw new Problem('INVOICE_INVALID', { path: `${path}.taxRate`, reason: `category ${taxCategory} has no tax` })
  if (taxCategory === 'S' && !isTaxed)
    throw new Problem('INVOICE_INVALID', { path: `${path}.taxRate`, reason: 'category S has a rate above 0' })
  return taxCategory ?? (taxRate === undefined ? undefined : isTaxed ? 'S' : 'Z')
}

interface Adjustments {
  discount: bigint
  shipping: bigint
}

function taxGroups(lines: ComputedLine[], { discount, shipping }: Adjustments, input: InvoiceInput): TaxGroup[] {
  const grouped = [...Map.groupBy(lines, ({ category, rate = 0n }) => `${category ?? ''} ${rate}`).values()]
  const weights = grouped.map(members => sum(members.map(({ amount }) => amount)))
  const discounts = apportion(discount, weights)
  const shippings = apportion(shipping, weights)
  return grouped.map((members, index) => {
    const { rate = 0n, category = 'O' } = members[0]!
    const adjustments = { discount: discounts[index]!, shipping: shippings[index]! }
    const net = input.taxInclusive ? takeOutTax(members, adjustments, rate) : adjustments
    const base = sum(members.map(line => line.net)) - net.discount + net.shipping
    const perLine = [...members.map(line => line.net), net.shipping - net.discount].map(part => percentOf(part, rate))
    const tax = input.rounding === 'line' ? sum(perLine) : percentOf(base, rate)
    const reason = members[0]!.category && (REASONS[category] ? (input.taxNote ?? REASONS[category]) : undefined)
    return { rate, category, ...net, base, tax, ...(reason !== undefined && { reason }) }
  })
}

/** Splits the amount without tax over lines, discount and shipping, so that nothing is lost by rounding each. */
function takeOutTax(lines: ComputedLine[], { discount, shipping }: Adjustments, rate: bigint): Adjustments {
  const parts = [...lines.map(({ amount }) => amount), -discount, shipping]
  const full = sum(parts)
  const nets = apportion(divide(full * HUNDRED, HUNDRED + rate), parts)
  for (const [index, line] of lines.entries()) {
    line.net = nets[index]!
    const fullNet = line.amount === 0n ? 0n : divide(line.net * (line.amount + line.discount), line.amount)
    line.netDiscount = fullNet - line.net
    line.netPrice = divide(line.unitPrice * HUNDRED, HUNDRED + rate)
  }
  return { discount: -nets.at(-2)!, shipping: nets.at(-1)! }
}

function computeTotals(
  lines: readonly ComputedLine[],
  groups: readonly TaxGroup[],
  { discount, shipping, paid, target }: Adjustments & { paid: bigint; target?: bigint },
): Totals {
  const net = sum(groups.map(({ base }) => base))
  const tax = sum(groups.map(group => group.tax))
  const gross = target ?? net + tax
  return {
    ...{ lines: sum(lines.map(line => line.net)), discount, shipping, net, tax, paid, gross },
    ...{ rounding: gross - net - tax, due: gross - paid },
  }
}
