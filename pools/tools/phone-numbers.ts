import {
  type CountryCode,
  isSupportedCountry,
  ParseError,
  type PhoneNumber,
  type PhoneNumberType,
  parsePhoneNumberWithError,
  searchPhoneNumbersInText,
  validatePhoneNumberLength,
} from 'libphonenumber-js/max'
import { Problem } from '#kit'

// Decision 0691: read phone numbers with `libphonenumber-js`.

export function bind() {
  return { readEach, find }
}

interface Reading {
  input: string
  valid: boolean
  possible: boolean
  reason?: Reason
  e164?: string
  international?: string
  national?: string
  uri?: string
  country?: string
  callingCode?: string
  type?: (typeof TYPES)[PhoneNumberType]
  extension?: string
}

type Reason = (typeof REASONS)[keyof typeof REASONS] | 'country-missing' | 'not-assigned'

interface Found extends Reading {
  /** In UTF-16 code units. */
  index: number
  line: number
}

interface SearchOptions {
  country?: string
  limit: number
}

async function readEach(numbers: readonly string[], { country }: { country?: string }): Promise<Reading[]> {
  const defaultCountry = resolveCountry(country)
  return numbers.map(number => read(number, defaultCountry))
}

/** The valid numbers of a text. */
async function find(
  text: string,
  { country, limit }: SearchOptions,
): Promise<{ numbers: Found[]; truncated: boolean }> {
  const defaultCountry = resolveCountry(country)
  const numbers: Found[] = []
  let start = 0
  for (const [at, line] of text.split('\n').entries()) {
    for (const { startsAt, endsAt, number } of searchPhoneNumbersInText(line, { defaultCountry })) {
      if (isPartOfFigures(line, startsAt, endsAt) || DATE.test(line.slice(startsAt, endsAt))) continue
      if (numbers.length === limit) return { numbers, truncated: true }
      numbers.push({ ...describe(line.slice(startsAt, endsAt), number), index: start + startsAt, line: at + 1 })
    }
    start += line.length + 1
  }
  return { numbers, truncated: false }
}

/** A date, or a number that begins with one, as those of orders do. */
const DATE =
  /^(?:(?:19|20)\d\d([-./])(?:0?[1-9]|1[0-2])\1(?:0?[1-9]|[12]\d|3[01])(?!\d)|(?:0?[1-9]|[12]\d|3[01])([-./])(?:0?[1-9]|1[0-2])\2(?:19|20)\d\d$)/

/** Such as the year and the hour of a date, which the library takes for a number if they happen to be one. */
function isPartOfFigures(line: string, start: number, end: number): boolean {
  return /\d[.,:/-]$/.test(line.slice(Math.max(0, start - 2), start)) || /^[.,:/-]\d/.test(line.slice(end, end + 2))
}

const REASONS = {
  NOT_A_NUMBER: 'not-a-number',
  INVALID_COUNTRY: 'calling-code-unknown',
  TOO_SHORT: 'too-short',
  TOO_LONG: 'too-long',
  INVALID_LENGTH: 'wrong-length',
} as const

const TYPES = {
  FIXED_LINE: 'fixed-line',
  MOBILE: 'mobile',
  FIXED_LINE_OR_MOBILE: 'fixed-line-or-mobile',
  TOLL_FREE: 'toll-free',
  PREMIUM_RATE: 'premium-rate',
  SHARED_COST: 'shared-cost',
  VOIP: 'voip',
  PERSONAL_NUMBER: 'personal-number',
  PAGER: 'pager',
  UAN: 'company-number',
  VOICEMAIL: 'voicemail',
} as const

function resolveCountry(country: string | undefined): CountryCode | undefined {
  if (country === undefined) return undefined
  const code = country.toUpperCase()
  if (isSupportedCountry(code)) return code
  const hint =
    code === 'UK' ? 'GB, the code of the United Kingdom' : 'a code of ISO 3166-1 with two letters, such as US'
  throw new Problem('INVALID_PARAM', { field: 'country', allowed: hint })
}

function read(input: string, defaultCountry: CountryCode | undefined): Reading {
  const text = normalize(input, defaultCountry)
  const options = { defaultCountry, extract: false }
  try {
    const number = parsePhoneNumberWithError(text, options)
    if (number.isPossible()) return describe(input, number)
    const length = validatePhoneNumberLength(text, options) ?? 'INVALID_LENGTH'
    return { input, valid: false, possible: false, reason: REASONS[length] }
  } catch (error) {
    if (!(error instanceof ParseError)) throw error
    const isWithoutCountry = error.message === 'INVALID_COUNTRY' && !text.startsWith('+')
    const reason = isWithoutCountry ? 'country-missing' : REASONS[error.message as keyof typeof REASONS]
    return { input, valid: false, possible: false, reason }
  }
}

/** Makes ways of writing plain that the library does not know: links, wide signs, and 00 where no country has its own. */
function normalize(input: string, defaultCountry: CountryCode | undefined): string {
  const plain = input
    .normalize('NFKC')
    .trim()
    .replace(/^tel:/i, '')
    .replace(/;ext=(\d+).*$/i, ' ext. $1')
  return defaultCountry === undefined ? plain.replace(/^00/, '+') : plain
}

function describe(input: string, number: PhoneNumber): Reading {
  const type = number.getType()
  const isValid = number.isValid()
  return {
    input,
    valid: isValid,
    possible: true,
    ...(!isValid && { reason: 'not-assigned' as const }),
    e164: number.number,
    international: number.formatInternational(),
    national: number.formatNational(),
    uri: number.getURI(),
    ...(number.country && { country: number.country }),
    callingCode: number.countryCallingCode,
    ...(type && { type: TYPES[type] }),
    ...(number.ext && { extension: number.ext }),
  }
}
