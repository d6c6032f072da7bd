import { Problem } from '#kit'

interface EncoderText {
  text: string
  options: Record<string, boolean>
}

/** The text as the encoder takes it. */
export function encodeText({ bcid }: { bcid: string }, text: string): EncoderText {
  return bcid === 'maxicode' ? encodeMaxicode(text) : { text, options: {} }
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
  return [...new Set(halves)].slice(0, 5).map(half => `U+${half.charCodeAt(0).toString(16).toUpperCase()}`)
}
