/** What groups or ends the whole part of numbers in a text. */
type DecimalMark = '.' | ','

const SIGNED = /^([-+]?)(.*?)([-+]?)$/
const ANY_MARKS = /^(?:\d{1,3}(?:([.,' ])\d{3})(?:\1\d{3})*|\d+)(?:([.,])(\d+))?$/
const WITH_POINT = /^(\d{1,3}(?:([, '])\d{3})(?:\2\d{3})*|\d+)(?:\.(\d+))?$/
const WITH_COMMA = /^(\d{1,3}(?:([. '])\d{3})(?:\2\d{3})*|\d+)(?:,(\d+))?$/
const CURRENCY = /\p{Sc}|^(?:[A-Z]{3}|Fr\.?|kr\.?)(?=[\s\d(+-])|(?<=[\s\d)])(?:[A-Z]{3}|kr\.?|zł|Kč|Ft|lei)$/gu

/**
 * The decimal mark of the numbers of a table or a document, by those of them that leave no doubt. `1,234` alone is
 * doubtful, and counts as grouped if nothing else tells.
 */
export function findDecimalMark(texts: readonly string[]): DecimalMark {
  const balance = texts.reduce((sum, text) => sum + weighMark(strip(text)?.digits ?? ''), 0)
  return balance > 0 ? ',' : '.'
}

/** 1 for a number whose decimal mark must be a comma, -1 for a point, 0 if it may be either. */
function weighMark(digits: string): number {
  const marks = [...digits.matchAll(/[.,]/g)].map(([mark]) => mark)
  const last = marks.at(-1)
  if (!last || !ANY_MARKS.test(digits)) return 0
  const decimals = digits.length - digits.lastIndexOf(last) - 1
  const isGrouping = marks.length > 1 && marks.every(mark => mark === last)
  if (!isGrouping && decimals === 3 && marks.length === 1) return 0
  return (last === ',') === isGrouping ? -1 : 1
}

/**
 * The number that a text shows, as a plain decimal such as `-1234.50`; nothing if the text is no number. Parentheses or a
 * minus sign on either side make it negative; signs of currencies and per cent are left out.
 */
export function parseLocalNumber(text: string, decimal: DecimalMark): string | undefined {
  const bare = strip(text)
  if (!bare) return undefined
  const { digits, isNegative } = bare
  const found = (decimal === ',' ? WITH_COMMA : WITH_POINT).exec(digits)
  if (!found) return undefined
  const [, groups = '', , fraction] = found
  const whole = groups.replaceAll(/\D/g, '')
  // A leading zero belongs to a code or a phone number.
  if (/^0\d/.test(whole)) return undefined
  const plain = fraction === undefined ? whole : `${whole}.${fraction}`
  return isNegative && /[1-9]/.test(plain) ? `-${plain}` : plain
}

function strip(text: string): { digits: string; isNegative: boolean } | undefined {
  const spaced = text.replaceAll(/[\s\u00a0\u2000-\u200b\u202f\u205f]+/g, ' ').trim()
  const plain = spaced.replaceAll(/[\u2212\u2012\u2013\u2014]/g, '-').replaceAll(/[\u2019´`]/g, "'")
  const bare = plain
    .replaceAll(CURRENCY, '')
    .replace(/\s*[%‰]$/, '')
    .trim()
  const inside = /^\(\s*(.*?)\s*\)$/.exec(bare)?.[1]
  const [, before = '', digits = '', after = ''] = SIGNED.exec((inside ?? bare).replaceAll(CURRENCY, '').trim()) ?? []
  const trimmed = digits.trim()
  if (!/^\d/.test(trimmed) && !/^[.,]\d/.test(trimmed)) return undefined
  const isNegative = inside !== undefined || before === '-' || after === '-'
  return { digits: /^[.,]/.test(trimmed) ? `0${trimmed}` : trimmed, isNegative }
}
