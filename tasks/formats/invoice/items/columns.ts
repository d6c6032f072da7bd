import type { LineField } from '../model.ts'
import type { Row, Segment, Word } from '../rows.ts'

const COLUMNS: [LineField | 'position', RegExp][] = [
  ['position', /^(pos\.?|position|(s|sr|sl)?\.? ?no\.?|nr\.?|#|lp\.?)$/i],
  [
    'sku',
    /^(sku|item no\.?|art\.?-?(nr|no)\.?|artikelnummer|code|réf(érence)?\.?|ref\.?|código|hsn|hsn ?\/ ?sac|hsn code)$/i,
  ],
  [
    'description',
    /^(description( of (goods|services?)( (and|&) services?)?)?|(item|product) description|beschreibung|bezeichnung|item|items|artikel|artikelbezeichnung|leistung|dienstleistung|tätigkeit|products?|product ?\/ ?service|produkt|désignation|libellé|prestation|article|descripción|concepto|detalle|artículo|descrizione|descrição|omschrijving|opis|nazwa|beskrivning|beskrivelse|services?|details|activity|task|particulars)$/i,
  ],
  [
    'quantity',
    /^(qty\.?|quantity|qty ?\/ ?hrs|menge|anzahl|anz\.?|qté|quantité|cantidad|cant\.?|quantità|quantidade|qtd\.?|q\.tà|aantal|ilość|antal|antall|hours|hrs|stunden|std\.?)$/i,
  ],
  ['unit', /^(unit|einheit|me|unité|unidad|eenheid|jm|uom|enhet)$/i],
  [
    'unitPrice',
    /^(unit price|unit cost|price|price each|price per unit|price ?\/ ?unit|each|rate|hourly rate|cost|ansatz|einzelpreis|einzel|e-preis|ep|preis|preis ?\/ ?einheit|stückpreis|prix unitaire|prix unit\.?|prix|pu|p\.u\.|precio|precio unitario|precio unit\.?|prezzo|prezzo unitario|preço|preço unitário|prijs|stuksprijs|cena|cena jedn\.?|à-pris|á-pris|pris)$/i,
  ],
  ['discount', /^(discount|rabatt|remise|descuento|sconto|desconto|korting)$/i],
  [
    'taxRate',
    /^(vat|vat ?%|tax|tax ?%|tax rate|gst|mwst\.?|mwst\.? ?%|ust\.?|ust\.? ?%|tva|iva|btw|moms|mva|vat rate|steuersatz|taux tva|%)$/i,
  ],
  [
    'amount',
    /^(amount|total|betrag|gesamt|gesamtpreis|gesamtbetrag|gp|summe|line total|total price|total amount|extended|ext\.? price|montant|prix total|importe|importe total|importo|totale|valor|valor total|bedrag|totaal|wartość|belopp|beløb|beløp|net amount|sum)$/i,
  ],
]

export interface Column {
  field: LineField | 'position'
  left: number
  right: number
}

/** Whether a row names the columns of a table of items. */
export function isTableHeader(row: Row): boolean {
  return isHeader(findColumns(row))
}

function isHeader(columns: readonly Column[]): boolean {
  const fields = new Set(columns.map(({ field }) => field))
  const figures = (['quantity', 'unitPrice', 'amount', 'taxRate'] as const).filter(field => fields.has(field)).length
  return figures >= 2 || (figures === 1 && fields.has('description'))
}

export function findColumns({ segments, words }: Row): Column[] {
  const bySegment = segments.flatMap(readSegment)
  return isHeader(bySegment) ? bySegment : splitNames(words).flatMap(name => name.column ?? [])
}

/** Names that stand close to each other, as a number's above right and its unit's above left, are one segment. */
function readSegment(segment: Segment): Column[] {
  const whole = matchColumn(segment.words)
  if (whole) return [whole]
  const names = splitNames(segment.words)
  return names.every(({ column }) => column) ? names.map(({ column }) => column!) : []
}

const MAX_WORDS = 3

/** The names in words, the longest ones first; a word that is of no name is alone. */
function splitNames(words: readonly Word[]): { column?: Column }[] {
  const names: { column?: Column }[] = []
  for (let at = 0; at < words.length; ) {
    const sizes = Array.from({ length: Math.min(MAX_WORDS, words.length - at) }, (_, size) => size + 1).reverse()
    const size = sizes.find(count => matchColumn(words.slice(at, at + count))) ?? 1
    const column = matchColumn(words.slice(at, at + size))
    names.push(column ? { column } : {})
    at += size
  }
  return names
}

/** What a name may end with: in which money, before or after tax. */
const SUFFIX =
  /\s*\(?(?:in )?(?:EUR|USD|GBP|CHF|SEK|NOK|DKK|PLN|CZK|€|\$|£|HT|H\.T\.|TTC|netto?|brutto|gross|(?:excl|incl|exkl|inkl|exc|inc|zzgl)\.? ?(?:VAT|tax|GST|MwSt\.?|USt\.?|TVA|btw|moms)?)\)?$/i

function matchColumn(words: readonly Word[]): Column | undefined {
  const text = words.map(word => word.text).join(' ')
  const plain = text.replace(/:$/, '').replace(SUFFIX, '').replace(SUFFIX, '')
  const column = COLUMNS.find(([, pattern]) => pattern.test(plain))
  return column && { field: column[0], left: words[0]!.box[0], right: words.at(-1)!.box[2] }
}
