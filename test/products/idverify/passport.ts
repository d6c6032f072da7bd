import sharp from 'sharp'

const WEIGHTS = [7, 3, 1]

function checkDigit(text: string): string {
  const sum = [...text].reduce((total, character, at) => {
    const value = character === '<' ? 0 : Number.parseInt(character, 36)
    return total + value * WEIGHTS[at % 3]!
  }, 0)
  return String(sum % 10)
}

const withDigit = (text: string) => text + checkDigit(text)

function writeZone(): [string, string] {
  const number = withDigit(PASSPORT_NUMBER)
  const [birth, expiry, personal] = [withDigit('850214'), withDigit('340131'), withDigit('<'.repeat(14))]
  const second = `${number}DEU${birth}F${expiry}${personal}`
  return ['P<DEUMUSTER<<JANA'.padEnd(44, '<'), second + checkDigit(number + birth + expiry + personal)]
}

const PASSPORT_NUMBER = 'C01X546W8'

/** A passport of nobody that has not expired. */
export const PASSPORT = { number: PASSPORT_NUMBER, dob: '1985-02-14', zone: writeZone() }

/** An image of it, as a scanner would take it. */
export function drawPassport(): Promise<Buffer> {
  const lines = [
    'BUNDESREPUBLIK PASSPORT',
    `NUMBER ${PASSPORT_NUMBER}`,
    'SURNAME MUSTER',
    'GIVEN NAMES JANA',
    'BORN 14 02 1985',
  ]
  const printed = lines.map((line, at) => `<text x="420" y="${120 + at * 80}" font-size="42">${line}</text>`).join('')
  const zone = PASSPORT.zone
    .map(
      (line, at) =>
        `<text x="40" y="${640 + at * 80}" font-size="42" textLength="1120" xml:space="preserve">${line.replaceAll('<', '&lt;')}</text>`,
    )
    .join('')
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" width="1200" height="800"><rect width="1200" height="800" fill="#e8ecef"/><rect x="60" y="90" width="280" height="360" fill="#9ab"/><g font-family="DejaVu Sans Mono" fill="#111">${printed}${zone}</g></svg>`
  return sharp(Buffer.from(svg)).png().toBuffer()
}
