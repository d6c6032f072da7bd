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

function writeZone(state: string): [string, string] {
  const number = withDigit(PASSPORT_NUMBER)
  const [birth, expiry, personal] = [withDigit('850214'), withDigit('340131'), withDigit('ZE184226B'.padEnd(14, '<'))]
  const second = `${number}${state}${birth}F${expiry}${personal}`
  return [`P<${state}MUSTER<<JANA`.padEnd(44, '<'), second + checkDigit(number + birth + expiry + personal)]
}

const PASSPORT_NUMBER = 'C71X546W8'

/** A passport of nobody that has not expired. */
export const PASSPORT = { number: PASSPORT_NUMBER, dob: '1985-02-14', zone: writeZone('DEU') }

/** An image of it, as a scanner would take it, by another issuer if one is given. */
export function drawPassport(state = 'DEU'): Promise<Buffer> {
  const lines = [
    'PASSPORT Deutschland',
    `Number ${PASSPORT_NUMBER}`,
    'Surname MUSTER',
    'Given names JANA',
    'Born 14 02 1985',
  ]
  const printed = lines.map((line, at) => `<text x="60" y="${70 + at * 50}" font-size="28">${line}</text>`)
  // Each character has a place of its own, as in the print of a machine.
  const zone = writeZone(state).flatMap((line, row) =>
    [...line].map((one, at) => `<text x="${50 + at * 24}" y="${360 + row * 60}">${one.replace('<', '&lt;')}</text>`),
  )
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" width="1160" height="480"><rect width="1160" height="480" fill="#eee"/><g font-family="Liberation Sans">${printed.join('')}</g><g font-family="Liberation Mono" font-size="36">${zone.join('')}</g></svg>`
  return sharp(Buffer.from(svg)).png().toBuffer()
}
