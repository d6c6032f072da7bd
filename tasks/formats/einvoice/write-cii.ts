import { element } from '../svg/drawing.ts'
import { writeAmount, writeDecimal } from './amounts.ts'
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

const NAMESPACE = 'urn:un:unece:uncefact:data:standard'

/** Writes an invoice or credit note as a Cross Industry Invoice (D16B), in the terms of EN 16931. */
export function writeCii(invoice: ComputedInvoice): string {
  const content = [
    group(
      'rsm:ExchangedDocumentContext',
      group('ram:GuidelineSpecifiedDocumentContextParameter', text('ram:ID', GUIDELINE)),
    ),
    group(
      'rsm:ExchangedDocument',
      text('ram:ID', invoice.number),
      text('ram:TypeCode', invoice.type === 'credit-note' ? '381' : '380'),
      writeDate('ram:IssueDateTime', invoice.issueDate),
      group('ram:IncludedNote', text('ram:Content', invoice.notes)),
    ),
    group(
      'rsm:SupplyChainTradeTransaction',
      ...invoice.lines.map((line, index) => writeLine(invoice, line, index)),
      group(
        'ram:ApplicableHeaderTradeAgreement',
        text('ram:BuyerReference', invoice.buyerReference),
        group('ram:SellerTradeParty', writeParty(invoice.seller, true)),
        group('ram:BuyerTradeParty', writeParty(invoice.buyer, false)),
        group('ram:BuyerOrderReferencedDocument', text('ram:IssuerAssignedID', invoice.purchaseOrder)),
      ),
      element('ram:ApplicableHeaderTradeDelivery', {}, writeDelivery(invoice)),
      writeSettlement(invoice),
    ),
  ]
  const attributes = {
    'xmlns:rsm': `${NAMESPACE}:CrossIndustryInvoice:100`,
    'xmlns:ram': `${NAMESPACE}:ReusableAggregateBusinessInformationEntity:100`,
    'xmlns:udt': `${NAMESPACE}:UnqualifiedDataType:100`,
  }
  return `<?xml version="1.0" encoding="UTF-8"?>\n${element('rsm:CrossIndustryInvoice', attributes, content.join(''))}\n`
}

function writeDate(name: string, date: string | undefined): string {
  return group(name, text('udt:DateTimeString', date?.replaceAll('-', ''), { format: '102' }))
}

function writeIndicator(isCharge: boolean): string {
  return group('ram:ChargeIndicator', text('udt:Indicator', String(isCharge)))
}

function writeParty(party: Party, isSeller: boolean): string {
  const { name, city, postcode, country, taxId, registration, email, phone } = party
  const [first, second, third] = splitAddress(party)
  const isKnown = taxId !== undefined && (isSeller || isVatNumber(taxId))
  const schemeID = taxId !== undefined && isVatNumber(taxId) ? 'VA' : 'FC'
  return [
    text('ram:Name', name),
    group('ram:SpecifiedLegalOrganization', text('ram:ID', registration)),
    group(
      'ram:DefinedTradeContact',
      group('ram:TelephoneUniversalCommunication', text('ram:CompleteNumber', phone)),
      group('ram:EmailURIUniversalCommunication', text('ram:URIID', email)),
    ),
    group(
      'ram:PostalTradeAddress',
      text('ram:PostcodeCode', postcode),
      text('ram:LineOne', first),
      text('ram:LineTwo', second),
      text('ram:LineThree', third),
      text('ram:CityName', city),
      text('ram:CountryID', country),
    ),
    isKnown ? group('ram:SpecifiedTaxRegistration', text('ram:ID', taxId, { schemeID })) : '',
  ].join('')
}

function writeDelivery({ deliveryDate, buyer }: ComputedInvoice): string {
  if (deliveryDate === undefined) return ''
  const address = group('ram:PostalTradeAddress', text('ram:CountryID', buyer.country))
  return (
    group('ram:ShipToTradeParty', address) +
    group('ram:ActualDeliverySupplyChainEvent', writeDate('ram:OccurrenceDateTime', deliveryDate))
  )
}

function writeTax(
  name: string,
  { category, rate = 0n }: { category?: string; rate?: bigint },
  amounts: { tax?: string; reason?: string; base?: string } = {},
): string {
  return group(
    name,
    amounts.tax ?? '',
    text('ram:TypeCode', 'VAT'),
    text('ram:ExemptionReason', amounts.reason),
    amounts.base ?? '',
    text('ram:CategoryCode', category),
    category === 'O' ? '' : text('ram:RateApplicablePercent', writeDecimal(rate)),
  )
}

function writeSettlement(invoice: ComputedInvoice): string {
  const { plain } = createAmountWriter(invoice)
  const { bank, currency, groups } = invoice
  return group(
    'ram:ApplicableHeaderTradeSettlement',
    text('ram:PaymentReference', invoice.number),
    text('ram:InvoiceCurrencyCode', currency),
    bank ? writeBank(bank, currency) : '',
    ...groups.map(each =>
      writeTax('ram:ApplicableTradeTax', each, {
        tax: plain('ram:CalculatedAmount', each.tax),
        base: plain('ram:BasisAmount', each.base),
        reason: each.reason,
      }),
    ),
    ...groups.flatMap(each => writeAdjustments(each, plain)),
    group(
      'ram:SpecifiedTradePaymentTerms',
      text('ram:Description', invoice.terms),
      writeDate('ram:DueDateDateTime', invoice.dueDate),
    ),
    writeTotals(invoice),
    group('ram:InvoiceReferencedDocument', text('ram:IssuerAssignedID', invoice.correctedInvoice)),
  )
}

function writeBank(bank: NonNullable<ComputedInvoice['bank']>, currency: string): string {
  return group(
    'ram:SpecifiedTradeSettlementPaymentMeans',
    text('ram:TypeCode', findMeansCode(bank, currency)),
    group(
      'ram:PayeePartyCreditorFinancialAccount',
      text('ram:IBANID', bank.iban),
      text('ram:AccountName', bank.accountName),
    ),
    group('ram:PayeeSpecifiedCreditorFinancialInstitution', text('ram:BICID', bank.bic)),
  )
}

function writeAdjustments(taxGroup: TaxGroup, plain: (name: string, amount: bigint) => string): string[] {
  return (['discount', 'shipping'] as const).map(kind =>
    taxGroup[kind] === 0n
      ? ''
      : group(
          'ram:SpecifiedTradeAllowanceCharge',
          writeIndicator(kind === 'shipping'),
          plain('ram:ActualAmount', taxGroup[kind]),
          text('ram:Reason', REASONS[kind]),
          writeTax('ram:CategoryTradeTax', taxGroup),
        ),
  )
}

function writeTotals(invoice: ComputedInvoice): string {
  const { totals, currency, digits, groups } = invoice
  const { plain } = createAmountWriter(invoice)
  const sum = (kind: 'discount' | 'shipping') => groups.reduce((total, each) => total + each[kind], 0n)
  return group(
    'ram:SpecifiedTradeSettlementHeaderMonetarySummation',
    plain('ram:LineTotalAmount', totals.lines),
    plain('ram:ChargeTotalAmount', sum('shipping')),
    plain('ram:AllowanceTotalAmount', sum('discount')),
    plain('ram:TaxBasisTotalAmount', totals.net),
    text('ram:TaxTotalAmount', writeAmount(totals.tax, digits), { currencyID: currency }),
    totals.rounding === 0n ? '' : plain('ram:RoundingAmount', totals.rounding),
    plain('ram:GrandTotalAmount', totals.net + totals.tax),
    plain('ram:TotalPrepaidAmount', totals.paid),
    plain('ram:DuePayableAmount', totals.due),
  )
}

function writeLine(invoice: ComputedInvoice, line: ComputedLine, index: number): string {
  const { plain } = createAmountWriter(invoice)
  const { name, more } = splitDescription(line.description)
  const discount = group(
    'ram:SpecifiedTradeAllowanceCharge',
    writeIndicator(false),
    plain('ram:ActualAmount', line.netDiscount),
    text('ram:Reason', REASONS.discount),
  )
  return group(
    'ram:IncludedSupplyChainTradeLineItem',
    group('ram:AssociatedDocumentLineDocument', text('ram:LineID', String(index + 1))),
    group('ram:SpecifiedTradeProduct', text('ram:Name', name), text('ram:Description', more)),
    group(
      'ram:SpecifiedLineTradeAgreement',
      group('ram:NetPriceProductTradePrice', text('ram:ChargeAmount', writeDecimal(line.netPrice))),
    ),
    group(
      'ram:SpecifiedLineTradeDelivery',
      text('ram:BilledQuantity', writeDecimal(line.quantity), { unitCode: findUnitCode(line.unit)! }),
    ),
    group(
      'ram:SpecifiedLineTradeSettlement',
      writeTax('ram:ApplicableTradeTax', line),
      line.netDiscount === 0n ? '' : discount,
      group('ram:SpecifiedTradeSettlementLineMonetarySummation', plain('ram:LineTotalAmount', line.net)),
    ),
  )
}
