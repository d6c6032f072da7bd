import { type InputFile, Problem } from '#kit'

const HEADER = '%PDF-'
const END = '%%EOF'
/** Readers look for the header and the end within this many bytes. */
const TOLERATED_BYTES = 1024

interface FileEnds {
  hasJunk: boolean
  isCutOff: boolean
}

/** Looks at both ends of a file. Rejects one that is no PDF at all. */
export async function readFileEnds(file: InputFile): Promise<FileEnds> {
  const { buffer, byteOffset, length } = await file.bytes()
  const bytes = Buffer.from(buffer, byteOffset, length)
  const start = bytes.indexOf(HEADER)
  if (start < 0 && !/\d+\s+\d+\s+obj\b/.test(bytes.toString('latin1')))
    throw new Problem('PDF_PARSE_FAILED', { detected: file.type })
  const end = bytes.lastIndexOf(END)
  return { hasJunk: start !== 0 || (end >= 0 && length - end > TOLERATED_BYTES), isCutOff: end < 0 }
}

const COMPLAINTS: readonly [pattern: RegExp, code: string][] = [
  [/xref|cross-reference|object stream|file is damaged/i, 'CROSS_REFERENCES'],
  [/trailer|\/Root|\/Size/i, 'TRAILER'],
  [/stream length|expected endstream|dictionary lacks \/Length/i, 'STREAM_LENGTH'],
  [/page tree|\/Kids|\/Pages|\/Count/i, 'PAGE_TREE'],
  [/decoding stream|inflate|input stream|stream \d+ \d+ \(content/i, 'STREAM_DATA'],
]

/** Names what was wrong. */
export function listFixes(
  complaints: readonly string[],
  { hasJunk, isCutOff }: FileEnds,
  hasBrokenTree: boolean,
): string[] {
  const text = complaints.join('\n')
  const codes = COMPLAINTS.filter(([pattern]) => pattern.test(text)).map(([, code]) => code)
  if (hasJunk) codes.push('JUNK')
  if (isCutOff) codes.push('CUT_OFF')
  if (hasBrokenTree) codes.push('PAGE_TREE')
  if (codes.length === 0 && complaints.length > 0) codes.push('SYNTAX')
  return [...new Set(codes)].sort()
}
