import { addDecimals, negateDecimal } from '../invoice/decimals.ts'
import { compact, type Found, type Invoice, type InvoiceLine, type InvoiceTax, type Party } from '../invoice/model.ts'
import { findAll, findFirst, readText, type XmlElement } from '../markup/xml.ts'
import { found, foundDate, foundNumber, isCreditNote, joinLines, sumShipping } from './values.ts'

const TRANSACTION = 'SupplyChainTradeTransaction|SpecifiedSupplyChainTradeTransaction'
const AGREEMENT = 'ApplicableHeaderTradeAgreement|ApplicableSupplyChainTradeAgreement'
const DELIVERY = 'ApplicableHeaderTradeDelivery|ApplicableSupplyChainTradeDelivery'
const SETTLEMENT = 'ApplicableHeaderTradeSettlement|ApplicableSupplyChainTradeSettlement'
const SUMS = 'SpecifiedTradeSettlementHeaderMonetarySummation|SpecifiedTradeSettlementMonetarySummation'
const LINE_AGREEMENT = 'SpecifiedLineTradeAgreement|SpecifiedSupplyChainTradeAgreement'
const LINE_DELIVERY = 'SpecifiedLineTradeDelivery|SpecifiedSupplyChainTradeDelivery'
const LINE_SETTLEMENT = 'SpecifiedLineTradeSettlement|SpecifiedSupplyChainTradeSettlement'
const LINE_SUM =
  'SpecifiedTradeSettlementLineMonetarySummation|SpecifiedTradeSettlementMonetarySummation/LineTotalAmount'
const RATE = 'RateApplicablePercent|ApplicablePercent'
const PAYEE = 'SpecifiedTradeSettlementPaymentMeans'

/** Reads an invoice of UN/CEFACT: Factur-X, XRechnung, ZUGFeRD 2 and 1. */
export function readCii(root: XmlElement): Invoice {
  const document = findFirst(root, 'ExchangedDocument|HeaderExchangedDocument')
  const transaction = findFirst(root, TRANSACTION)
  const agreement = findFirst(transaction, AGREEMENT)
  const settlement = findFirst(transaction, SETTLEMENT)
  const typeCode = readText(document, 'TypeCode')
  return {
    kind: isCreditNote(typeCode) ? 'credit-note' : 'invoice',
    vendor: { ...readParty(findFirst(agreement, 'SellerTradeParty')), ...readAccount(settlement) },
    customer: readParty(findFirst(agreement, 'BuyerTradeParty')),
    // ZUGFeRD 1 has lines that are notes alone.
    lines: findAll(transaction, 'IncludedSupplyChainTradeLineItem')
      .map(readLine)
      .filter(line => Object.keys(line).length > 0),
    taxes: readTaxes(settlement),
    adjustment: sumAllowances(settlement),
    ...compact({
      number: found(readText(document, 'ID')),
      issueDate: foundDate(readText(document, 'IssueDateTime/DateTimeString')),
      purchaseOrder: found(readText(agreement, 'BuyerOrderReferencedDocument/IssuerAssignedID|ID')),
      deliveryDate: foundDate(
        readText(transaction, `${DELIVERY}/ActualDeliverySupplyChainEvent/OccurrenceDateTime/DateTimeString`),
      ),
      ...readSettlement(settlement),
    }),
  }
}

function readSettlement(settlement: XmlElement | undefined) {
  const sums = findFirst(settlement, SUMS)
  const sum = (name: string) => foundNumber(readText(sums, name))
  return {
    currency: found(readText(settlement, 'InvoiceCurrencyCode')),
    dueDate: foundDate(readText(settlement, 'SpecifiedTradePaymentTerms/DueDateDateTime/DateTimeString')),
    paymentTerms: found(readText(settlement, 'SpecifiedTradePaymentTerms/Description')),
    paymentReference: found(readText(settlement, 'PaymentReference')),
    shipping:
      foundNumber(readText(settlement, 'SpecifiedLogisticsServiceCharge/AppliedAmount')) ??
      sumShipping(
        findAll(settlement, 'SpecifiedTradeAllowanceCharge').map(charge => ({
          isCharge: readText(charge, 'ChargeIndicator/Indicator'),
          reason: readText(charge, 'Reason'),
          code: readText(charge, 'ReasonCode'),
          amount: readText(charge, 'ActualAmount'),
        })),
      ),
    subtotal: sum('TaxBasisTotalAmount'),
    total: sum('GrandTotalAmount'),
    amountPaid: sum('TotalPrepaidAmount'),
    amountDue: sum('DuePayableAmount'),
  }
}

function readParty(party: XmlElement | undefined): Party {
  const address = findFirst(party, 'PostalTradeAddress')
  const part = (name: string) => readText(address, name)
  const city = [part('PostcodeCode'), part('CityName')].filter(text => text !== undefined).join(' ')
  const registrations = findAll(party, 'SpecifiedTaxRegistration/ID')
  const vat = registrations.find(({ attributes }) => attributes.schemeID === 'VA') ?? registrations[0]
  const uri = findFirst(party, 'URIUniversalCommunication/URIID')
  const contact = findFirst(party, 'DefinedTradeContact')
  const mail = readText(contact, 'EmailURIUniversalCommunication/URIID')
  return compact({
    name: found(readText(party, 'Name') ?? readText(party, 'SpecifiedLegalOrganization/TradingBusinessName')),
    address: found(joinLines([part('LineOne'), part('LineTwo'), part('LineThree'), city, part('CountryID')])),
    taxId: found(vat?.text.trim()),
    registration: found(readText(party, 'SpecifiedLegalOrganization/ID')),
    email: found(mail ?? (uri?.attributes.schemeID === 'EM' ? uri.text.trim() : undefined)),
    phone: found(readText(contact, 'TelephoneUniversalCommunication/CompleteNumber')),
  })
}

function readAccount(settlement: XmlElement | undefined): Party {
  return compact({
    iban: found(readText(settlement, `${PAYEE}/PayeePartyCreditorFinancialAccount/IBANID`)?.replaceAll(' ', '')),
    bic: found(readText(settlement, `${PAYEE}/PayeeSpecifiedCreditorFinancialInstitution/BICID`)),
  })
}

function readLine(line: XmlElement): InvoiceLine {
  const product = findFirst(line, 'SpecifiedTradeProduct')
  const quantity = findFirst(line, `${LINE_DELIVERY}/BilledQuantity`)
  const settlement = findFirst(line, LINE_SETTLEMENT)
  return compact({
    description: found(readText(product, 'Name') ?? readText(product, 'Description')),
    sku: found(readText(product, 'SellerAssignedID') ?? readText(product, 'GlobalID')),
    quantity: foundNumber(quantity?.text.trim()),
    unit: found(quantity?.attributes.unitCode),
    unitPrice: foundNumber(readText(line, `${LINE_AGREEMENT}/NetPriceProductTradePrice/ChargeAmount`)),
    discount: readDiscount(settlement),
    taxRate: foundNumber(readText(settlement, `ApplicableTradeTax/${RATE}`)),
    amount: foundNumber(readText(settlement, LINE_SUM)),
  })
}

function readDiscount(settlement: XmlElement | undefined): Found | undefined {
  const allowance = findAll(settlement, 'SpecifiedTradeAllowanceCharge').find(
    charge => readText(charge, 'ChargeIndicator/Indicator') === 'false',
  )
  return foundNumber(readText(allowance, 'ActualAmount'))
}

/** The smallest profile states only the sum of all taxes. */
function readTaxes(settlement: XmlElement | undefined): InvoiceTax[] {
  const taxes = findAll(settlement, 'ApplicableTradeTax').map(readTax)
  const amount = foundNumber(readText(findFirst(settlement, SUMS), 'TaxTotalAmount'))
  return taxes.length === 0 && amount ? [{ amount }] : taxes
}

function readTax(tax: XmlElement): InvoiceTax {
  return compact({
    rate: foundNumber(readText(tax, RATE)),
    base: foundNumber(readText(tax, 'BasisAmount')),
    amount: foundNumber(readText(tax, 'CalculatedAmount')),
  })
}

function sumAllowances(settlement: XmlElement | undefined): string {
  const sums = findFirst(settlement, SUMS)
  const charges = foundNumber(readText(sums, 'ChargeTotalAmount'))?.value ?? '0'
  const allowances = foundNumber(readText(sums, 'AllowanceTotalAmount'))?.value ?? '0'
  return addDecimals([charges, negateDecimal(allowances)])
}
