const WEIGHTS = [7, 3, 1]

/** The check digit of ICAO 9303; undefined if there are characters that have no value. */
function computeCheckDigit(text: string): string | undefined {
  let sum = 0
  for (const [index, character] of [...text].entries()) {
    const value = character === '<' ? 0 : /[0-9A-Z]/.test(character) ? Number.parseInt(character, 36) : undefined
    if (value === undefined) return undefined
    sum += value * WEIGHTS[index % 3]!
  }
  return String(sum % 10)
}

/** An optional field may have a filler instead of the digit. */
export function isChecked(text: string, digit: string): boolean {
  return computeCheckDigit(text) === digit || (digit === '<' && /^<*$/.test(text))
}
