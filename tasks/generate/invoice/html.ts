import { writeAmount, writeDecimal } from '../../formats/einvoice/amounts.ts'
import type { ComputedInvoice, ComputedLine, Party } from '../../formats/einvoice/invoice.ts'
import { escapeXml } from '../../formats/svg/drawing.ts'
import type { InvoiceInput } from './input.ts'
import { findLabels, type Labels } from './labels.ts'
import { styleOf } from './style.ts'

interface Artwork {
  /** An address with the image in it. */
  logo?: string
  /** A code as SVG. */
  epc?: string
  links: { label: string; url: string; code?: string }[]
}

/** Writes an invoice as one page of HTML that needs nothing else. */
export function renderHtml(invoice: ComputedInvoice, input: InvoiceInput, color: string, art: Artwork): string {
  const labels = findLabels(input.language)
  const view = new InvoiceView(invoice, input, labels)
  const title = `${labels[invoice.type]} ${invoice.number}`
  const { template, language, locale } = input
  return `<!doctype html>
<html lang="${language}" dir="${isRightToLeft(locale) ? 'rtl' : 'ltr'}"><meta charset="utf-8"><title>${escapeXml(title)}</title>
<style>${styleOf(template, color)}</style><body class="${template}">
<header>${art.logo ? `<img class="logo" src="${art.logo}" alt="">` : ''}<div class="seller">${view.party(invoice.seller)}</div></header>
<section class="top"><div class="buyer"><h2>${labels.billTo}</h2>${view.party(invoice.buyer)}</div>
<div class="facts"><h1>${labels[invoice.type]}</h1><dl>${view.facts()}</dl></div></section>
${view.items()}
${view.totals()}
<section class="end">${view.end(art)}</section></body></html>
`
}

function isRightToLeft(locale: string): boolean {
  return /^(ar|he|fa|ur|ps|dv|ckb|yi|sd|ug)\b/.test(locale)
}

const inLines = (text: string) => escapeXml(text).replace(/\r?\n/g, '<br>')

class InvoiceView {
  readonly #invoice: ComputedInvoice
  readonly #input: InvoiceInput
  readonly #labels: Labels
  readonly #money: Intl.NumberFormat
  readonly #number: Intl.NumberFormat

  constructor(invoice: ComputedInvoice, input: InvoiceInput, labels: Labels) {
    this.#invoice = invoice
    this.#input = input
    this.#labels = labels
    const { currency, digits } = invoice
    this.#money = new Intl.NumberFormat(input.locale, { style: 'currency', currency, minimumFractionDigits: digits })
    this.#number = new Intl.NumberFormat(input.locale, { maximumFractionDigits: 6 })
  }

  party({ name, address = [], city, postcode, country, taxId, registration, email, phone }: Party): string {
    const place = [postcode, city].filter(part => part !== undefined).join(' ')
    const numbers = [
      taxId === undefined ? '' : `${this.#labels.taxId} ${taxId}`,
      registration === undefined ? '' : `${this.#labels.registration} ${registration}`,
    ]
    const rest = [...address, place, country ?? '', ...numbers, email ?? '', phone ?? ''].filter(line => line !== '')
    return `<p dir="auto"><strong>${escapeXml(name)}</strong>${rest.map(line => `<br>${escapeXml(line)}`).join('')}</p>`
  }

  facts(): string {
    const { number, issueDate, dueDate, deliveryDate, buyerReference, purchaseOrder, correctedInvoice } = this.#invoice
    const { labels } = { labels: this.#labels }
    const rows: [string, string | undefined][] = [
      [labels.number, number],
      [labels.date, this.#date(issueDate)],
      [labels.due, dueDate && this.#date(dueDate)],
      [labels.delivery, deliveryDate && this.#date(deliveryDate)],
      [labels.reference, buyerReference],
      [labels.order, purchaseOrder],
      [labels.corrects, correctedInvoice],
    ]
    return rows
      .map(([name, value]) => (value ? `<div><dt>${name}</dt><dd dir="auto">${escapeXml(value)}</dd></div>` : ''))
      .join('')
  }

  items(): string {
    const { lines } = this.#invoice
    const labels = this.#labels
    const hasDiscount = lines.some(({ discount }) => discount !== 0n)
    const hasTax = lines.some(({ category }) => category !== undefined)
    const cell = (content: string) => `<td class="n">${content}</td>`
    const head = (content: string) => `<th class="n">${content}</th>`
    const row = (line: ComputedLine) =>
      `<tr><td dir="auto">${inLines(line.description)}</td>${cell(this.#quantity(line))}${cell(this.#price(line.unitPrice))}` +
      (hasDiscount ? cell(line.discount === 0n ? '' : this.#amount(-line.discount)) : '') +
      `${hasTax ? cell(this.#rate(line)) : ''}${cell(this.#amount(line.amount))}</tr>`
    return (
      `<table><thead><tr><th>${labels.item}</th>${head(labels.quantity)}${head(labels.price)}` +
      `${hasDiscount ? head(labels.discount) : ''}${hasTax ? head(labels.tax) : ''}${head(labels.amount)}</tr></thead>` +
      `<tbody>${lines.map(row).join('')}</tbody></table>`
    )
  }

  totals(): string {
    const { totals, groups, lines } = this.#invoice
    const labels = this.#labels
    const shown = lines.reduce((sum, { amount }) => sum + amount, 0n)
    const taxed = groups.filter(({ category, rate }) => category !== 'O' || rate > 0n)
    const isAdjusted = totals.discount !== 0n || totals.shipping !== 0n
    const isRepeated = !isAdjusted && shown === (taxed.length > 0 ? totals.net : totals.gross)
    const rows: [string, bigint | undefined, string?][] = [
      [labels.subtotal, isRepeated ? undefined : shown],
      [labels.discount, totals.discount === 0n ? undefined : -totals.discount],
      [labels.shipping, totals.shipping || undefined],
      [labels.net, taxed.length > 0 ? totals.net : undefined],
      ...taxed.map(({ rate, tax }): [string, bigint] => [`${labels.tax} ${this.#percent(rate)}`, tax]),
      [labels.rounding, totals.rounding || undefined],
      [labels.total, totals.gross, 'total'],
      [labels.paid, totals.paid === 0n ? undefined : -totals.paid],
      [labels.toPay, this.#input.type === 'quote' || totals.paid === 0n ? undefined : totals.due, 'total'],
    ]
    const body = rows.map(([name, amount, kind = '']) =>
      amount === undefined ? '' : `<tr class="${kind}"><th>${name}</th><td>${this.#amount(amount)}</td></tr>`,
    )
    const reasons = [...new Set(groups.flatMap(({ reason }) => reason ?? []))]
    return `<table class="totals">${body.join('')}</table>${reasons.map(reason => `<p class="reason">${escapeXml(reason)}</p>`).join('')}`
  }

  end({ epc, links }: Artwork): string {
    const { notes, terms, bank } = this.#invoice
    const labels = this.#labels
    const part = (title: string, content: string | undefined) =>
      content === undefined ? '' : `<div dir="auto"><h3>${title}</h3><p>${content}</p></div>`
    const account = bank && [bank.accountName, bank.iban.replace(/(.{4})(?=.)/g, '$1 '), bank.bic]
    const code = (svg: string | undefined) => (svg === undefined ? '' : `<span class="code">${svg}</span>`)
    return [
      notes === undefined ? '' : `<p dir="auto">${inLines(notes)}</p>`,
      part(labels.terms, terms && inLines(terms)),
      part(labels.bank, account?.flatMap(line => (line === undefined ? [] : escapeXml(line))).join('<br>')),
      epc === undefined ? '' : part(labels.scan, code(epc)),
      ...links.map(({ label, url, code: svg }) =>
        part('', `<a href="${escapeXml(url)}">${escapeXml(label)}</a>${code(svg)}`),
      ),
    ].join('')
  }

  #date(date: string): string {
    return new Intl.DateTimeFormat(this.#input.locale, { dateStyle: 'long', timeZone: 'UTC' }).format(new Date(date))
  }

  #amount(amount: bigint): string {
    return escapeXml(this.#money.format(writeAmount(amount, this.#invoice.digits) as Intl.StringNumericLiteral))
  }

  /** A price may have more digits than the currency. */
  #price(price: bigint): string {
    const { digits, currency } = this.#invoice
    const text = writeDecimal(price)
    const shown = Math.max(digits, text.split('.')[1]?.length ?? 0)
    const format = { style: 'currency', currency, minimumFractionDigits: digits, maximumFractionDigits: shown } as const
    return escapeXml(new Intl.NumberFormat(this.#input.locale, format).format(text as Intl.StringNumericLiteral))
  }

  #quantity({ quantity, unit }: ComputedLine): string {
    const number = this.#number.format(writeDecimal(quantity) as Intl.StringNumericLiteral)
    return escapeXml(unit === undefined ? number : `${number} ${unit}`)
  }

  #rate({ category, rate }: ComputedLine): string {
    return category === undefined || category === 'O' ? '' : this.#percent(rate ?? 0n)
  }

  #percent(rate: bigint): string {
    return `${this.#number.format(writeDecimal(rate) as Intl.StringNumericLiteral)} %`
  }
}
