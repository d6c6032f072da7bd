import { decodeArmour, isSignedMessage, SIGNED_TYPE } from '../einvoice/signed.ts'
import { recogniseCompressedDrawing } from './compressed-drawing.ts'
import { isText, PLAIN_TEXT_TYPES, recogniseLegacyMarkup, recogniseText } from './text.ts'

/** How much of a file's beginning is examined. */
export const HEAD_BYTES = 16 * 1024
/** How many bytes of anything a PDF may have before its header. */
const MAX_PDF_OFFSET = 1024
const PDF_HEADER = '%PDF-'
/** As many bytes must be read of a file to find a PDF header in it. */
export const PDF_HEAD_BYTES = MAX_PDF_OFFSET + PDF_HEADER.length - 1

const GZIP = 'application/gzip'
const PDF = 'application/pdf'
export const UNKNOWN_TYPE = 'application/octet-stream'

/**
 * The types that the beginning of a file may have, the likeliest first. Binary content has one; text may have several,
 * because a small CSV cannot be told from prose.
 */
export async function recogniseTypes(head: Buffer, isWhole: boolean): Promise<string[]> {
  const isTextual = isText(head, isWhole)
  const signature = await findSignature(head, isTextual)
  if (signature?.type === GZIP) return [GZIP, ...recogniseCompressedDrawing(head)]
  if (signature) return [signature.type]
  const types = hasPdfHeader(head) ? [PDF] : isSignedMessage(decodeArmour(head)) ? [SIGNED_TYPE] : []
  types.push(...(isTextual ? recogniseText(head.toString('utf8')).types : recogniseLegacyMarkup(head)))
  return types.length > 0 ? types : [UNKNOWN_TYPE]
}

/** The same for content that was given as text, which stays text whatever it contains. */
export async function recogniseTextTypes(head: Buffer): Promise<string[]> {
  const types = await recogniseTypes(head, true)
  return types[0] === UNKNOWN_TYPE ? PLAIN_TEXT_TYPES : types
}

/** The type and the usual file extension of content that is not text; a PDF counts even if all of it is ASCII. */
export async function recogniseBinary(bytes: Uint8Array): Promise<{ type: string; extension: string } | undefined> {
  const head = Buffer.from(bytes.buffer, bytes.byteOffset, Math.min(bytes.length, HEAD_BYTES))
  const isTextual = isText(head, head.length === bytes.length)
  const signature = await findSignature(head, isTextual)
  return isTextual && signature?.type !== PDF ? undefined : signature
}

export function hasPdfHeader(head: Buffer): boolean {
  return head.subarray(0, PDF_HEAD_BYTES).includes(PDF_HEADER)
}

/** Formats that are written as text, which a signature of letters proves. */
const TEXT_FORMATS = new Set([
  PDF,
  'application/eps',
  'application/pgp-encrypted',
  'application/postscript',
  'application/rtf',
  'application/x-ms-regedit',
  'application/x-unix-archive',
  'text/calendar',
  'text/vcard',
  'text/vtt',
])
/** Recognised by `recogniseText`, which tells SVG and HTML apart. */
const XML_TYPES = new Set(['application/xml', 'text/xml'])
/** Types that we know by another name than the package. */
const TYPE_NAMES: Record<string, string | undefined> = {
  'application/x-sqlite3': 'application/vnd.sqlite3',
  'image/apng': 'image/png',
}

let signatures: Promise<typeof import('file-type')> | undefined

/** Loaded at the first use, because most processes that import the catalogue never recognise a file. */
function loadSignatures(): Promise<typeof import('file-type')> {
  signatures ??= import('file-type')
  return signatures
}

/** A text that begins with "BM" or "MZ" is no bitmap or program, so in text only the signatures of text formats count. */
async function findSignature(
  head: Buffer,
  isTextual: boolean,
): Promise<{ type: string; extension: string } | undefined> {
  const { fileTypeFromBuffer } = await loadSignatures()
  const named = await fileTypeFromBuffer(head)
  const found = named?.mime === ICON ? findIcon(head, named) : (named ?? findTiffHeader(head))
  if (!found || XML_TYPES.has(found.mime) || (isTextual && !TEXT_FORMATS.has(found.mime))) return undefined
  return { type: TYPE_NAMES[found.mime] ?? found.mime.split(';', 1)[0]!, extension: found.ext }
}

const ICON = 'image/x-icon'

/** A picture of Targa begins as a cursor does, but where that counts its pictures, it has nothing. */
function findIcon(head: Buffer, named: { mime: string; ext: string }): { mime: string; ext: string } | undefined {
  if (head.length >= 6 && head.readUInt16LE(4) > 0) return named
  return isTarga(head) ? { mime: 'image/x-tga', ext: 'tga' } : undefined
}

const TARGA_HEADER_BYTES = 18
const TARGA_BITS = [16, 24, 32]

function isTarga(head: Buffer): boolean {
  if (head.length < TARGA_HEADER_BYTES) return false
  return head.readUInt16LE(12) > 0 && head.readUInt16LE(14) > 0 && TARGA_BITS.includes(head[16]!)
}

const TIFF_HEADERS = ['II*\0', 'MM\0*']

/**
 * Most TIFF writers put the first directory after the pixels, so it lies beyond the head of the file. The package needs
 * it to tell the formats of cameras apart, and otherwise finds nothing.
 */
function findTiffHeader(head: Buffer): { mime: string; ext: string } | undefined {
  const isTiff = head.length >= 8 && TIFF_HEADERS.includes(head.toString('latin1', 0, 4))
  return isTiff ? { mime: 'image/tiff', ext: 'tif' } : undefined
}
