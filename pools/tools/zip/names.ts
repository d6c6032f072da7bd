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

/** The bytes that a password may have been: UTF-8, or one of the code pages of older programs. */
export function encodePassword(password: string): Buffer[] {
  const encoded = [Buffer.from(password), Buffer.from(password, 'latin1')]
  const codes = Array.from(password, letter => (letter < '\x80' ? letter.charCodeAt(0) : findCode(letter)))
  if (codes.every(code => code >= 0)) encoded.push(Buffer.from(codes))
  return encoded.filter((bytes, at) => encoded.findIndex(other => other.equals(bytes)) === at)
}

function findCode(letter: string): number {
  const index = CODE_PAGE_437.indexOf(letter)
  return index < 0 ? -1 : index + 0x80
}
