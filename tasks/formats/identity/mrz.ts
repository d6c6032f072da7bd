import { isChecked } from './check-digit.ts'

type MrzFormat = 'TD1' | 'TD2' | 'TD3' | 'MRVA' | 'MRVB'

export interface Mrz {
  format: MrzFormat
  lines: string[]
  /** The code of the document, such as `P` or `ID`. */
  code: string
  issuer: string
  nationality: string
  lastName: string
  firstName: string
  /** The names fill their field, so that some of them may be missing. */
  isNameFull: boolean
  documentNumber: string
  personalNumber: string
  /** Six digits, the year first; fillers stand for what is not known. */
  birth: string
  expiry: string
  sex: string
  checks: Record<string, boolean>
}

const SHAPES: Record<MrzFormat, { lines: number; length: number; first: RegExp }> = {
  TD1: { lines: 3, length: 30, first: /^[ACI]/ },
  TD2: { lines: 2, length: 36, first: /^[ACIP]/ },
  TD3: { lines: 2, length: 44, first: /^P/ },
  MRVA: { lines: 2, length: 44, first: /^V/ },
  MRVB: { lines: 2, length: 36, first: /^V/ },
}
/** How many characters of a line OCR may have added or lost among the fillers. */
const MAX_LOST = 6

/** Finds the machine readable zone among the lines of a document: the one with the most valid check digits. */
export function findMrz(texts: readonly string[]): { mrz: Mrz; first: number } | undefined {
  const lines = texts.map(normalize)
  let best: { mrz: Mrz; first: number } | undefined
  for (const first of lines.keys())
    for (const format of Object.keys(SHAPES) as MrzFormat[]) {
      const mrz = readAt(lines, first, format)
      if (mrz && (!best || countValid(mrz) > countValid(best.mrz))) best = { mrz, first }
    }
  return best && countValid(best.mrz) >= 2 ? best : undefined
}

export function countValid({ checks }: Mrz): number {
  return Object.values(checks).filter(Boolean).length
}

export function isValidMrz({ checks }: Mrz): boolean {
  return Object.values(checks).every(Boolean)
}

/** OCR takes fillers for quotation marks or small letters, and reads spaces between characters. */
function normalize(text: string): string {
  return text
    .replaceAll(/[«‹≪〈(ck]/g, '<')
    .toUpperCase()
    .replaceAll(/[^A-Z0-9<]/g, '')
}

function readAt(lines: readonly string[], first: number, format: MrzFormat): Mrz | undefined {
  const { lines: count, length, first: start } = SHAPES[format]
  const given = lines.slice(first, first + count)
  if (given.length < count || !start.test(given[0]!) || !given.some(line => line.includes('<'))) return undefined
  const read = (lines: string[]) => (format === 'TD1' ? readThree(lines) : readTwo(lines, format))
  const fitted = given.map(line => fitLength(line, length))
  const plain = fitted.every(line => line !== undefined) ? read(fitted) : undefined
  if (plain && isValidMrz(plain)) return plain
  return [plain, ...dropOneCharacter(given, fitted, length).map(read)].reduce(chooseBetter, undefined)
}

/** OCR may see a character twice: the lines without each one of the second line, which has most of the check digits. */
function dropOneCharacter(
  given: readonly string[],
  fitted: readonly (string | undefined)[],
  length: number,
): string[][] {
  const second = given[1]!
  const others = fitted.filter((line, index) => index !== 1 && line !== undefined) as string[]
  if (second.length !== length + 1 || others.length < given.length - 1) return []
  const shorter = [...second].map((_, index) => second.slice(0, index) + second.slice(index + 1))
  return shorter.map(line => [others[0]!, line, ...others.slice(1)])
}

function chooseBetter(one: Mrz | undefined, other: Mrz | undefined): Mrz | undefined {
  return other && (!one || countValid(other) > countValid(one)) ? other : one
}

/** Adds or removes fillers where most of them are. */
function fitLength(line: string, length: number): string | undefined {
  const missing = length - line.length
  if (Math.abs(missing) > MAX_LOST) return undefined
  if (missing === 0) return line
  const runs = [...line.matchAll(/<+/g)].sort((one, other) => other[0].length - one[0].length)
  const [run] = runs
  if (!run || run[0].length + missing < 1) return undefined
  return line.slice(0, run.index) + '<'.repeat(run[0].length + missing) + line.slice(run.index + run[0].length)
}

const TO_DIGIT: Record<string, string> = {
  O: '0',
  Q: '0',
  D: '0',
  I: '1',
  L: '1',
  Z: '2',
  S: '5',
  G: '6',
  T: '7',
  B: '8',
}
const TO_LETTER: Record<string, string> = { '0': 'O', '1': 'I', '2': 'Z', '5': 'S', '6': 'G', '8': 'B' }
const digits = (text: string) => text.replaceAll(/[A-Z]/g, letter => TO_DIGIT[letter] ?? letter)
const letters = (text: string) => text.replaceAll(/\d/g, digit => TO_LETTER[digit] ?? digit)

function readTwo([upper, lower]: string[], format: MrzFormat): Mrz {
  const isVisa = format === 'MRVA' || format === 'MRVB'
  const end = SHAPES[format].length
  const hasPersonal = format === 'TD3'
  const optional = lower!.slice(28, isVisa ? end : hasPersonal ? end - 2 : end - 1)
  const number = readNumber(lower!.slice(0, 9), lower!.charAt(9), optional)
  const [birth, birthDigit] = [digits(lower!.slice(13, 19)), digits(lower!.charAt(19))]
  const [expiry, expiryDigit] = [digits(lower!.slice(21, 27)), digits(lower!.charAt(27))]
  const covered = lower!.slice(0, 9) + digits(lower!.charAt(9)) + birth + birthDigit + expiry + expiryDigit
  const rest = lower!.slice(28, end - 1)
  return {
    ...{ format, lines: [upper!, lower!], code: upper!.slice(0, 2), issuer: letters(upper!.slice(2, 5)) },
    ...readNames(upper!.slice(5)),
    ...{ nationality: letters(lower!.slice(10, 13)), birth, expiry, sex: lower!.charAt(20) },
    ...{ documentNumber: number.value, personalNumber: trimFillers(number.isLong ? '' : optional) },
    checks: {
      ...{ documentNumber: number.isValid, dateOfBirth: isChecked(birth, birthDigit) },
      dateOfExpiry: isChecked(expiry, expiryDigit),
      ...(hasPersonal && { personalNumber: isChecked(optional, digits(lower!.charAt(42))) }),
      ...(!isVisa && { composite: isComposite(covered, rest, lower!.charAt(end - 1)) }),
    },
  }
}

function readThree([upper, middle, lower]: string[]): Mrz {
  const number = readNumber(upper!.slice(5, 14), upper!.charAt(14), upper!.slice(15, 30))
  const [birth, birthDigit] = [digits(middle!.slice(0, 6)), digits(middle!.charAt(6))]
  const [expiry, expiryDigit] = [digits(middle!.slice(8, 14)), digits(middle!.charAt(14))]
  const optional = middle!.slice(18, 29)
  const covered = upper!.slice(5, 14) + (number.isLong ? '<' : digits(upper!.charAt(14))) + upper!.slice(15, 30)
  const composite = isComposite(covered + birth + birthDigit + expiry + expiryDigit, optional, middle!.charAt(29))
  return {
    ...{
      format: 'TD1',
      lines: [upper!, middle!, lower!],
      code: upper!.slice(0, 2),
      issuer: letters(upper!.slice(2, 5)),
    },
    ...readNames(lower!),
    ...{ nationality: letters(middle!.slice(15, 18)), birth, expiry, sex: middle!.charAt(7) },
    documentNumber: number.value,
    personalNumber: trimFillers(number.isLong ? optional : upper!.slice(15, 30)) || trimFillers(optional),
    checks: {
      ...{ documentNumber: number.isValid, dateOfBirth: isChecked(birth, birthDigit) },
      ...{ dateOfExpiry: isChecked(expiry, expiryDigit), composite },
    },
  }
}

function isComposite(covered: string, rest: string, digit: string): boolean {
  return isChecked(covered + rest, digits(digit))
}

/** A number of more than nine characters goes on in the optional data, with its check digit at the end. */
function readNumber(
  start: string,
  digit: string,
  optional: string,
): { value: string; isValid: boolean; isLong: boolean } {
  const [more] = /^[A-Z0-9]+/.exec(optional) ?? []
  if (digit === '<' && !start.includes('<') && more && more.length > 1) {
    const value = start + more.slice(0, -1)
    return { value, isValid: isChecked(value, digits(more.slice(-1))), isLong: true }
  }
  return { value: trimFillers(start), isValid: isChecked(start, digits(digit)), isLong: false }
}

function readNames(field: string): Pick<Mrz, 'lastName' | 'firstName' | 'isNameFull'> {
  // Fillers after the names may be read as letters that look like them.
  const names = letters(field).replace(/<<<[<KCES]*$/, '<<<')
  const [last = '', ...first] = names.split('<<')
  const clean = (text: string) => text.replaceAll('<', ' ').trim()
  return { lastName: clean(last), firstName: clean(first.join(' ')), isNameFull: !field.endsWith('<') }
}

function trimFillers(text: string): string {
  return text.replace(/<+$/, '').replaceAll('<', '-')
}
