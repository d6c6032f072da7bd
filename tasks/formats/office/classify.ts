import { isUtf8 } from 'node:buffer'

export interface OfficeFormat {
  extension: string
  family: 'text' | 'spreadsheet' | 'presentation' | 'drawing' | 'database'
  /** Plain text, which has to be UTF-8 before it is read. */
  isPlain?: 'text' | 'table'
  /** A zip of parts. */
  isPackage?: boolean
}

const wide = (name: string) => Buffer.from(name, 'utf16le')

/** The streams by which the compound files of Office are told apart. */
const COMPOUND_STREAMS: readonly [Buffer, OfficeFormat][] = [
  [wide('EncryptedPackage'), { extension: 'docx', family: 'text' }],
  [wide('WordDocument'), { extension: 'doc', family: 'text' }],
  [wide('Workbook'), { extension: 'xls', family: 'spreadsheet' }],
  [wide('PowerPoint Document'), { extension: 'ppt', family: 'presentation' }],
  [wide('VisioDocument'), { extension: 'vsd', family: 'drawing' }],
  [wide('Quill'), { extension: 'pub', family: 'drawing' }],
  [wide('MatOST'), { extension: 'wps', family: 'text' }],
  [wide('HwpSummaryInformation'), { extension: 'hwp', family: 'text' }],
  [wide('Book'), { extension: 'xls', family: 'spreadsheet' }],
  [wide('CONTENTS'), { extension: 'wps', family: 'text' }],
]

const OPEN_DOCUMENT: Record<string, OfficeFormat> = {
  text: { extension: 'odt', family: 'text', isPackage: true },
  'text-template': { extension: 'ott', family: 'text', isPackage: true },
  spreadsheet: { extension: 'ods', family: 'spreadsheet', isPackage: true },
  'spreadsheet-template': { extension: 'ots', family: 'spreadsheet', isPackage: true },
  presentation: { extension: 'odp', family: 'presentation', isPackage: true },
  'presentation-template': { extension: 'otp', family: 'presentation', isPackage: true },
  graphics: { extension: 'odg', family: 'drawing', isPackage: true },
}

const IWORK = { extension: 'pages', family: 'text', isPackage: true } as const

/** What is known from the name of a part. Packages of iWork have one XML, or an index of archives. */
const PACKAGE_PARTS: readonly [RegExp, OfficeFormat][] = [
  [/^word\//, { extension: 'docx', family: 'text', isPackage: true }],
  [/^xl\//, { extension: 'xlsx', family: 'spreadsheet', isPackage: true }],
  [/^ppt\//, { extension: 'pptx', family: 'presentation', isPackage: true }],
  [/^visio\//, { extension: 'vsdx', family: 'drawing', isPackage: true }],
  [/^(?:.*\/)?(?:Index\/Document\w*\.iwa|Index\.zip|index\.apxl)$/, IWORK],
  [/^index\.xml$/, IWORK],
]

/** The formats that are read by what lies at their beginning. */
const SIGNATURES: readonly [RegExp, OfficeFormat][] = [
  [/^\{\\rtf/, { extension: 'rtf', family: 'text' }],
  [/^\xffWPC/, { extension: 'wpd', family: 'text' }],
  [/^ID;P/, { extension: 'slk', family: 'spreadsheet' }],
  [/^TABLE\r?\n0,1/, { extension: 'dif', family: 'spreadsheet' }],
  [/^RIFF[\s\S]{4}CDR/, { extension: 'cdr', family: 'drawing' }],
  [/^AGD[1-4]/, { extension: 'fh', family: 'drawing' }],
  [/^\s*(?:999\r?\n[^\n]*\n)?\s*0\r?\n\s*SECTION\r?\n/, { extension: 'dxf', family: 'drawing' }],
  [/^(?:\ufeff|\xef\xbb\xbf)?\s*<\?xml[^>]*\?>\s*<FictionBook/, { extension: 'fb2', family: 'text' }],
  [/^[\s\S]{60}(?:TEXtREAd|BOOKMOBI)/, { extension: 'pdb', family: 'text' }],
  [/^(?:\ufeff|\xef\xbb\xbf)?\s*(?:<!doctype html|<html)/i, { extension: 'html', family: 'text' }],
]
/** The same for those that begin with control characters. */
const PREFIXES: readonly [string, OfficeFormat][] = [
  ['\0\0\x02\0', { extension: 'wk1', family: 'spreadsheet' }],
  ['\0\0\x1a\0', { extension: 'wk3', family: 'spreadsheet' }],
  ['\xff\0\x02\0\x04\x04', { extension: 'wks', family: 'spreadsheet' }],
  ['\x09\0\x04\0', { extension: 'xls', family: 'spreadsheet' }],
  ['\x09\x02\x06\0', { extension: 'xls', family: 'spreadsheet' }],
  ['\x09\x04\x06\0', { extension: 'xls', family: 'spreadsheet' }],
  ['\xd7\xcd\xc6\x9a', { extension: 'wmf', family: 'drawing' }],
  ['\x01\0\x09\0\0', { extension: 'wmf', family: 'drawing' }],
]
const LOCAL_HEADER = 'PK\x03\x04'
const DBASE_VERSIONS = [0x03, 0x30, 0x83, 0x8b, 0xf5]
const HEAD_BYTES = 2048

/** Finds the format of an office document by its content alone; names and claimed types are often wrong. */
export function classifyOffice(bytes: Buffer): OfficeFormat | undefined {
  const head = bytes.toString('latin1', 0, HEAD_BYTES)
  if (head.startsWith('\xd0\xcf\x11\xe0')) return COMPOUND_STREAMS.find(([name]) => bytes.includes(name))?.[1]
  if (/^[\s\S]{0,1024}%PDF-/.test(head)) return undefined
  if (head.startsWith('PK')) return classifyPackage(bytes, head)
  const known =
    SIGNATURES.find(([signature]) => signature.test(head)) ?? PREFIXES.find(([prefix]) => head.startsWith(prefix))
  if (known) return known[1]
  if (head.startsWith('\x01\0\0\0') && head.startsWith(' EMF', 40)) return { extension: 'emf', family: 'drawing' }
  if (isDbase(bytes)) return { extension: 'dbf', family: 'database' }
  return isPlainText(bytes) ? classifyText(head) : undefined
}

function classifyPackage(bytes: Buffer, head: string): OfficeFormat | undefined {
  const kind = /mimetypeapplication\/vnd\.oasis\.opendocument\.([a-z-]+)/.exec(head)?.[1]
  if (kind !== undefined) return OPEN_DOCUMENT[kind.replace(/PK$/, '')]
  for (const name of listPartNames(bytes)) {
    const known = PACKAGE_PARTS.find(([part]) => part.test(name))
    if (known) return known[1]
  }
  return undefined
}

/** In their order: the name of an embedded document comes before the names of the parts that it has itself. */
function* listPartNames(bytes: Buffer): Generator<string> {
  for (let at = bytes.indexOf(LOCAL_HEADER); at >= 0; at = bytes.indexOf(LOCAL_HEADER, at + 4)) {
    if (at + 30 <= bytes.length) yield bytes.toString('latin1', at + 30, at + 30 + bytes.readUInt16LE(at + 26))
  }
}

/** A version, a date, and a header whose length is that of its fields. */
function isDbase(bytes: Buffer): boolean {
  if (bytes.length < 66 || !DBASE_VERSIONS.includes(bytes[0]!)) return false
  const [month, day, headerBytes] = [bytes[2]!, bytes[3]!, bytes.readUInt16LE(8)]
  return month <= 12 && day <= 31 && headerBytes >= 65 && headerBytes % 32 <= 8
}

function isPlainText(bytes: Buffer): boolean {
  const isWide = bytes[0] === 0xff ? bytes[1] === 0xfe : bytes[0] === 0xfe && bytes[1] === 0xff
  if (isWide) return true
  const head = bytes.subarray(0, HEAD_BYTES)
  return !head.some(byte => byte < 9 || (byte > 13 && byte < 32 && byte !== 0x1a && byte !== 0x1b))
}

const DELIMITERS = [',', ';', '\t', '|']
const SNIFFED_LINES = 20

/** A table has the same number of delimiters in each of its lines. */
function classifyText(head: string): OfficeFormat {
  if (isMail(head)) return { extension: 'eml', family: 'text', isPlain: 'text' }
  return findDelimiter(head) === undefined
    ? { extension: 'txt', family: 'text', isPlain: 'text' }
    : { extension: 'csv', family: 'spreadsheet', isPlain: 'table' }
}

const HEADER = /^([!-9;-~]+):|^[ \t]/

/** Whether headers stand at the beginning that programs write; a memo that tells only From and Date has none of these. */
function isMail(head: string): boolean {
  const end = head.search(/\r?\n\r?\n/)
  const lines = head
    .slice(0, end < 0 ? head.lastIndexOf('\n') : end)
    .replace(/^From [^\n]*\n/, '')
    .split(/\r?\n/)
  const names = new Set(lines.map(line => HEADER.exec(line)?.[1]?.toLowerCase()))
  const isWritten = ['message-id', 'mime-version', 'received', 'return-path'].some(name => names.has(name))
  return isWritten && lines.every(line => HEADER.test(line)) && (names.has('from') || names.has('received'))
}

export function findDelimiter(text: string): string | undefined {
  const isCut = text.length >= HEAD_BYTES
  const lines = text.slice(0, HEAD_BYTES).replaceAll('\0', '').split(/\r?\n/)
  const whole = (isCut ? lines.slice(0, -1) : lines).filter(line => line !== '').slice(0, SNIFFED_LINES)
  const unquoted = whole.map(line => line.replaceAll(/"(?:[^"]|"")*"/g, ''))
  if (unquoted.length < 2) return undefined
  return DELIMITERS.find(delimiter => {
    const counts = new Set(unquoted.map(line => line.split(delimiter).length))
    return counts.size === 1 && !counts.has(1)
  })
}

/** Text of any of the usual charsets as UTF-8. */
export function toUtf8(bytes: Buffer, encoding: string): string {
  if (encoding !== 'auto') return decodeAs(bytes, encoding)
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return decodeAs(bytes, 'utf-16le')
  if (bytes[0] === 0xfe && bytes[1] === 0xff) return decodeAs(bytes, 'utf-16be')
  return decodeAs(bytes, isUtf8(bytes) ? 'utf-8' : guessCharset(bytes))
}

/** The upper halves of the code pages of DOS, which the platform cannot decode. */
const DOS_UPPER: Record<string, string> = {
  cp437:
    'ÇüéâäàåçêëèïîìÄÅÉæÆôöòûùÿÖÜ¢£¥₧ƒáíóúñÑªº¿⌐¬½¼¡«»░▒▓│┤╡╢╖╕╣║╗╝╜╛┐└┴┬├─┼╞╟╚╔╩╦╠═╬╧╨╤╥╙╘╒╓╫╪┘┌█▄▌▐▀' +
    'αßΓπΣσµτΦΘΩδ∞φε∩≡±≥≤⌠⌡÷≈°∙·√ⁿ²■\u00a0',
  cp850:
    'ÇüéâäàåçêëèïîìÄÅÉæÆôöòûùÿÖÜø£Ø×ƒáíóúñÑªº¿®¬½¼¡«»░▒▓│┤ÁÂÀ©╣║╗╝¢¥┐└┴┬├─┼ãÃ╚╔╩╦╠═╬¤ðÐÊËÈıÍÎÏ┘┌█▄¦Ì▀' +
    'ÓßÔÒõÕµþÞÚÛÙýÝ¯´\u00ad±‗¾¶§÷¸°¨·¹³²■\u00a0',
}

function decodeAs(bytes: Buffer, encoding: string): string {
  const upper = DOS_UPPER[encoding]
  if (upper === undefined) return new TextDecoder(encoding).decode(bytes)
  const characters = [...upper]
  return Array.from(bytes, byte => (byte < 128 ? String.fromCharCode(byte) : characters[byte - 128]!)).join('')
}

const CHARSETS = ['windows-1252', 'cp850', 'koi8-r', 'windows-1251', 'shift_jis']

/** The charset in which most characters are letters of one script, and none is a line or a control. */
function guessCharset(bytes: Buffer): string {
  const sample = bytes.subarray(0, 65_536)
  const scored = CHARSETS.map(charset => ({ charset, score: scoreText(decodeAs(sample, charset)) }))
  return scored.reduce((best, next) => (next.score > best.score ? next : best)).charset
}

function scoreText(text: string): number {
  const count = (pattern: RegExp) => text.match(pattern)?.length ?? 0
  const words = count(/\p{L}[äöüßéèêàáíóúñçøåæœâîôûëï]\p{Ll}/gu) + count(/\p{Lu}\p{Ll}/gu)
  const scripts = count(/[\u0400-\u044f]{3}/g) * 2 + count(/[\u3040-\u30ff\u4e00-\u9fff]{2}/g) * 2
  const odd = count(/[\ufffd\u2500-\u25a0¤¦¨¬¸Ð-×Þð÷ø-þ]/gu) + count(/[\u0080-\u009f]/g) * 3
  const mixed =
    count(/\p{Ll}\p{Lu}/gu) * 2 +
    count(/[A-Za-z][\u0400-\u04ff]|[\u0400-\u04ff][A-Za-z]/g) * 4 +
    count(/[\uff61-\uff9f]/g)
  return words + scripts - odd * 2 - mixed
}
