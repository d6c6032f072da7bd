const MINUS = /[-\u2212]/
const FIRST_NUMBER = /(?:\d[\d.,'’ \u00a0\u202f]*|[.,]\d+)(?:[eE][-+]?\d{1,3}(?![\w.]))?/
const GROUPED = { '.': /^[1-9]\d{0,2}(?:\.\d{3})+$/, ',': /^[1-9]\d{0,2}(?:,\d{3})+$/ }

interface Reading {
  allowsFraction: boolean
  /** The decimal mark of the other numbers of the text. */
  decimal: '.' | ','
}

/**
 * The first number of a text. 1,234.50 and 1.234,50 are the same; of 1.234 and 1,234 the other numbers of the text tell
 * which has decimals. A minus sign on either side, or parentheses, make it negative. What a double cannot hold is left out.
 */
export function readNumber(text: string, { allowsFraction, decimal }: Reading): number | undefined {
  const found = FIRST_NUMBER.exec(text)
  if (!found) return undefined
  const written = found[0].replaceAll(/['’ \u00a0\u202f]/g, '').replace(/[.,]+$/, '')
  const [mantissa = '', exponent] = written.split(/[eE]/)
  const plain = toPlain(mantissa, decimal)
  if (plain === undefined) return undefined
  const size = Number(exponent === undefined ? plain : `${plain}e${exponent}`)
  const isLost = Number.isInteger(size) && !Number.isSafeInteger(size)
  if (!Number.isFinite(size) || isLost || !(allowsFraction || Number.isInteger(size))) return undefined
  return isNegative(text, found.index, found.index + found[0].length) && size !== 0 ? -size : size
}

function toPlain(digits: string, decimal: Reading['decimal']): string | undefined {
  const marks = [...new Set(digits.match(/[.,]/g))]
  if (marks.length === 0) return digits
  if (marks.length === 2) {
    const last = digits.lastIndexOf('.') > digits.lastIndexOf(',') ? '.' : ','
    return putPoint(digits.replaceAll(last === '.' ? ',' : '.', ''), last)
  }
  const mark = marks[0] as Reading['decimal']
  const isGrouped =
    GROUPED[mark].test(digits) && (mark !== decimal || digits.indexOf(mark) !== digits.lastIndexOf(mark))
  return isGrouped ? digits.replaceAll(mark, '') : putPoint(digits, mark)
}

function putPoint(digits: string, mark: string): string | undefined {
  const parts = digits.split(mark)
  return parts.length === 2 ? parts.join('.') : undefined
}

/** The sign of a currency may stand between the minus sign and the number. */
function isNegative(text: string, start: number, end: number): boolean {
  const [before, after] = [text.slice(0, start), text.slice(end)]
  const sign = /(?:^|[^\p{L}\p{N}])([-\u2212])\s?(?:\p{Sc}|[A-Z]{3})?\s?$/u.exec(before)?.[1]
  if (sign !== undefined) return true
  if (/\(\s?(?:\p{Sc}|[A-Z]{3})?\s?$/u.test(before) && /^\s?(?:\p{Sc}|[A-Z]{3})?\s?\)/u.test(after)) return true
  return MINUS.test(after.slice(0, 1)) && !/^.\s?[\p{L}\p{N}]/u.test(after)
}
