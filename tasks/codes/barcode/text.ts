import { Problem } from '#kit'

interface EncoderText {
  text: string
  options: Record<string, boolean>
}

/** The text as the encoder takes it. */
export function encodeText({ bcid }: { bcid: string }, text: string): EncoderText {
  if (bcid === 'maxicode') return encodeMaxicode(text)
  return bcid === 'code128' ? encodeCode128(text) : { text, options: {} }
}

/** Code 128 has ASCII, and Latin-1 after its function character 4; it cannot say that bytes are UTF-8. */
function encodeCode128(text: string): EncoderText {
  const missing = [...new Set(text)].filter(character => character.codePointAt(0)! > 0xff).slice(0, 5)
  if (missing.length > 0)
    throw new Problem('BARCODE_INVALID', {
      reason: `Code 128 has only the characters of Latin-1, not ${missing.map(nameCharacter).join(', ')}`,
    })
  return { text, options: /^[\0-\x7f]*$/.test(text) ? {} : { binarytext: true } }
}

function nameCharacter(character: string): string {
  return character.isWellFormed() ? character : nameCode(character)
}

function nameCode(character: string): string {
  return `U+${character.charCodeAt(0).toString(16).toUpperCase()}`
}

/** The character set of MaxiCode is Latin-1. Anything else is written in UTF-8, after the mark that says so (ECI 26). */
function encodeMaxicode(text: string): EncoderText {
  if (!text.isWellFormed())
    throw new Problem('BARCODE_INVALID', { reason: `halves of characters: ${listHalves(text).join(', ')}` })
  if (/^[\0-\x7f]*$/.test(text)) return { text, options: {} }
  if (/^[\0-\xff]*$/.test(text)) return { text, options: { binarytext: true } }
  return { text: `^ECI000026${text.replaceAll('^', '^^')}`, options: { parsefnc: true } }
}

function listHalves(text: string): string[] {
  const halves = [...text].filter(character => !character.isWellFormed())
  return [...new Set(halves)].slice(0, 5).map(nameCode)
}
