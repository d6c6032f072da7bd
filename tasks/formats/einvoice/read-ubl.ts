import { addDecimals, negateDecimal } from '../invoice/decimals.ts'
import { compact, type Invoice, type InvoiceLine, type InvoiceTax, type Party } from '../invoice/model.ts'
import { findAll, findFirst, readText, type XmlElement } from '../markup/xml.ts'
import { found, foundDate, foundNumber, isCreditNote, joinLines, sumShipping } from './values.ts'

/** Reads an invoice or a credit note of UBL 2: Peppol, XRechnung and others. */
export function readUbl(root: XmlElement): Invoice {
  const typeCode = readText(root, 'InvoiceTypeCode|CreditNoteTypeCode')
  const means = findFirst(root, 'PaymentMeans')
  const isCredit = root.name === 'CreditNote' || isCreditNote(typeCode)
  return {
    kind: isCredit ? 'credit-note' : 'invoice',
    vendor: { ...readParty(findFirst(root, 'AccountingSupplierParty/Party')), ...readAccount(means) },
    customer: readParty(findFirst(root, 'AccountingCustomerParty/Party')),
    lines: findAll(root, 'InvoiceLine|CreditNoteLine').map(readLine),
    taxes: findAll(root, 'TaxTotal/TaxSubtotal').map(readTax),
    adjustment: sumAllowances(findFirst(root, 'LegalMonetaryTotal')),
    ...compact({
      number: found(readText(root, 'ID')),
      issueDate: foundDate(readText(root, 'IssueDate')),
      dueDate: foundDate(readText(root, 'DueDate') ?? readText(means, 'PaymentDueDate')),
      deliveryDate: foundDate(readText(root, 'Delivery/ActualDeliveryDate')),
      purchaseOrder: found(readText(root, 'OrderReference/ID')),
      currency: found(readText(root, 'DocumentCurrencyCode')),
      paymentTerms: found(readText(root, 'PaymentTerms/Note')),
      paymentReference: found(readText(means, 'PaymentID')),
      shipping: sumShipping(
        findAll(root, 'AllowanceCharge').map(charge => ({
          isCharge: readText(charge, 'ChargeIndicator'),
          reason: readText(charge, 'AllowanceChargeReason'),
          code: readText(charge, 'AllowanceChargeReasonCode'),
          amount: readText(charge, 'Amount'),
        })),
      ),
      ...readSums(findFirst(root, 'LegalMonetaryTotal')),
    }),
  }
}

function readSums(sums: XmlElement | undefined) {
  const sum = (name: string) => foundNumber(readText(sums, name))
  return {
    subtotal: sum('TaxExclusiveAmount'),
    total: sum('TaxInclusiveAmount'),
    amountPaid: sum('PrepaidAmount'),
    amountDue: sum('PayableAmount'),
  }
}

function readParty(party: XmlElement | undefined): Party {
  const address = findFirst(party, 'PostalAddress')
  const part = (name: string) => readText(address, name)
  const city = [part('PostalZone'), part('CityName')].filter(text => text !== undefined).join(' ')
  const lines = [part('StreetName'), part('AdditionalStreetName'), part('AddressLine/Line'), city]
  return compact({
    name: found(readText(party, 'PartyName/Name') ?? readText(party, 'PartyLegalEntity/RegistrationName')),
    address: found(joinLines([...lines, part('Country/IdentificationCode')])),
    taxId: found(readText(party, 'PartyTaxScheme/CompanyID')),
    registration: found(readText(party, 'PartyLegalEntity/CompanyID')),
    email: found(readText(party, 'Contact/ElectronicMail')),
    phone: found(readText(party, 'Contact/Telephone')),
    url: found(readText(party, 'WebsiteURI')),
  })
}

function readAccount(means: XmlElement | undefined): Party {
  const account = findFirst(means, 'PayeeFinancialAccount')
  return compact({
    iban: found(readText(account, 'ID')?.replaceAll(' ', '')),
    bic: found(
      readText(account, 'FinancialInstitutionBranch/ID') ??
        readText(account, 'FinancialInstitutionBranch/FinancialInstitution/ID'),
    ),
  })
}

function readLine(line: XmlElement): InvoiceLine {
  const item = findFirst(line, 'Item')
  const quantity = findFirst(line, 'InvoicedQuantity|CreditedQuantity')
  const allowance = findAll(line, 'AllowanceCharge').find(charge => readText(charge, 'ChargeIndicator') === 'false')
  return compact({
    description: found(readText(item, 'Name') ?? readText(item, 'Description')),
    sku: found(readText(item, 'SellersItemIdentification/ID') ?? readText(item, 'StandardItemIdentification/ID')),
    quantity: foundNumber(quantity?.text.trim()),
    unit: found(quantity?.attributes.unitCode),
    unitPrice: foundNumber(readText(line, 'Price/PriceAmount')),
    discount: foundNumber(readText(allowance, 'Amount')),
    taxRate: foundNumber(readText(item, 'ClassifiedTaxCategory/Percent')),
    amount: foundNumber(readText(line, 'LineExtensionAmount')),
  })
}

function readTax(tax: XmlElement): InvoiceTax {
  return compact({
    rate: foundNumber(readText(tax, 'TaxCategory/Percent')),
    base: foundNumber(readText(tax, 'TaxableAmount')),
    amount: foundNumber(readText(tax, 'TaxAmount')),
  })
}

function sumAllowances(sums: XmlElement | undefined): string {
  const charges = foundNumber(readText(sums, 'ChargeTotalAmount'))?.value ?? '0'
  const allowances = foundNumber(readText(sums, 'AllowanceTotalAmount'))?.value ?? '0'
  return addDecimals([charges, negateDecimal(allowances)])
}
