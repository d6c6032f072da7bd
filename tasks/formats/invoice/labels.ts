/** What invoices call their fields, in the languages that are read. A longer label is tried before a shorter one. */
const LABELS = {
  number:
    'invoice number|invoice no|invoice #|invoice id|inv no|credit note number|credit note no|receipt number|' +
    'receipt no|receipt #|bill no|bill number|document number|rechnungsnummer|rechnungs-nr|rechnungsnr|' +
    'rechnung nr|rechnung-nr|beleg-nr|belegnummer|gutschrift nr|facture n°|facture no|numéro de facture|' +
    'n° de facture|n° facture|avoir n°|factura n°|nº factura|n.º factura|nº de factura|num. factura|no. factura|número de factura|factura no|nº de factura|factura nº|' +
    'numero fattura|fattura n|n. fattura|número da fatura|fatura nº|factuurnummer|numer faktury|faktura nr|' +
    'fakturanummer|kassenbon nr|bon-nr|ticket n°|ticket no|invoice|rechnung|gutschrift|facture|number|nummer|numéro|número|numero',
  purchaseOrder:
    'purchase order|po number|p.o. number|p.o. no|po no|po #|order number|order no|your order|bestellnummer|' +
    'bestell-nr|auftragsnummer|auftrags-nr|n° de commande|bon de commande|pedido|ordine|order|bestellung|commande|' +
    'bestelling|encomenda',
  issueDate:
    'invoice date|date of issue|issue date|date issued|billing date|receipt date|date of invoice|rechnungsdatum|' +
    "belegdatum|ausstellungsdatum|date de facturation|date de facture|date d'émission|fecha de factura|" +
    'fecha de emisión|data fattura|data di emissione|data da fatura|factuurdatum|data wystawienia|date|datum|' +
    'fecha|data',
  dueDate:
    'due date|payment due|date due|pay by|due on|due by|due|fällig am|fälligkeitsdatum|fälligkeit|zahlbar bis|' +
    "date d'échéance|échéance|à payer avant|fecha de vencimiento|vencimiento|vencimento|scadenza|vervaldatum|fällig|" +
    'termin płatności',
  deliveryDate:
    'delivery date|date of supply|service date|date of delivery|lieferdatum|leistungsdatum|' +
    'liefer-/leistungsdatum|date de livraison|fecha de entrega|data di consegna|leverdatum|delivery|lieferung|livraison|' +
    'entrega|consegna|levering',
  paymentTerms:
    'payment terms|terms|zahlbar innert|zahlbar innerhalb von|zahlbar innerhalb|zahlungsbedingungen|zahlungsziel|conditions de paiement|condiciones de pago|bedingungen|' +
    'conditions|condiciones|condizioni|voorwaarden|condições',
  customer:
    'bill to|billed to|bill-to|billing to|invoice to|invoiced to|issued to|sold to|prepared for|buyer|recipient|customer|client|käufer|empfänger|' +
    'rechnungsempfänger|auftraggeber|acheteur|destinataire|destinatario|comprador|acquirente|afnemer|koper|' +
    'rechnung an|kunde|rechnungsadresse|' +
    'facturé à|adresse de facturation|cliente|facturar a|spett.le|klant|nabywca|ship to|intestata a|factuur aan|' +
    'faturado a|to',
  vendor:
    'from|seller|vendor|supplier|issued by|sold by|billed by|leistungserbringer|fornitore|proveedor|leverancier|verkäufer|lieferant|émetteur|vendeur|emisor|sprzedawca',
  subtotal:
    'subtotal|sub-total|sub total|taxable value|taxable total|zwischentotal|net total|total net|net amount|total excl|total before tax|taxable amount|' +
    'zwischensumme|nettobetrag|netto|summe netto|gesamt netto|nettosumme|total ht|sous-total|montant ht|' +
    'base imponible|imponibile|subtotaal|subtotale|net|valor líquido|razem netto',
  total:
    'grand total|invoice total|total amount|amount payable|total incl|gesamtbetrag|rechnungsbetrag|' +
    'gesamtsumme|endbetrag|bruttobetrag|summe brutto|gesamt brutto|brutto|total ttc|montant ttc|importe total|' +
    'totale|totaal|razem|total|gesamt|summe',
  amountDue:
    'amount due|total due|balance due|balance|amount to pay|to pay|zahlbetrag|zu zahlen|zu zahlender betrag|' +
    'offener betrag|net à payer|reste à payer|montant dû|total a pagar|a pagar|te betalen|da pagare|do zapłaty',
  amountPaid:
    'amount paid|paid|prepaid|deposit|payment received|bereits gezahlt|anzahlung|gegeben|acompte|déjà payé|cash|' +
    'bar|bezahlt|payé|pagado|pagato|betaald|pago',
  shipping:
    'shipping|delivery charge|postage|freight|shipping & handling|versandkosten|versand|frais de port|livraison|' +
    'gastos de envío|verzendkosten|envío|envio|spedizione|verzending',
  tip: 'tip|gratuity|trinkgeld|pourboire|propina',
  discount: 'discount|rabatt|nachlass|skonto|remise|descuento|sconto|korting',
  tax:
    'vat|tax|sales tax|gst|hst|pst|qst|cgst|sgst|igst|mwst|ust|mehrwertsteuer|umsatzsteuer|zzgl|enthaltene mwst|incl. vat|tva|iva|btw|moms|' +
    'dph|podatek|kdv',
} as const

export type Label = keyof typeof LABELS

const END = '(?=$|[\\s:.#№°()/=-]|\\d)'

function compile(names: string): RegExp {
  const sorted = names.split('|').sort((a, b) => b.length - a.length)
  const escaped = sorted.map(name => name.replaceAll(/[.*+?^${}()|[\]\\/]/g, '\\$&').replaceAll(' ', '\\s+'))
  return new RegExp(`^[\\s*+•]*(?:${escaped.join('|')})${END}(?:[\\s.:#№°]|n[ro]\\.?(?=[\\s:.])|no\\.)*`, 'iu')
}

const PATTERNS = Object.fromEntries(Object.entries(LABELS).map(([label, names]) => [label, compile(names)])) as Record<
  Label,
  RegExp
>

/** What follows the label at the start of a text; undefined if it does not start with it. */
export function cutLabel(text: string, label: Label): string | undefined {
  const match = PATTERNS[label].exec(text)
  return match ? text.slice(match[0].length).trim() : undefined
}

/** What follows the label within a text, after the value of another field. */
export function cutInnerLabel(text: string, label: Label): string | undefined {
  for (const { index } of text.matchAll(/(?<=\d[,;|]?)\s+(?=\p{L})/gu)) {
    const rest = cutLabel(text.slice(index), label)
    if (rest) return rest
  }
  return undefined
}

const KINDS = [
  [
    'credit-note',
    /\b(credit note|credit memo|gutschrift|stornorechnung|kreditnota|kreditnote|nota de crédito|nota di credito|creditnota)\b|\bavoir\b/i,
  ],
  [
    'receipt',
    /\b(receipt|quittung|kassenbon|kassenbeleg|bon|reçu|ticket de caisse|recibo|scontrino|kvitto|paragon)\b/i,
  ],
  ['invoice', /\b(invoice|rechnung|facture|factura|fattura|fatura|factuur|faktura|bill)\b|tax invoice/i],
] as const

export function findKind(text: string): (typeof KINDS)[number][0] | undefined {
  const kinds = KINDS.filter(([, pattern]) => pattern.test(text)).map(([kind]) => kind)
  // "Invoice / receipt" is one that may have been paid.
  return kinds.includes('receipt') && kinds.includes('invoice') ? 'invoice' : kinds[0]
}

const NUMBER_WORD = String.raw`(?:n(?:umber|um[ée]ro|[uú]mero|ummer|[or]\.?|r\.?-?)|id|code|#|n°|nº)`
const NUMBERED =
  '(?:bank |bank-)?(?:account|acct?\\.?|customer|client|member(?:ship)?|contract|policy|meter|site|konto|kunden|vertrags?|' +
  'mitglieds?|compte|cuenta|conto|cliente|rekening|klant)'
/** Such as `Account number: 4711` or `Kundennr. 12`. */
const REFERENCE = new RegExp(
  `^(?:(?:n°|nº|no\\.?|numéro|número|numero)(?: de| di)? ?${NUMBERED}|${NUMBERED}[ -]?${NUMBER_WORD})(?=$|[\\s:.#]|\\d)`,
  'iu',
)
const LABELLED_NUMBER = /^\p{L}[\p{L} .'/-]{1,40}[:#]\s*(?:$|\S*\d)/u

/** Whether a text begins with what a number of an account, a customer or the like is called. */
export function isReference(text: string): boolean {
  return REFERENCE.test(text)
}

/** Whether a text is a number with what it is called, or a label alone, and so names nobody. */
export function isLabelledNumber(text: string): boolean {
  return isReference(text) || LABELLED_NUMBER.test(text)
}

const CARRIED =
  /^(?:report(?=\s*(?::|$|de la page|page))|riporto|suma y sigue)|\b(?:carried (?:forward|over)|brought forward|suma (?:y sigue|anterior))\b|(?<!\p{L})(?:übertrag|à reporter)(?!\p{L})/iu

/** Whether a row states a sum that goes on to the next page, and so no line of its own. */
export function isCarried(text: string): boolean {
  return CARRIED.test(text.replace(/[\s\d.,'’€$£-]+(?:[A-Z]{3})?$/, ''))
}

const OTHERS = (Object.keys(LABELS) as Label[]).filter(label => label !== 'customer' && label !== 'vendor')

/** Whether a text begins with a label: of the fields that have values, if none is named. */
export function startsWithLabel(text: string, label?: Label): boolean {
  return (label ? [label] : OTHERS).some(name => cutLabel(text, name) !== undefined)
}
