import { isIban } from './iban.ts'
import { compact, type Found, type Invoice, type Party } from './model.ts'

/** What the QR code of a payment states. */
export interface PaymentCode {
  kind: 'epc' | 'swiss-qr'
  creditor: Party
  debtor: Party
  amount?: Found
  currency?: Found
  reference?: Found
}

/** What a code states is exact, so it wins. */
export function addPaymentCode(invoice: Invoice, code: PaymentCode | undefined): Invoice {
  if (!code) return invoice
  const { creditor, debtor, amount, currency, reference } = code
  return {
    ...invoice,
    vendor: { ...invoice.vendor, ...creditor },
    customer: { ...invoice.customer, ...debtor },
    ...compact({ paymentReference: reference, currency, amountDue: amount }),
  }
}

function found(text: string | undefined): Found | undefined {
  const value = text?.trim()
  return value ? { value, raw: text!, confidence: 1, source: 'barcode' } : undefined
}

function foundAmount(text: string | undefined): Found | undefined {
  return /^\d{1,12}(\.\d{1,2})?$/.test(text ?? '') ? found(text) : undefined
}

/** Reads the code of a payment; undefined if it is another code. */
export function readPaymentCode(text: string): PaymentCode | undefined {
  const lines = text.split(/\r\n|\n|\r/)
  if (lines[0] === 'BCD' && lines[3] === 'SCT') return readEpc(lines)
  return lines[0] === 'SPC' && lines[1]?.startsWith('02') ? readSwiss(lines) : undefined
}

/** EPC069-12: a credit transfer in euros. */
function readEpc([, , , , bic, name, iban = '', amount = '', , structured, free]: string[]): PaymentCode | undefined {
  const account = iban.replaceAll(' ', '')
  if (!isIban(account)) return undefined
  const [currency, figure] = [amount.slice(0, 3), amount.slice(3)]
  return {
    kind: 'epc',
    creditor: compact({ name: found(name), iban: found(account), bic: found(bic) }),
    debtor: {},
    ...compact({
      amount: foundAmount(figure),
      currency: found(currency || 'EUR'),
      reference: found(structured) ?? found(free),
    }),
  }
}

/** The Swiss payment standard: addresses are structured (S) or two lines (K). */
function readSwiss(lines: string[]): PaymentCode | undefined {
  const account = lines[3]?.replaceAll(' ', '') ?? ''
  if (!isIban(account)) return undefined
  return {
    kind: 'swiss-qr',
    creditor: { ...readAddress(lines.slice(4, 11)), ...compact({ iban: found(account) }) },
    debtor: readAddress(lines.slice(20, 27)),
    ...compact({
      amount: foundAmount(lines[18]),
      currency: found(lines[19]),
      reference: found(lines[28]) ?? found(lines[29]),
    }),
  }
}

function readAddress([type, name, one, two, postcode, town, country]: string[]): Party {
  const lines = type === 'K' ? [one, two] : [join(one, two), join(postcode, town)]
  const address = [...lines, country].filter(line => line).join('\n')
  return name ? compact({ name: found(name), address: found(address) }) : {}
}

function join(...parts: (string | undefined)[]): string {
  return parts.filter(part => part).join(' ')
}
