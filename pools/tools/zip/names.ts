import { isUtf8 } from 'node:buffer'
import { crc32 } from 'node:zlib'

/** The upper half of code page 437, in which DOS and Windows write names without the UTF-8 flag. */
const CODE_PAGE_437 =
  'ÇüéâäàåçêëèïîìÄÅÉæÆôöòûùÿÖÜ¢£¥₧ƒáíóúñÑªº¿⌐¬½¼¡«»░▒▓│┤╡╢╖╕╣║╗╝╜╛┐└┴┬├─┼╞╟╚╔╩╦╠═╬╧╨╤╥╙╘╒╓╫╪┘┌█▄▌▐▀αßΓπΣσµτΦΘΩδ∞φε∩≡±≥≤⌠⌡÷≈°∙·√ⁿ²■\u00a0'
const UTF8_FLAG = 0x0800

/** Many programs write UTF-8 names without setting the flag, so any valid UTF-8 is read as such. */
export function decodeName(bytes: Buffer, flags: number, unicodePath: Buffer | undefined): string {
  const unicodeName = unicodePath && readUnicodePath(unicodePath, bytes)
  const isPlain = (flags & UTF8_FLAG) !== 0 || isUtf8(bytes)
  const name = unicodeName ?? (isPlain ? bytes.toString('utf8') : decodeCodePage437(bytes))
  // The format demands slashes, but some programs for Windows write backslashes.
  return name.replaceAll('\\', '/')
}

/** The field names the checksum of the name that it replaces; after a renaming by an older program it no longer fits. */
function readUnicodePath(field: Buffer, nameBytes: Buffer): string | undefined {
  const isValid = field.length > 5 && field[0] === 1 && field.readUInt32LE(1) === crc32(nameBytes)
  const name = field.subarray(5)
  return isValid && isUtf8(name) ? name.toString('utf8') : undefined
}

function decodeCodePage437(bytes: Buffer): string {
  return Array.from(bytes, byte => (byte < 0x80 ? String.fromCharCode(byte) : CODE_PAGE_437[byte - 0x80]!)).join('')
}

/** The same of code page 850, in which Windows of Western Europe gives passwords to programs. */
const CODE_PAGE_850 =
  'ÇüéâäàåçêëèïîìÄÅÉæÆôöòûùÿÖÜø£Ø×ƒáíóúñÑªº¿®¬½¼¡«»░▒▓│┤ÁÂÀ©╣║╗╝¢¥┐└┴┬├─┼ãÃ╚╔╩╦╠═╬¤ðÐÊËÈıÍÎÏ┘┌█▄¦Ì▀ÓßÔÒõÕµþÞÚÛÙýÝ¯´\u00ad±‗¾¶§÷¸°¨·¹³²■\u00a0'
/** Those of Windows and DOS elsewhere, and the encodings of East Asia, whose letters have two bytes. */
const ENCODINGS = ['windows-1252', 'windows-1250', 'windows-1251', 'windows-1253', 'windows-1254', 'ibm866', 'koi8-r']
const WIDE_ENCODINGS = ['shift_jis', 'gbk', 'big5', 'euc-kr']

/** The bytes that a password may have been: UTF-8, or what older programs made of it in their countries. */
export function encodePassword(password: string): Buffer[] {
  const letters = Array.from(password)
  if (letters.every(letter => letter < '\x80')) return [Buffer.from(password)]
  const codes = [
    indexLetters(CODE_PAGE_437),
    indexLetters(CODE_PAGE_850),
    ...ENCODINGS.map(name => indexLetters(new TextDecoder(name).decode(UPPER_HALF))),
    ...WIDE_ENCODINGS.map(indexWideLetters),
  ]
  const encoded = codes.flatMap(code => {
    const bytes = letters.map(letter => (letter < '\x80' ? Buffer.from(letter) : code.get(letter)))
    return bytes.every(known => known !== undefined) ? [Buffer.concat(bytes)] : []
  })
  const all = [Buffer.from(password), Buffer.from(password, 'latin1'), ...encoded]
  return all.filter((bytes, at) => all.findIndex(other => other.equals(bytes)) === at)
}

const UPPER_HALF = Buffer.from(Array.from({ length: 128 }, (_, at) => at + 0x80))

function indexLetters(upperHalf: string): Map<string, Buffer> {
  return new Map(Array.from(upperHalf, (letter, at) => [letter, Buffer.from([at + 0x80])]))
}

const wide = new Map<string, Map<string, Buffer>>()

/** Every pair of bytes that is a letter. There is no encoder for these, only a decoder. */
function indexWideLetters(encoding: string): Map<string, Buffer> {
  const known = wide.get(encoding)
  if (known) return known
  const decoder = new TextDecoder(encoding)
  const index = new Map<string, Buffer>()
  for (let code = 0x81_40; code <= 0xfe_fe; code++) {
    const bytes = Buffer.from([code >> 8, code & 255])
    const letter = decoder.decode(bytes)
    if (Array.from(letter).length === 1 && letter !== '\ufffd' && !index.has(letter)) index.set(letter, bytes)
  }
  wide.set(encoding, index)
  return index
}
