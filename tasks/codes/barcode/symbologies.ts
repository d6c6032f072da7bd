import { Problem, type Warning } from '#kit'

interface Symbology {
  bcid: string
  isLinear: boolean
  /** The number of digits including the check digit, if that is computed as in EAN. */
  digits?: number
  /** Whether the encoder can add or verify a check digit. */
  hasCheck?: boolean
  /** Whether the encoder knows best what the bars say, because it adds check characters. */
  tellsCheck?: boolean
  options?: Record<string, string | number | boolean>
}

const linear = (bcid: string, rest: Partial<Symbology> = {}): Symbology => ({ bcid, isLinear: true, ...rest })
const matrix = (bcid: string, rest: Partial<Symbology> = {}): Symbology => ({ bcid, isLinear: false, ...rest })

export const SYMBOLOGIES = {
  code128: linear('code128'),
  code39: linear('code39', { hasCheck: true, tellsCheck: true }),
  code93: linear('code93', { options: { includecheck: true } }),
  ean13: linear('ean13', { digits: 13 }),
  ean8: linear('ean8', { digits: 8 }),
  upca: linear('upca', { digits: 12 }),
  upce: linear('upce', { tellsCheck: true }),
  isbn: linear('isbn'),
  itf14: linear('itf14', { digits: 14 }),
  'gs1-128': linear('gs1-128'),
  databar: linear('databaromni'),
  'databar-exp': linear('databarexpanded'),
  codabar: linear('rationalizedCodabar', { hasCheck: true, tellsCheck: true }),
  msi: linear('msi', { hasCheck: true, tellsCheck: true }),
  pharmacode: linear('pharmacode'),
  postnet: linear('postnet'),
  royalmail: linear('royalmail'),
  onecode: linear('onecode'),
  datamatrix: matrix('datamatrix'),
  gs1datamatrix: matrix('gs1datamatrix'),
  pdf417: matrix('pdf417'),
  micropdf417: matrix('micropdf417'),
  azteccode: matrix('azteccode'),
  maxicode: matrix('maxicode'),
  dotcode: matrix('dotcode'),
  hanxin: matrix('hanxin'),
  qrcode: matrix('qrcode'),
} as const satisfies Record<string, Symbology>

type SymbologyName = keyof typeof SYMBOLOGIES

export function findSymbology(type: string): Symbology {
  const names = Object.keys(SYMBOLOGIES)
  const name = names.find(name => name === type) ?? names.find(name => plainName(name) === plainName(type))
  if (name === undefined) throw new Problem('SYMBOLOGY_UNKNOWN', { given: type, allowed: names })
  return SYMBOLOGIES[name as SymbologyName]
}

/** `Code 128` and `EAN-13` are written so on paper. */
function plainName(name: string): string {
  return name.toLowerCase().replaceAll(/[\s_-]/g, '')
}

export function createCheckWarning(encodedText: string): Warning {
  return {
    code: 'CHECK_CHARACTER_ADDED',
    message: `A check character was added, so readers that do not check it read ${encodedText}; checkDigit auto omits it.`,
  }
}

/** Adds the check digit if it is missing, and verifies it if it is present. */
export function applyCheckDigit(
  text: string,
  { digits }: Symbology,
  checkDigit: 'auto' | 'add' | 'verify' | 'none',
): string {
  if (digits === undefined) return text
  const plain = text.replace(/[\s-]/g, '')
  if (!/^\d+$/.test(plain) || plain.length < digits - 1 || plain.length > digits) {
    throw new Problem('BARCODE_INVALID', { reason: `${digits - 1} or ${digits} digits are required` })
  }
  const body = plain.slice(0, digits - 1)
  const expected = computeCheckDigit(body)
  if (plain.length === digits - 1) {
    if (checkDigit === 'verify')
      throw new Problem('BARCODE_CHECKSUM', { expected, reason: 'the check digit is missing' })
    return `${body}${expected}`
  }
  if (plain.at(-1) !== expected) throw new Problem('BARCODE_CHECKSUM', { expected })
  return plain
}

/** Every second digit from the right counts three times; the check digit completes the sum to a multiple of ten. */
function computeCheckDigit(body: string): string {
  const sum = [...body].reverse().reduce((total, digit, index) => total + Number(digit) * (index % 2 === 0 ? 3 : 1), 0)
  return String((10 - (sum % 10)) % 10)
}
