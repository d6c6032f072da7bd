import { Problem } from '#kit'

interface Symbol {
  bcid: string
  isLinear: boolean
  /** How many digits it has with its check digit, where that is reckoned as in EAN. */
  digits?: number
  /** Whether its check digit is added on request. */
  hasCheck?: boolean
  options?: Record<string, string | number | boolean>
}

const linear = (bcid: string, rest: Partial<Symbol> = {}): Symbol => ({ bcid, isLinear: true, ...rest })
const square = (bcid: string, rest: Partial<Symbol> = {}): Symbol => ({ bcid, isLinear: false, ...rest })

export const SYMBOLS = {
  code128: linear('code128'),
  code39: linear('code39', { hasCheck: true }),
  code93: linear('code93', { options: { includecheck: true } }),
  ean13: linear('ean13', { digits: 13 }),
  ean8: linear('ean8', { digits: 8 }),
  upca: linear('upca', { digits: 12 }),
  upce: linear('upce'),
  isbn: linear('isbn'),
  itf14: linear('itf14', { digits: 14 }),
  'gs1-128': linear('gs1-128'),
  databar: linear('databaromni'),
  'databar-exp': linear('databarexpanded'),
  codabar: linear('rationalizedCodabar', { hasCheck: true }),
  msi: linear('msi', { hasCheck: true }),
  pharmacode: linear('pharmacode'),
  postnet: linear('postnet'),
  royalmail: linear('royalmail'),
  onecode: linear('onecode'),
  datamatrix: square('datamatrix'),
  gs1datamatrix: square('gs1datamatrix'),
  pdf417: square('pdf417'),
  micropdf417: square('micropdf417'),
  azteccode: square('azteccode'),
  maxicode: square('maxicode'),
  dotcode: square('dotcode'),
  hanxin: square('hanxin'),
  qrcode: square('qrcode'),
} as const satisfies Record<string, Symbol>

export type SymbolName = keyof typeof SYMBOLS

export function symbolOf(type: string): Symbol {
  if (!Object.hasOwn(SYMBOLS, type))
    throw new Problem('SYMBOLOGY_UNKNOWN', { given: type, allowed: Object.keys(SYMBOLS) })
  const symbol: Symbol = SYMBOLS[type as SymbolName]
  return symbol
}

/** The text with its check digit: added where it is missing, compared where it stands. */
export function checkedText(text: string, { digits }: Symbol, checkDigit: 'auto' | 'verify' | 'none'): string {
  if (digits === undefined) return text
  const plain = text.replace(/[\s-]/g, '')
  if (!/^\d+$/.test(plain) || plain.length < digits - 1 || plain.length > digits) {
    throw new Problem('BARCODE_INVALID', { reason: `${digits - 1} or ${digits} digits are needed` })
  }
  const body = plain.slice(0, digits - 1)
  const expected = checkDigitOf(body)
  if (plain.length === digits - 1) {
    if (checkDigit === 'verify') throw new Problem('BARCODE_CHECKSUM', { expected, reason: 'there is no check digit' })
    return `${body}${expected}`
  }
  if (plain.at(-1) !== expected) throw new Problem('BARCODE_CHECKSUM', { expected })
  return plain
}

/** Three times every second digit from the right, and the rest to the next ten. */
function checkDigitOf(body: string): string {
  const sum = [...body].reverse().reduce((total, digit, index) => total + Number(digit) * (index % 2 === 0 ? 3 : 1), 0)
  return String((10 - (sum % 10)) % 10)
}
