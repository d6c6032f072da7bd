import { addDecimals, multiplyDecimals, negateDecimal } from '../invoice/decimals.ts'
import { compact, type Found, type Invoice, type InvoiceLine, type InvoiceTax, type Party } from '../invoice/model.ts'
import { findAll, findFirst, readText, type XmlElement } from '../markup/xml.ts'
import { found, foundDate, foundNumber, joinLines } from './values.ts'

const BODY = 'FatturaElettronicaBody'

/** A file of FatturaPA may hold several invoices of one seller to one buyer. */
export function countFatture(root: XmlElement): number {
  return findAll(root, BODY).length
}

/** Credit notes, also the simplified one and that of a buyer. */
const CREDIT_NOTES = new Set(['TD04', 'TD08'])

/** Reads an invoice of Italy's FatturaPA, for offices (FPA12) or others (FPR12). */
export function readFattura(root: XmlElement, index = 0): Invoice {
  const header = findFirst(root, 'FatturaElettronicaHeader')
  const body = findAll(root, BODY)[index]
  const general = findFirst(body, 'DatiGenerali')
  const document = findFirst(general, 'DatiGeneraliDocumento')
  const payments = findAll(body, 'DatiPagamento/DettaglioPagamento')
  const summaries = findAll(body, 'DatiBeniServizi/DatiRiepilogo')
  const causes = findAll(document, 'Causale').map(({ text }) => text.trim())
  return {
    kind: CREDIT_NOTES.has(readText(document, 'TipoDocumento') ?? '') ? 'credit-note' : 'invoice',
    vendor: { ...readParty(findFirst(header, 'CedentePrestatore')), ...readAccount(payments) },
    customer: readParty(findFirst(header, 'CessionarioCommittente')),
    lines: findAll(body, 'DatiBeniServizi/DettaglioLinee').map(readLine),
    taxes: summaries.map(readTax),
    adjustment: sumAdjustments(document, summaries),
    ...compact({
      number: found(readText(document, 'Numero')),
      issueDate: foundDate(readText(document, 'Data')),
      dueDate: foundDate(payments.map(payment => readText(payment, 'DataScadenzaPagamento')).find(date => date)),
      deliveryDate: foundDate(
        readText(general, 'DatiTrasporto/DataOraConsegna') ?? readText(general, 'DatiDDT/DataDDT'),
      ),
      purchaseOrder: found(readText(general, 'DatiOrdineAcquisto/IdDocumento')),
      currency: found(readText(document, 'Divisa')),
      paymentTerms: found(causes.length > 0 ? causes.join('\n') : undefined),
      paymentReference: found(payments.map(payment => readText(payment, 'CodicePagamento')).find(code => code)),
      ...readSums(document, summaries, payments),
    }),
  }
}

function readSums(document: XmlElement | undefined, summaries: readonly XmlElement[], payments: readonly XmlElement[]) {
  const bases = listAmounts(summaries, 'ImponibileImporto')
  const taxes = listAmounts(summaries, 'Imposta')
  const due = listAmounts(payments, 'ImportoPagamento')
  const sums = bases.length > 0 ? addDecimals([...bases, ...taxes]) : undefined
  const stated = foundNumber(readText(document, 'ImportoTotaleDocumento'))
  return {
    subtotal: foundSum(bases),
    total: stated ?? found(sums),
    // Less than the total where the buyer pays a part of it to the tax office.
    amountDue: foundSum(due) ?? stated ?? found(sums),
  }
}

function foundSum(amounts: readonly string[]): Found | undefined {
  return amounts.length > 1 ? found(addDecimals(amounts)) : found(amounts[0])
}

function listAmounts(elements: readonly XmlElement[], name: string): string[] {
  return elements.flatMap(element => foundNumber(readText(element, name))?.value ?? [])
}

function readParty(party: XmlElement | undefined): Party {
  const data = findFirst(party, 'DatiAnagrafici')
  const person = ['Nome', 'Cognome']
    .map(name => readText(data, `Anagrafica/${name}`))
    .filter(part => part !== undefined)
  const named = readText(data, 'Anagrafica/Denominazione') ?? (person.length > 0 ? person.join(' ') : undefined)
  const address = findFirst(party, 'Sede')
  const part = (name: string) => readText(address, name)
  const join = (...names: string[]) =>
    names
      .map(part)
      .filter(text => text !== undefined)
      .join(' ')
  const vat = [readText(data, 'IdFiscaleIVA/IdPaese'), readText(data, 'IdFiscaleIVA/IdCodice')].join('')
  const register = [readText(party, 'IscrizioneREA/Ufficio'), readText(party, 'IscrizioneREA/NumeroREA')]
  const code = readText(data, 'CodiceFiscale')
  return compact({
    name: found(named),
    address: found(joinLines([join('Indirizzo', 'NumeroCivico'), join('CAP', 'Comune', 'Provincia'), part('Nazione')])),
    taxId: found(vat === '' ? code : vat),
    registration: found(
      register.every(text => text !== undefined) ? register.join('-') : vat === '' ? undefined : code,
    ),
    email: found(readText(party, 'Contatti/Email')),
    phone: found(readText(party, 'Contatti/Telefono')),
  })
}

function readAccount(payments: readonly XmlElement[]): Party {
  const payment = payments.find(one => readText(one, 'IBAN') !== undefined)
  return compact({
    iban: found(readText(payment, 'IBAN')?.replaceAll(' ', '')),
    bic: found(readText(payment, 'BIC')),
  })
}

function readLine(line: XmlElement): InvoiceLine {
  return compact({
    description: found(readText(line, 'Descrizione')),
    sku: found(readText(line, 'CodiceArticolo/CodiceValore')),
    quantity: foundNumber(readText(line, 'Quantita')),
    unit: found(readText(line, 'UnitaMisura')),
    unitPrice: foundNumber(readText(line, 'PrezzoUnitario')),
    discount: readDiscount(line),
    taxRate: foundNumber(readText(line, 'AliquotaIVA')),
    amount: foundNumber(readText(line, 'PrezzoTotale')),
  })
}

/** The first discount of a line, of one unit; a percentage is one of the price. */
function readDiscount(line: XmlElement): Found | undefined {
  const discount = findAll(line, 'ScontoMaggiorazione').find(one => readText(one, 'Tipo') === 'SC')
  const stated = foundNumber(readText(discount, 'Importo'))
  const percentage = foundNumber(readText(discount, 'Percentuale'))
  const price = foundNumber(readText(line, 'PrezzoUnitario'))
  if (stated || !percentage || !price) return stated
  return found(multiplyDecimals(multiplyDecimals(price.value, percentage.value), '0.01'), percentage.raw)
}

function readTax(summary: XmlElement): InvoiceTax {
  return compact({
    rate: foundNumber(readText(summary, 'AliquotaIVA')),
    base: foundNumber(readText(summary, 'ImponibileImporto')),
    amount: foundNumber(readText(summary, 'Imposta')),
  })
}

/** What is taxed besides the lines: pension funds, costs, roundings, and discounts on the whole. */
function sumAdjustments(document: XmlElement | undefined, summaries: readonly XmlElement[]): string {
  const changes = findAll(document, 'ScontoMaggiorazione').flatMap(change => {
    const amount = foundNumber(readText(change, 'Importo'))?.value
    if (amount === undefined) return []
    return readText(change, 'Tipo') === 'SC' ? negateDecimal(amount) : amount
  })
  return addDecimals([
    '0',
    ...changes,
    ...listAmounts(findAll(document, 'DatiCassaPrevidenziale'), 'ImportoContributoCassa'),
    ...listAmounts(summaries, 'SpeseAccessorie'),
    ...listAmounts(summaries, 'Arrotondamento'),
  ])
}
