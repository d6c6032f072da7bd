/** A value of a format in a text. */
export interface Match {
  /** What becomes of it in the result. */
  value: string
  quote: string
  start: number
}

interface Format {
  pattern: RegExp
  /** Undefined if it only looks like one. */
  read?(quote: string): string | undefined
}

const MONTHS = 'jan feb mar apr may jun jul aug sep oct nov dec'.split(' ')
const MONTH = '(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*\\.?'

const CODE = 'USD|EUR|GBP|CHF|JPY|CAD|AUD|SEK|NOK|DKK|PLN'
const AMOUNT = "\\d{1,3}(?:[.,' ]?\\d{3}){0,5}(?:[.,]\\d{1,3})?"
const CURRENCY_FIRST = `(?:[$€£¥]|\\b(?:${CODE})) ?-?${AMOUNT}(?![\\d])`
/** Parentheses, or a minus sign before the currency, belong to the amount. */
const BEFORE_AMOUNT = `\\(${CURRENCY_FIRST}\\)|(?:(?<![\\p{L}\\p{N}])[-\\u2212] ?)?${CURRENCY_FIRST}`
const AFTER_AMOUNT = `(?<![\\w.,])[-\\u2212]?${AMOUNT} ?(?:[$€£¥]|(?:${CODE})\\b)`

/** The formats that are found without a model. */
const FORMATS: Record<string, Format> = {
  email: { pattern: /[A-Za-z0-9][\w.+-]{0,63}@[A-Za-z0-9-]{1,63}(?:\.[A-Za-z0-9-]{1,63}){0,4}\.[A-Za-z]{2,24}/g },
  uri: { pattern: /\bhttps?:\/\/[^\s<>"'`\]}]{1,2000}/g, read: cutAddress },
  phone: {
    pattern: /(?<![\w.-])(?:\+|00)?\(?\d[\d ()./-]{5,22}\d(?![\w-])/g,
    read: quote => (isPhone(quote) ? quote : undefined),
  },
  date: {
    pattern: new RegExp(
      `\\b\\d{4}-\\d{2}-\\d{2}\\b|\\b\\d{1,2}[./]\\d{1,2}[./]\\d{4}\\b|\\b\\d{1,2}(?:st|nd|rd|th)? ${MONTH} \\d{4}\\b|\\b${MONTH} \\d{1,2}(?:st|nd|rd|th)?,? \\d{4}\\b`,
      'gi',
    ),
    read: readDate,
  },
  iban: { pattern: /\b[A-Z]{2}\d{2}(?: ?[A-Z0-9]{4}){2,7}(?: ?[A-Z0-9]{1,3})?\b/g, read: readIban },
  ipv4: { pattern: /(?<![\d.])(?:(?:25[0-5]|2[0-4]\d|1?\d?\d)\.){3}(?:25[0-5]|2[0-4]\d|1?\d?\d)(?!\.?\d)/g },
  uuid: { pattern: /\b[\da-fA-F]{8}(?:-[\da-fA-F]{4}){3}-[\da-fA-F]{12}\b/g },
  currency: { pattern: new RegExp(`${BEFORE_AMOUNT}|${AFTER_AMOUNT}`, 'gu') },
}

export const EXTRACT_FORMATS = Object.keys(FORMATS)

export function findByFormat(text: string, format: string): Match[] {
  const { pattern, read } = FORMATS[format]!
  return [...text.matchAll(pattern)].flatMap(({ 0: found, index }) => {
    const value = read ? read(found) : found
    if (value === undefined) return []
    const quote = found.startsWith(value) ? value : found
    return [{ value, quote, start: index }]
  })
}

/** A bracket belongs to an address if the one that opens it does; marks at the end belong to the sentence. */
function cutAddress(quote: string): string {
  let depth = 0
  let end = 0
  for (; end < quote.length; end++) {
    if (quote[end] === '(') depth += 1
    if (quote[end] === ')' && --depth < 0) break
  }
  return quote.slice(0, end).replace(/[.,;:!?]+$/, '')
}

function isPhone(quote: string): boolean {
  const digits = quote.replaceAll(/\D/g, '')
  if (digits.length < 7 || digits.length > 15) return false
  if (/^\d{4}[-./]\d{1,2}[-./]\d{1,2}$|^\d{1,2}[./]\d{1,2}[./]\d{4}$|^\d+(?:\.\d+){2,}$/.test(quote)) return false
  return /^(?:\+|00|0|\()/.test(quote) || /[ ()/-]/.test(quote)
}

/** As ISO 8601. Of 03/04/2026 nobody knows which is the day. */
function readDate(quote: string): string | undefined {
  const iso = /^(\d{4})-(\d{2})-(\d{2})$/.exec(quote)
  if (iso) return formatDate(Number(iso[1]), Number(iso[2]), Number(iso[3]))
  const numbers = /^(\d{1,2})([./])(\d{1,2})\2(\d{4})$/.exec(quote)
  if (numbers) {
    const [first, second, year] = [Number(numbers[1]), Number(numbers[3]), Number(numbers[4])]
    if (numbers[2] === '.' || first > 12) return formatDate(year, second, first)
    return second > 12 ? formatDate(year, first, second) : undefined
  }
  const month = MONTHS.indexOf(/[a-z]{3}/i.exec(quote.replaceAll(/\d+(?:st|nd|rd|th)/gi, ''))![0].toLowerCase()) + 1
  const year = Number(/\d{4}/.exec(quote)![0])
  return formatDate(year, month, Number(/\b\d{1,2}(?!\d)/.exec(quote)![0]))
}

function formatDate(year: number, month: number, day: number): string | undefined {
  const date = new Date(Date.UTC(year, month - 1, day))
  const isReal = date.getUTCMonth() === month - 1 && date.getUTCDate() === day
  return isReal ? date.toISOString().slice(0, 10) : undefined
}

/** Its check digits tell it from other numbers. */
function readIban(quote: string): string | undefined {
  const iban = quote.replaceAll(' ', '')
  if (iban.length < 15 || iban.length > 34) return undefined
  const digits = [...(iban.slice(4) + iban.slice(0, 4))].map(character => Number.parseInt(character, 36)).join('')
  let rest = 0
  for (const digit of digits) rest = (rest * 10 + Number(digit)) % 97
  return rest === 1 ? iban : undefined
}

const TIME = '([01]\\d|2[0-3]):[0-5]\\d:([0-5]\\d|60)(\\.\\d+)?(Z|[+-]\\d{2}:\\d{2})'
const DATE_TIME = new RegExp(`^\\d{4}-\\d{2}-\\d{2}T${TIME}$`, 'i')

/** Whether a whole text is a value of a format. Formats that are not known here are not judged. */
export function isOfFormat(text: string, format: string): boolean {
  if (format === 'uri') return URL.canParse(text)
  if (format === 'time') return new RegExp(`^${TIME}$`, 'i').test(text)
  if (format === 'date-time') return DATE_TIME.test(text) && !Number.isNaN(Date.parse(text.replace(/:60/, ':59')))
  if (!Object.hasOwn(FORMATS, format)) return true
  return findByFormat(text, format).some(({ value, quote }) => quote === text || value === text)
}
