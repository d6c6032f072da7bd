/** Signatures of the types most often carried as base64: at an offset, these Latin-1 characters. */
const SIGNATURES: readonly (readonly [contentType: string, offset: number, signature: string])[] = [
  ['image/png', 0, '\x89PNG\r\n\x1a\n'],
  ['image/jpeg', 0, '\xff\xd8\xff'],
  ['image/gif', 0, 'GIF87a'],
  ['image/gif', 0, 'GIF89a'],
  ['image/webp', 8, 'WEBP'],
  ['image/avif', 4, 'ftypavif'],
  ['image/heic', 4, 'ftypheic'],
  ['image/bmp', 0, 'BM'],
  ['image/tiff', 0, 'II*\x00'],
  ['image/tiff', 0, 'MM\x00*'],
  ['image/x-icon', 0, '\x00\x00\x01\x00'],
  ['application/pdf', 0, '%PDF-'],
  ['application/zip', 0, 'PK\x03\x04'],
  ['application/zip', 0, 'PK\x05\x06'],
  ['application/gzip', 0, '\x1f\x8b\x08'],
  ['application/x-bzip2', 0, 'BZh'],
  ['application/x-xz', 0, '\xfd7zXZ\x00'],
  ['application/zstd', 0, '\x28\xb5\x2f\xfd'],
  ['application/x-7z-compressed', 0, '7z\xbc\xaf\x27\x1c'],
  ['application/wasm', 0, '\x00asm'],
  ['application/vnd.sqlite3', 0, 'SQLite format 3\x00'],
  ['audio/wav', 8, 'WAVE'],
  ['audio/mpeg', 0, 'ID3'],
  ['audio/flac', 0, 'fLaC'],
  ['audio/ogg', 0, 'OggS'],
  ['video/webm', 0, '\x1aE\xdf\xa3'],
  ['video/mp4', 4, 'ftyp'],
  ['font/woff2', 0, 'wOF2'],
  ['font/woff', 0, 'wOFF'],
]

export const OCTETS = 'application/octet-stream'
const LONGEST = 24

/** The type that the first bytes show, or nothing where they show none. */
export function binaryTypeOf(bytes: Uint8Array): string | undefined {
  const head = Buffer.from(bytes.subarray(0, LONGEST)).toString('latin1')
  return SIGNATURES.find(([, offset, signature]) => head.startsWith(signature, offset))?.[0]
}

/** Above this a text is not read for its structure. */
const JSON_LIMIT = 2 ** 20

export function textTypeOf(text: string): string {
  const head = text.slice(0, 256).trimStart().toLowerCase()
  if (head.startsWith('<!doctype html') || head.startsWith('<html')) return 'text/html'
  if (head.startsWith('<svg')) return 'image/svg+xml'
  if (head.startsWith('<?xml')) return head.includes('<svg') ? 'image/svg+xml' : 'application/xml'
  return isJson(text) ? 'application/json' : 'text/plain'
}

function isJson(text: string): boolean {
  const isLikely = /^\s{0,64}[[{]/.test(text)
  if (!isLikely || text.length > JSON_LIMIT) return false
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}

const ENDINGS: Record<string, string> = {
  'text/plain': '.txt',
  'image/jpeg': '.jpg',
  'image/svg+xml': '.svg',
  'image/x-icon': '.ico',
  'audio/mpeg': '.mp3',
  'application/gzip': '.gz',
  'application/x-bzip2': '.bz2',
  'application/x-xz': '.xz',
  'application/zstd': '.zst',
  'application/x-7z-compressed': '.7z',
  'application/vnd.sqlite3': '.sqlite',
}

/** How names of such files end; nothing where any ending might be right. */
export function endingOf(contentType: string): string {
  const isPlainWord = /^[a-z]+\/[a-z0-9]{2,5}$/.test(contentType)
  return ENDINGS[contentType] ?? (isPlainWord ? `.${contentType.split('/')[1]}` : '')
}
