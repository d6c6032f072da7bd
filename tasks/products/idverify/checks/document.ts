import type { Finding } from '../../../formats/identity/reasons.ts'
import type { ReadDocument } from '../reader.ts'

/** What a verification asks of a document. */
export interface Terms {
  documentTypes: readonly string[]
  countries: readonly string[]
  minAge?: number
}

/** The issuer of specimens in ICAO 9303, where XXX is a real one: persons of unspecified nationality. */
const SPECIMEN_STATE = 'UTO'

/** Whether the fields of a document can be relied on: its check digits are right, or a barcode has them. */
export function isReliable({ mrzValid, hasBarcode }: ReadDocument): boolean {
  return mrzValid === true || hasBarcode
}

/** Whether another document would have to be shown. */
export function checkAllowed({ type, issuingCountry }: ReadDocument, terms: Terms): Finding[] {
  const isType = terms.documentTypes.includes(type)
  const isCountry = terms.countries.length === 0 || terms.countries.includes(issuingCountry)
  return [
    isType
      ? { name: 'document_type', result: 'pass', detail: type }
      : { name: 'document_type', result: 'fail', detail: type, reason: 'DOC_TYPE_NOT_ALLOWED' },
    isCountry
      ? { name: 'issuing_country', result: 'pass', detail: issuingCountry }
      : { name: 'issuing_country', result: 'fail', detail: issuingCountry, reason: 'COUNTRY_NOT_ALLOWED' },
  ]
}

export function checkZone({ mrzValid, issuingCountry }: ReadDocument): Finding[] {
  const name = 'mrz_check_digits'
  const digits: Finding =
    mrzValid === null
      ? { name, result: 'skipped', detail: 'no machine readable zone' }
      : mrzValid
        ? { name, result: 'pass', detail: null }
        : { name, result: 'review', detail: 'some check digits are wrong', reason: 'MRZ_CHECKDIGIT' }
  if (issuingCountry !== SPECIMEN_STATE) return [digits]
  return [digits, { name: 'specimen', result: 'fail', detail: issuingCountry, reason: 'MRZ_SPECIMEN' }]
}

/** A document is valid on the day of its expiry. */
export function checkExpiry({ expiry }: ReadDocument, now: Date): Finding {
  if (!expiry) return { name: 'expiry', result: 'review', detail: 'no date of expiry was read' }
  const isOver = expiry < now.toISOString().slice(0, expiry.length)
  return isOver
    ? { name: 'expiry', result: 'fail', detail: expiry, reason: 'DOC_EXPIRED' }
    : { name: 'expiry', result: 'pass', detail: expiry }
}

/** The two places of a document that state the same, the zone and the barcode. */
export function checkAgreement({ mrzValid, hasBarcode, mismatches }: ReadDocument): Finding {
  const name = 'zone_and_barcode'
  if (mrzValid === null || !hasBarcode) return { name, result: 'skipped', detail: 'only one of them is there' }
  if (mismatches.length === 0) return { name, result: 'pass', detail: null }
  return { name, result: 'review', detail: `different: ${mismatches.join(', ')}`, reason: 'DATA_MISMATCH' }
}

const LEAST_PRINTED = 40
const ZONE_LINE = /<{2,}|^[A-Z0-9<]{28,}$/

/** Whether what the zone or the barcode says is printed on the front too. OCR errs, so a person looks at what is not found. */
export function checkPrinted(document: ReadDocument, text: string | undefined): Finding {
  const name = 'printed_data'
  const printed = fold(
    (text ?? '')
      .split('\n')
      .filter(line => !ZONE_LINE.test(line.replaceAll(' ', '')))
      .join(' '),
  )
  if (printed.length < LEAST_PRINTED) return { name, result: 'skipped', detail: 'too little text was read' }
  const facts = { lastName: document.lastName, number: document.number }
  const missing = Object.entries(facts).flatMap(([fact, text]) => (text && !printed.includes(fold(text)) ? [fact] : []))
  if (missing.length === 0) return { name, result: 'pass', detail: null }
  return { name, result: 'review', detail: `not found in print: ${missing.join(', ')}`, reason: 'DATA_MISMATCH' }
}

function fold(text: string): string {
  return text
    .normalize('NFD')
    .replaceAll(/[^\p{L}\d]/gu, '')
    .toUpperCase()
}
