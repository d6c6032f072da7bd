import type { LANGUAGES } from './input.ts'

const NAMES = [
  ...(['invoice', 'credit-note', 'quote', 'receipt', 'pro-forma', 'number', 'date', 'due', 'delivery'] as const),
  ...(['reference', 'order', 'corrects', 'billTo', 'taxId', 'registration', 'item', 'quantity', 'price'] as const),
  ...(['discount', 'tax', 'amount', 'subtotal', 'shipping', 'net', 'rounding', 'total', 'paid', 'toPay'] as const),
  ...(['terms', 'bank', 'account', 'scan', 'page', 'of'] as const),
] as const
type Name = (typeof NAMES)[number]
export type Labels = Record<Name, string>

/** In the order of the names. */
const TEXTS: Record<(typeof LANGUAGES)[number], string> = {
  en:
    'Invoice|Credit note|Quote|Receipt|Pro forma invoice|Number|Date|Due|Delivery|Your reference|Order|Corrects|' +
    'Bill to|Tax ID|Registration|Description|Quantity|Price|Discount|Tax|Amount|Subtotal|Shipping|Net|Rounding|Total|Paid|' +
    'Amount due|Terms|Bank details|Account|Scan to pay|Page|of',
  de:
    'Rechnung|Gutschrift|Angebot|Quittung|Proforma-Rechnung|Nummer|Datum|Fällig|Lieferung|Ihr Zeichen|Bestellung|Zu|' +
    'Rechnung an|USt-IdNr.|Register-Nr.|Beschreibung|Menge|Preis|Rabatt|USt.|Betrag|Zwischensumme|Versand|Netto|Rundung|' +
    'Gesamt|Bezahlt|Zu zahlen|Bedingungen|Bankverbindung|Konto|Zum Zahlen scannen|Seite|von',
  fr:
    'Facture|Avoir|Devis|Reçu|Facture pro forma|Numéro|Date|Échéance|Livraison|Votre référence|Commande|Corrige|' +
    'Facturé à|N° TVA|Immatriculation|Désignation|Quantité|Prix|Remise|TVA|Montant|Sous-total|Livraison|Total HT|Arrondi|' +
    'Total|Payé|Net à payer|Conditions|Coordonnées bancaires|Compte|Scanner pour payer|Page|sur',
  es:
    'Factura|Factura rectificativa|Presupuesto|Recibo|Factura proforma|Número|Fecha|Vencimiento|Entrega|Su referencia|' +
    'Pedido|Rectifica|Facturar a|NIF|Registro|Descripción|Cantidad|Precio|Descuento|IVA|Importe|Subtotal|Envío|' +
    'Base imponible|Redondeo|Total|Pagado|A pagar|Condiciones|Datos bancarios|Cuenta|Escanear para pagar|Página|de',
  it:
    'Fattura|Nota di credito|Preventivo|Ricevuta|Fattura proforma|Numero|Data|Scadenza|Consegna|Vostro riferimento|Ordine|' +
    'Rettifica|Intestata a|P. IVA|Registro|Descrizione|Quantità|Prezzo|Sconto|IVA|Importo|Subtotale|Spedizione|Imponibile|' +
    'Arrotondamento|Totale|Pagato|Da pagare|Condizioni|Coordinate bancarie|Conto|Scansiona per pagare|Pagina|di',
  nl:
    'Factuur|Creditfactuur|Offerte|Kwitantie|Pro-formafactuur|Nummer|Datum|Vervaldatum|Levering|Uw kenmerk|Bestelling|' +
    'Corrigeert|Factuur aan|Btw-nr.|KvK-nr.|Omschrijving|Aantal|Prijs|Korting|Btw|Bedrag|Subtotaal|Verzending|Netto|' +
    'Afronding|Totaal|Betaald|Te betalen|Voorwaarden|Bankgegevens|Rekening|Scan om te betalen|Pagina|van',
  pt:
    'Fatura|Nota de crédito|Orçamento|Recibo|Fatura pró-forma|Número|Data|Vencimento|Entrega|Sua referência|Encomenda|' +
    'Retifica|Faturado a|NIF|Registo|Descrição|Quantidade|Preço|Desconto|IVA|Valor|Subtotal|Envio|Valor líquido|' +
    'Arredondamento|Total|Pago|A pagar|Condições|Dados bancários|Conta|Digitalizar para pagar|Página|de',
}

export function findLabels(language: (typeof LANGUAGES)[number]): Labels {
  const texts = TEXTS[language].split('|')
  return Object.fromEntries(NAMES.map((name, index) => [name, texts[index]])) as Labels
}
