import { element } from '../svg/drawing.ts'
import { writeDecimal } from './amounts.ts'
import type { ComputedInvoice, ComputedLine, Party, TaxGroup } from './invoice.ts'
import {
  createAmountWriter,
  findMeansCode,
  findUnitCode,
  GUIDELINE,
  group,
  isVatNumber,
  REASONS,
  splitAddress,
  splitDescription,
  text,
} from './write-parts.ts'

const NAMESPACE = 'urn:oasis:names:specification:ubl:schema:xsd'

/** Writes an invoice or credit note as UBL 2.1, in the terms of EN 16931. */
export function writeUbl(invoice: ComputedInvoice): string {
  const isCredit = invoice.type === 'credit-note'
  const root = isCredit ? 'CreditNote' : 'Invoice'
  const { marked } = createAmountWriter(invoice)
  const content = [
    ...writeHead(invoice, isCredit),
    group('cac:AccountingSupplierParty', writeParty(invoice.seller, true)),
    group('cac:AccountingCustomerParty', writeParty(invoice.buyer, false)),
    writeDelivery(invoice),
    writePayment(invoice, isCredit),
    group('cac:PaymentTerms', text('cbc:Note', invoice.terms)),
    ...invoice.groups.flatMap(taxGroup => writeAdjustments(taxGroup, marked)),
    group(
      'cac:TaxTotal',
      marked('cbc:TaxAmount', invoice.totals.tax),
      ...invoice.groups.map(taxGroup => writeTaxGroup(taxGroup, marked)),
    ),
    writeTotals(invoice),
    ...invoice.lines.map((line, index) => writeLine(invoice, line, index, isCredit)),
  ]
  const attributes = {
    xmlns: `${NAMESPACE}:${root}-2`,
    'xmlns:cac': `${NAMESPACE}:CommonAggregateComponents-2`,
    'xmlns:cbc': `${NAMESPACE}:CommonBasicComponents-2`,
  }
  return `<?xml version="1.0" encoding="UTF-8"?>\n${element(root, attributes, content.join(''))}\n`
}

function writeHead(invoice: ComputedInvoice, isCredit: boolean): string[] {
  return [
    text('cbc:CustomizationID', GUIDELINE),
    text('cbc:ID', invoice.number),
    text('cbc:IssueDate', invoice.issueDate),
    isCredit ? '' : text('cbc:DueDate', invoice.dueDate),
    isCredit ? text('cbc:CreditNoteTypeCode', '381') : text('cbc:InvoiceTypeCode', '380'),
    text('cbc:Note', invoice.notes),
    text('cbc:DocumentCurrencyCode', invoice.currency),
    text('cbc:BuyerReference', invoice.buyerReference),
    group('cac:OrderReference', text('cbc:ID', invoice.purchaseOrder)),
    group('cac:BillingReference', group('cac:InvoiceDocumentReference', text('cbc:ID', invoice.correctedInvoice))),
  ]
}

const VAT = group('cac:TaxScheme', text('cbc:ID', 'VAT'))
/** For numbers of a tax office. */
const LOCAL = group('cac:TaxScheme', text('cbc:ID', 'LOC'))

function writeParty(party: Party, isSeller: boolean): string {
  const { name, city, postcode, country, taxId, registration, email, phone } = party
  const [first, second, third] = splitAddress(party)
  const isKnown = taxId !== undefined && (isSeller || isVatNumber(taxId))
  return group(
    'cac:Party',
    group(
      'cac:PostalAddress',
      text('cbc:StreetName', first),
      text('cbc:AdditionalStreetName', second),
      text('cbc:CityName', city),
      text('cbc:PostalZone', postcode),
      group('cac:AddressLine', text('cbc:Line', third)),
      group('cac:Country', text('cbc:IdentificationCode', country)),
    ),
    isKnown ? group('cac:PartyTaxScheme', text('cbc:CompanyID', taxId), isVatNumber(taxId) ? VAT : LOCAL) : '',
    group('cac:PartyLegalEntity', text('cbc:RegistrationName', name), text('cbc:CompanyID', registration)),
    group('cac:Contact', text('cbc:Telephone', phone), text('cbc:ElectronicMail', email)),
  )
}

function writeDelivery({ deliveryDate, buyer }: ComputedInvoice): string {
  if (deliveryDate === undefined) return ''
  const country = group('cac:Country', text('cbc:IdentificationCode', buyer.country))
  return group(
    'cac:Delivery',
    text('cbc:ActualDeliveryDate', deliveryDate),
    group('cac:DeliveryLocation', group('cac:Address', country)),
  )
}

function writePayment({ bank, currency, number, dueDate }: ComputedInvoice, isCredit: boolean): string {
  const dueOfCredit = isCredit ? text('cbc:PaymentDueDate', dueDate) : ''
  if (!bank && dueOfCredit === '') return ''
  const account = bank
    ? group(
        'cac:PayeeFinancialAccount',
        text('cbc:ID', bank.iban),
        text('cbc:Name', bank.accountName),
        group('cac:FinancialInstitutionBranch', text('cbc:ID', bank.bic)),
      )
    : ''
  return group(
    'cac:PaymentMeans',
    text('cbc:PaymentMeansCode', findMeansCode(bank, currency)),
    dueOfCredit,
    text('cbc:PaymentID', number),
    account,
  )
}

type WriteAmount = (name: string, amount: bigint) => string

function writeAdjustments(taxGroup: TaxGroup, marked: WriteAmount): string[] {
  return (['discount', 'shipping'] as const).map(kind =>
    taxGroup[kind] === 0n
      ? ''
      : group(
          'cac:AllowanceCharge',
          text('cbc:ChargeIndicator', String(kind === 'shipping')),
          text('cbc:AllowanceChargeReason', REASONS[kind]),
          marked('cbc:Amount', taxGroup[kind]),
          writeCategory('cac:TaxCategory', taxGroup),
        ),
  )
}

function writeCategory(
  name: string,
  { category, rate = 0n, reason }: { category?: string; rate?: bigint; reason?: string },
): string {
  const percent = category === 'O' ? '' : text('cbc:Percent', writeDecimal(rate))
  return group(name, text('cbc:ID', category), percent, text('cbc:TaxExemptionReason', reason), VAT)
}

function writeTaxGroup(taxGroup: TaxGroup, marked: WriteAmount): string {
  return group(
    'cac:TaxSubtotal',
    marked('cbc:TaxableAmount', taxGroup.base),
    marked('cbc:TaxAmount', taxGroup.tax),
    writeCategory('cac:TaxCategory', taxGroup),
  )
}

function writeTotals(invoice: ComputedInvoice): string {
  const { totals } = invoice
  const { marked } = createAmountWriter(invoice)
  const unlessZero = (name: string, amount: bigint) => (amount === 0n ? '' : marked(name, amount))
  const sum = (kind: 'discount' | 'shipping') => invoice.groups.reduce((total, each) => total + each[kind], 0n)
  return group(
    'cac:LegalMonetaryTotal',
    marked('cbc:LineExtensionAmount', totals.lines),
    marked('cbc:TaxExclusiveAmount', totals.net),
    marked('cbc:TaxInclusiveAmount', totals.net + totals.tax),
    unlessZero('cbc:AllowanceTotalAmount', sum('discount')),
    unlessZero('cbc:ChargeTotalAmount', sum('shipping')),
    unlessZero('cbc:PrepaidAmount', totals.paid),
    unlessZero('cbc:PayableRoundingAmount', totals.rounding),
    marked('cbc:PayableAmount', totals.due),
  )
}

function writeLine(invoice: ComputedInvoice, line: ComputedLine, index: number, isCredit: boolean): string {
  const { marked } = createAmountWriter(invoice)
  const { name, more } = splitDescription(line.description)
  const unitCode = findUnitCode(line.unit)!
  const discount = group(
    'cac:AllowanceCharge',
    text('cbc:ChargeIndicator', 'false'),
    text('cbc:AllowanceChargeReason', REASONS.discount),
    marked('cbc:Amount', line.netDiscount),
  )
  return group(
    isCredit ? 'cac:CreditNoteLine' : 'cac:InvoiceLine',
    text('cbc:ID', String(index + 1)),
    text(isCredit ? 'cbc:CreditedQuantity' : 'cbc:InvoicedQuantity', writeDecimal(line.quantity), { unitCode }),
    marked('cbc:LineExtensionAmount', line.net),
    line.netDiscount === 0n ? '' : discount,
    group(
      'cac:Item',
      text('cbc:Description', more),
      text('cbc:Name', name),
      writeCategory('cac:ClassifiedTaxCategory', line),
    ),
    group('cac:Price', text('cbc:PriceAmount', writeDecimal(line.netPrice), { currencyID: invoice.currency })),
  )
}
