/** How a document writes numbers, as far as it is known. */
export type DecimalMark = '.' | ','

export interface Amount {
  /** Such as `-1234.50`. */
  value: string
  raw: string
  /** Of a currency that stands beside the number. */
  currency?: string
}

const SYMBOLS: Record<string, string> = {
  '€': 'EUR',
  '£': 'GBP',
  '¥': 'JPY',
  '₹': 'INR',
  '₺': 'TRY',
  '₽': 'RUB',
  '₴': 'UAH',
  '₩': 'KRW',
  zł: 'PLN',
  Kč: 'CZK',
  'Fr.': 'CHF',
  $: 'USD',
}
export const CURRENCIES =
  'EUR|USD|GBP|CHF|JPY|CNY|INR|CAD|AUD|NZD|SEK|NOK|DKK|PLN|CZK|HUF|RON|BGN|TRY|UAH|RUB|BRL|MXN|ZAR|SGD|HKD|KRW|AED|ILS|THB'
export const CURRENCY = `(?:${CURRENCIES}|€|£|¥|₹|₺|₽|₴|₩|zł|Kč|Fr\\.|\\$)`
const SPACE = '[ \\u00a0\\u2009\\u202f]'
const DIGITS = `\\d{1,3}(?:(?:[.,'’]|${SPACE})\\d{3})+(?:[.,]\\d{1,4})?|\\d{1,15}(?:[.,]\\d{1,4})?`
/** An amount, with its sign before or after it, or in parentheses. */
const AMOUNT = new RegExp(
  `(?<![\\p{L}\\d.,/-])(?<open>\\()?(?<sign>[-−–+]${SPACE}?)?(?<before>${CURRENCY})?${SPACE}?(?<inner>[-−–])?(?<digits>${DIGITS})(?:,[-–—]{1,2})?(?<after>${SPACE}?${CURRENCY})?(?<trailing>${SPACE}?[-−–](?![\\p{L}\\d]))?(?<close>\\))?(?![\\p{L}\\d%]|[.,/:]\\d|${SPACE}?%)`,
  'gu',
)

/** The amounts of a text, in its order. A number must have a currency or decimals if `isStrict`. */
export function findAmounts(text: string, mark: DecimalMark | undefined, isStrict = true): Amount[] {
  return [...text.matchAll(AMOUNT)].flatMap(match => readAmount(match, mark, isStrict))
}

function readAmount(match: RegExpMatchArray, mark: DecimalMark | undefined, isStrict: boolean): Amount[] {
  const { open, close, sign, inner, before, after, trailing, digits } = match.groups as Record<
    string,
    string | undefined
  >
  const currency = readCurrency((before ?? after ?? '').trim())
  if (isStrict && !currency && !/[.,]\d{1,4}$/.test(digits!)) return []
  const isInParentheses = open !== undefined && close !== undefined
  const isNegative = isInParentheses || /[-−–]/.test([sign, inner, trailing].join(''))
  const value = parseNumber(digits!, mark)
  const signed = isNegative && /[1-9]/.test(value) ? `-${value}` : value
  return [{ value: signed, raw: match[0].trim(), ...(currency && { currency }) }]
}

function readCurrency(text: string): string | undefined {
  return SYMBOLS[text] ?? (new RegExp(`^(?:${CURRENCIES})$`).test(text) ? text : undefined)
}

/** The last mark is that of the decimals, unless it stands for thousands: three digits follow, or it stands twice. */
export function parseNumber(digits: string, mark: DecimalMark | undefined): string {
  const plain = digits.replaceAll(/['’ \u00a0\u2009\u202f]/g, '')
  const [, last, after = ''] = /([.,])(\d*)$/.exec(plain) ?? []
  if (last === undefined) return plain
  const isRepeated = plain.split(last).length > 2
  const isThousands =
    isRepeated || (after.length === 3 && last !== mark && !plain.startsWith('0') && !hasOther(plain, last))
  if (isThousands) return plain.replaceAll(/[.,]/g, '')
  const [whole, fraction] = [plain.slice(0, -after.length - 1), after]
  return `${whole.replaceAll(/[.,]/g, '') || '0'}.${fraction}`
}

function hasOther(text: string, mark: string): boolean {
  return text.includes(mark === '.' ? ',' : '.')
}

/** Which mark the amounts of a document have before their decimals. */
export function findDecimalMark(text: string): DecimalMark | undefined {
  const count = (mark: string) => text.match(new RegExp(`\\d\\${mark}\\d\\d(?![\\d.,])`, 'g'))?.length ?? 0
  const [dots, commas] = [count('.'), count(',')]
  return dots === commas ? undefined : dots > commas ? '.' : ','
}
