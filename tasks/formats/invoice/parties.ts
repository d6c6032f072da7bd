import { isIban } from './iban.ts'
import { isTableHeader } from './items/columns.ts'
import { cutLabel, findKind, isLabelledNumber, isReference, type Label, startsWithLabel } from './labels.ts'
import { compact, type Found, type Party } from './model.ts'
import { amountsOf, type Reading } from './reader.ts'
import { heightOf, overlaps, type Row, type Segment } from './rows.ts'

const MAX_LINES = 8
/** Where the vendor is named, as a share of the page. */
const HEAD_SHARE = 0.4

export function findParties(reading: Reading): { vendor: Party; customer: Party } {
  const sender = findSender(reading)
  const customer = findBlock(reading, 'customer') ?? sender?.below
  const vendor =
    findBlock(reading, 'vendor') ?? sender?.block ?? findBeside(reading) ?? findHead(reading, customer ?? [])
  const isOfCustomer = (segment: Segment) => customer?.includes(segment) ?? false
  const segments = reading.rows.flatMap(row => row.segments)
  return {
    vendor: {
      ...describeBlock(reading, vendor),
      ...findIdentifiers(
        reading,
        segments.filter(segment => !isOfCustomer(segment)),
      ),
    },
    customer: customer ? { ...describeBlock(reading, customer), ...findIdentifiers(reading, customer, true) } : {},
  }
}

/** The lines that follow a label: on its right or below it. */
function findBlock(reading: Reading, label: Label & ('customer' | 'vendor')): Segment[] | undefined {
  for (const [index, { segments }] of reading.rows.entries()) {
    const start = segments.find(({ text }) => isBlockLabel(text, label) && !isReference(text))
    if (!start) continue
    const first = cutLabel(start.text, label) === '' ? [] : [start]
    const block = [...first, ...collectBelow(reading, index, start)]
    if (block.length > 0) return block
  }
  return undefined
}

/** A label alone, or with a colon before what it is for. */
function isBlockLabel(text: string, label: Label): boolean {
  const rest = cutLabel(text, label)
  return rest === '' || (rest !== undefined && /[:.]\s/.test(text))
}

/** In heights of a line. */
const LARGE_GAP = 1.6
const SENDER_GAP = 3

/** Lines below that begin where the first one does, without a large gap. */
function collectBelow(reading: Reading, index: number, start: Segment, firstGap = LARGE_GAP): Segment[] {
  const block: Segment[] = []
  let last = start
  for (const row of reading.rows.slice(index + 1)) {
    const below = row.segments.find(
      ({ box }) => overlaps(box, start.box) || Math.abs(box[0] - start.box[0]) < heightOf(start),
    )
    if (!below) continue
    const gap = block.length === 0 ? firstGap : LARGE_GAP
    const isFar = below.box[1] - last.box[3] > Math.max(heightOf(start), heightOf(below)) * gap
    if (
      isFar ||
      isTableHeader(row) ||
      isItem(reading, row, below) ||
      block.length === MAX_LINES ||
      isBlockLabel(below.text, 'customer') ||
      (startsWithLabel(below.text) && !TAX_LINE.test(below.text))
    )
      break
    block.push(below)
    last = below
  }
  return block
}

/** Whether a segment is of a row of a table: an amount ends it, or stands alone after it. */
function isItem(reading: Reading, { segments }: Row, segment: Segment): boolean {
  const next = segments[segments.indexOf(segment) + 1]
  const isAmount = next !== undefined && !/\p{L}{4}/u.test(next.text) && amountsOf(reading, next.text).length > 0
  return isAmount || amountsOf(reading, segment.text).length > 0
}

/** Between the parts of an address that is written in one line. */
const SEPARATOR = /\s*[·•|∙▪]\s*|\s+[-–—]\s+|\s*,\s+/
const MARK = /[·•|∙▪]|\s[-–—]\s/
/** Of four digits only before the name of a town, as years have four too. */
const POSTAL_CODE =
  /\b(?:[A-Z]{1,3}-)?\d{5,6}\b|\b(?:[A-Z]{1,3}-)?\d{4} (?:[A-Z]{2}\b|\p{Lu}\p{Ll})|\b[A-Z]{1,2}\d[A-Z\d]? \d[A-Z]{2}\b/u

/** The line in the window of an envelope that names the sender, and the address of the customer below it. */
function findSender(reading: Reading): { block: Segment[]; below?: Segment[] } | undefined {
  for (const [index, row] of reading.rows.entries()) {
    if (row.top > reading.page.height * HEAD_SHARE) return undefined
    const line = row.segments.find(({ text }) => isSenderLine(text))
    if (!line) continue
    const below = collectBelow(reading, index, line, SENDER_GAP)
    const isAddress = below.length >= 2 && below.some(({ text }) => POSTAL_CODE.test(text))
    if (isAddress) return { block: [line], below }
    // The address of a letterhead stands below a name and has commas.
    if (MARK.test(line.text)) return { block: [line] }
  }
  return undefined
}

function isSenderLine(text: string): boolean {
  const parts = text.split(SEPARATOR)
  return (
    !/\d/.test(parts[0]!) &&
    parts.length >= 3 &&
    parts.length <= 5 &&
    parts.slice(1).some(part => POSTAL_CODE.test(part)) &&
    !DETAIL.test(text)
  )
}

/** The address that stands beside the label of the customer's. */
function findBeside(reading: Reading): Segment[] | undefined {
  for (const [index, { segments }] of reading.rows.entries()) {
    if (!segments.some(({ text }) => cutLabel(text, 'customer') === '')) continue
    const name = segments.find(({ text }) => isName(reading, text))
    const block = name && [name, ...collectBelow(reading, index, name)]
    if (block && block.length > 2 && block.some(({ text }) => POSTAL_CODE.test(text))) return block
  }
  return undefined
}

/** Without a label, the vendor is named first. */
function findHead(reading: Reading, customer: readonly Segment[]): Segment[] {
  const { rows, page } = reading
  for (const [index, row] of rows.entries()) {
    if (row.top > page.height * HEAD_SHARE) return []
    const name = row.segments.find(segment => !customer.includes(segment) && isName(reading, segment.text))
    if (name) return [name, ...collectBelow(reading, index, name).filter(segment => !customer.includes(segment))]
  }
  return []
}

function isName(reading: Reading, text: string): boolean {
  const isPlain = /\p{L}{2}/u.test(text) && !/^[\d\s./:-]+$/.test(text) && text.length <= 80
  const isTitle = findKind(text) !== undefined && text.split(/\s+/).length <= 4
  return (
    isPlain &&
    !isTitle &&
    !startsWithLabel(text) &&
    !isLabelledNumber(text) &&
    !startsWithLabel(text, 'customer') &&
    amountsOf(reading, text).length === 0
  )
}

/** A number for tax, whose label may be that of a sum. */
const TAX_LINE =
  /^(?:VAT|tax|USt|St\.|N°|TVA|NIF|P\.? ?IVA|Btw)[\p{L} .°-]{0,20}[\s:.#]\s*[A-Z]{0,3} ?[A-Z0-9][A-Z0-9 ./-]{5,20}$/iu
const REGISTRATION =
  /\b(?:(?:Registration(?: no\.?| number)?|Register-Nr\.?|Company (?:no\.?|number)|Immatriculation|Registro|Registo|KvK-nr\.?|SIRET|SIREN)[\s:.]*([A-Z0-9][A-Z0-9 ./-]{2,30})|(HR[AB] ?\d{1,8}\b))/i
const DETAIL =
  /^\+\d|\bHR[AB] ?\d|\b(?:registration|register-nr|immatriculation|registro|registo|kvk-nr|nif|org\.? ?nr|cvr|ein|abn|gstin|nip|cif|btw|kvk|mva|moms|company (?:no|number))\b|@|\bwww\.|https?:|\b(tel|phone|fax|iban|bic|swift|vat|ust|tax|tva|iva|steuer|siret|siren|www|e-?mail)\b/i

const SALUTATION = /^(?:herrn?|frau|firma|mr\.?|mrs\.?|ms\.?|monsieur|madame|mme|m\.|sr\.?|sra\.?)$/i
const isDate = (text: string) => /^\W*\d{1,4}[./-]\d{1,2}[./-]\d{2,4}(?:\s|$)/.test(text)

function describeBlock({ place }: Reading, block: readonly Segment[]): Party {
  const [first, ...others] = SALUTATION.test(block[0]?.text ?? '') && block.length > 1 ? block.slice(1) : block
  if (!first) return {}
  const start = ['customer' as const, 'vendor' as const]
    .map(label => isBlockLabel(first.text, label) && cutLabel(first.text, label))
    .find(Boolean)
  const { name, rest } = splitAddress(start || first.text)
  const lines = others.filter(({ text }) => !DETAIL.test(text) && !isReference(text) && !isDate(text))
  const text = [...rest, ...lines.map(line => line.text)].join('\n')
  const words = [...(rest.length > 0 ? [first] : []), ...lines].flatMap(line => line.words)
  const address = text === '' ? undefined : { ...place(text, text, words, 0.75), raw: text }
  return compact({ name: place(name, name, first.words, 0.75), address })
}

/** A name may be followed by its address in the same line: the first part with a number begins it. */
function splitAddress(line: string): { name: string; rest: string[] } {
  const parts = line.split(SEPARATOR)
  const from = parts.findIndex((part, at) => at > 0 && /\d/.test(part))
  if (from < 0 || !POSTAL_CODE.test(line)) return { name: line, rest: [] }
  const start = line.indexOf(parts[from]!, parts.slice(0, from).join('').length)
  return { name: line.slice(0, start).replace(/[\s·•|∙▪,–—-]+$/, ''), rest: parts.slice(from) }
}

const VAT =
  /\b(?:ATU\d{8}|BE[01]\d{9}|BG\d{9,10}|CHE-?\d{3}\.?\d{3}\.?\d{3}(?: ?(?:MWST|TVA|IVA))?|CY\d{8}[A-Z]|CZ\d{8,10}|DE ?\d{3} ?\d{3} ?\d{3}|DK\d{8}|EE\d{9}|EL\d{9}|ES[A-Z0-9]\d{7}[A-Z0-9]|FI\d{8}|FR ?[A-Z0-9]{2} ?\d{9}|GB ?\d{3} ?\d{4} ?\d{2}|HR\d{11}|HU\d{8}|IE\d[A-Z0-9+*]\d{5}[A-Z]{1,2}|IT\d{11}|LT\d{9,12}|LU\d{8}|LV\d{11}|MT\d{8}|NL\d{9}B\d{2}|PL\d{10}|PT\d{9}|RO\d{2,10}|SE\d{12}|SI\d{8}|SK\d{10})\b/
const LABELLED_TAX =
  /\b(?:VAT(?: reg\.?)?(?: no\.?| number| ID)?|tax ID|EIN|ABN|GST(?:IN)?(?: no\.?)?|USt-?Id-?Nr\.?|Steuernummer|Steuer-Nr\.?|St\.-Nr\.|NIF|CIF|P\.? ?IVA|Partita IVA|NIP)[\s:.#]*([A-Z0-9][A-Z0-9 ./-]{5,18}\d[A-Z]?)(?![A-Z])/i
const IBAN = /\b[A-Z]{2}\d{2}(?: ?[A-Z0-9]{4}){2,7}(?: ?[A-Z0-9]{1,3})?\b/g
const BIC = /\b(?:BIC|SWIFT)(?:[ /-]?(?:code|BIC))?[\s:.]*([A-Z]{6}[A-Z0-9]{2}(?:[A-Z0-9]{3})?)\b/
const EMAIL = /[\w.+-]{1,64}@[\w-]{1,63}(?:\.[\w-]{2,63}){1,4}/
const PHONE = /\b(?:tel(?:efon|éfono|\.|ephone)?|phone|fon|mobile|téléphone)[\s:.]*(\+?[\d(][\d\s()/.-]{5,20}\d)/i
/** An international number without a label. */
const BARE_PHONE = /^\+\d[\d ()/.-]{6,20}\d$/
const URL = /\b(?:https?:\/\/|www\.)[\w-]{1,63}(?:\.[\w-]{2,63}){1,4}(?:\/[^\s]{0,100})?/i

function findIdentifiers(reading: Reading, segments: readonly Segment[], isCustomer = false): Party {
  const find = (parse: (text: string) => [value: string, raw: string] | undefined): Found | undefined => {
    for (const { text, words } of segments) {
      const parsed = parse(text)
      if (parsed) return reading.place(parsed[0], parsed[1], words, 0.95)
    }
    return undefined
  }
  const match =
    (pattern: RegExp, group = 0) =>
    (text: string): [string, string] | undefined => {
      const value = pattern.exec(text)?.[group]
      return value === undefined ? undefined : [value.trim(), value]
    }
  const taxId = find(match(VAT)) ?? find(match(LABELLED_TAX, 1))
  const registration = find(match(REGISTRATION, 1)) ?? find(match(REGISTRATION, 2))
  if (isCustomer) return compact({ taxId, registration, email: find(match(EMAIL)) })
  const iban = find(findIban)
  const country = iban?.value.slice(0, 2)
  return compact({
    taxId,
    registration,
    iban,
    bic: find(match(BIC, 1)) ?? (iban && find(match(new RegExp(`^[A-Z]{4}${country}[A-Z0-9]{2}(?:[A-Z0-9]{3})?$`)))),
    email: find(match(EMAIL)),
    phone: find(match(PHONE, 1)) ?? find(match(BARE_PHONE)),
    url: find(match(URL)),
  })
}

function findIban(text: string): [string, string] | undefined {
  for (const [raw] of text.matchAll(IBAN)) {
    const value = raw.replaceAll(' ', '')
    if (isIban(value)) return [value, raw]
  }
  return undefined
}
