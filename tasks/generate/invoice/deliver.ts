import { type OutputFile, Problem, type RunContext, type Tools } from '#kit'
import { writeAmount, writeDecimal } from '../../formats/einvoice/amounts.ts'
import { describeFacturX, FACTUR_X_FILE } from '../../formats/einvoice/factur-x.ts'
import type { ComputedInvoice } from '../../formats/einvoice/invoice.ts'
import { writeCii } from '../../formats/einvoice/write-cii.ts'
import { writeUbl } from '../../formats/einvoice/write-ubl.ts'
import { makeArchival } from '../../formats/pdf/archival.ts'
import { toPdfTime } from '../../formats/pdf/properties.ts'
import { formatPayload } from '../../formats/qr/payload.ts'
import { encodeSvg } from '../../formats/raster/png-svg.ts'
import { embedImage, toHex } from '../../formats/svg/drawing.ts'
import { PRINT_OPTIONS, parseColors } from '../schema.ts'
import { checkEinvoice } from './check.ts'
import { renderHtml } from './html.ts'
import type { InvoiceInput } from './input.ts'
import { findLabels } from './labels.ts'

type InvoiceTools = Pick<Tools, 'barcode' | 'chromium' | 'color' | 'libpdf' | 'qpdf' | 'sharp'> & RunContext

export async function deliverInvoice(
  input: InvoiceInput,
  invoice: ComputedInvoice,
  tools: InvoiceTools,
): Promise<OutputFile> {
  const { einvoice, format = 'pdf' } = input
  const stem = input.number.replace(/[\\/:*?"<>|\p{Cc}]/gu, '-')
  if (einvoice) checkEinvoice(invoice)
  if (einvoice === 'ubl' || einvoice === 'cii') {
    const xml = (einvoice === 'ubl' ? writeUbl : writeCii)(withPositivePrices(invoice))
    return { bytes: Buffer.from(xml), contentType: 'application/xml', name: `${stem}.xml` }
  }
  if (format === 'json') {
    const text = JSON.stringify(toJson(invoice), null, 2)
    return { bytes: Buffer.from(`${text}\n`), contentType: 'application/json', name: `${stem}.json` }
  }
  const html = await drawHtml(input, invoice, tools)
  if (format === 'html') return { bytes: Buffer.from(html), contentType: 'text/html', name: `${stem}.html` }
  const printed = await printInvoice(html, input, tools)
  const path = einvoice ? await embedXml(printed, invoice, tools) : printed
  return { path, contentType: 'application/pdf', name: `${stem}.pdf` }
}

/** Factur-X: PDF/A-3 with the invoice as CII in it. */
async function embedXml(printed: string, invoice: ComputedInvoice, tools: InvoiceTools): Promise<string> {
  const { libpdf, out, now } = tools
  const path = await libpdf.attachText(printed, {
    ...{ name: FACTUR_X_FILE, mimeType: 'text/xml', description: 'The invoice as data', relationship: 'Alternative' },
    ...{ text: writeCii(withPositivePrices(invoice)), now: toPdfTime(now().toISOString()), to: out('with-xml.pdf') },
  })
  return makeArchival(path, '3b', tools, describeFacturX())
}

/** The standard knows no negative prices; what is given back has a negative quantity. */
function withPositivePrices(invoice: ComputedInvoice): ComputedInvoice {
  const lines = invoice.lines.map(line =>
    line.netPrice < 0n ? { ...line, quantity: -line.quantity, netPrice: -line.netPrice } : line,
  )
  return { ...invoice, lines }
}

export function writeTotals({ totals, groups, digits }: ComputedInvoice) {
  const write = (amount: bigint) => writeAmount(amount, digits)
  const { lines, discount, shipping, net, rounding, gross, paid, due } = totals
  return {
    lines: write(lines),
    discount: write(discount),
    shipping: write(shipping),
    net: write(net),
    tax: groups.map(({ rate, category, base, tax }) => ({
      rate: writeDecimal(rate),
      category,
      base: write(base),
      amount: write(tax),
    })),
    rounding: write(rounding),
    gross: write(gross),
    paid: write(paid),
    due: write(due),
  }
}

function toJson(invoice: ComputedInvoice) {
  const { lines, groups: _, totals: __, digits, ...rest } = invoice
  const write = (amount: bigint) => writeAmount(amount, digits)
  const items = lines.map(({ description, quantity, unit, unitPrice, discount, amount, net, rate, category }) => ({
    ...{ description, quantity: writeDecimal(quantity), unit, unitPrice: writeDecimal(unitPrice) },
    ...{ discount: write(discount), amount: write(amount), net: write(net) },
    ...(category && { taxRate: writeDecimal(rate ?? 0n), taxCategory: category }),
  }))
  return { ...rest, items, totals: writeTotals(invoice) }
}

const MAX_LOGO_SIDE = 800

async function drawHtml(input: InvoiceInput, invoice: ComputedInvoice, tools: InvoiceTools): Promise<string> {
  const { color } = await parseColors(tools.color, { color: input.color })
  const { logo } = input.seller
  const image = logo && (await tools.sharp.toPng(logo.path, MAX_LOGO_SIDE, logo.type === 'image/svg+xml'))
  const links = []
  for (const { label, url, qr } of input.paymentLinks ?? [])
    links.push({ label, url, ...(qr && { code: await drawCode(url, tools) }) })
  const epc = input.epcQr ? await drawCode(writeTransfer(invoice), tools) : undefined
  return renderHtml(invoice, input, toHex(color!), { logo: image && embedImage('image/png', image.bytes), epc, links })
}

function writeTransfer({ bank, seller, totals, number, digits }: ComputedInvoice): string {
  const amount = Number(writeAmount(totals.due, digits))
  if (amount < 0.01 || amount > 999_999_999.99)
    throw new Problem('INVOICE_INVALID', { path: 'epcQr', reason: 'there is no amount due that a transfer can have' })
  const name = (bank!.accountName ?? seller.name).slice(0, 70)
  return formatPayload({ kind: 'epc', name, iban: bank!.iban, bic: bank!.bic, amount, remittance: number })
}

async function drawCode(text: string, { barcode }: InvoiceTools): Promise<string> {
  const matrix = await barcode.encodeMatrix({ variant: 'qr', text, ecc: 'M' })
  if (!matrix)
    throw new Problem('INVOICE_INVALID', { path: 'paymentLinks', reason: 'an address is too long for a code' })
  const [dark, light] = [
    { r: 0, g: 0, b: 0, a: 255 },
    { r: 255, g: 255, b: 255, a: 255 },
  ]
  return encodeSvg({ ...matrix, scale: 4, margin: 4, dark, light })
}

const A4 = { width: 8.2677, height: 11.6929 }
const LETTER = { width: 8.5, height: 11 }
const MARGIN = { top: 0.6, right: 0.6, bottom: 0.8, left: 0.6 }

async function printInvoice(html: string, input: InvoiceInput, { chromium, out }: InvoiceTools): Promise<string> {
  const labels = findLabels(input.language)
  const footer = `<div style="width:100%;text-align:center;font-size:8pt;color:#666">${labels.page} <span class="pageNumber"></span> ${labels.of} <span class="totalPages"></span></div>`
  const isAmerican = /-(US|CA|MX|PH|CO|CL)$/.test(input.locale)
  const page = { ...(isAmerican ? LETTER : A4), margin: MARGIN, footer, maxPages: 200, tagged: true }
  const to = out('invoice.pdf')
  await chromium.print({ html, assets: [] }, { ...PRINT_OPTIONS, ...page }, to)
  return to
}
