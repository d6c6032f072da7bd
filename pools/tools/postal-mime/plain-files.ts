const ENCODING = /^content-transfer-encoding:.*\r?\n(?:[ \t].*\r?\n)*/gim
const CALENDAR = /^(content-type:\s*"?(?:text\/calendar|application\/ics))(?![\w.+-])/im
/** What the type of a calendar ends in while it is read: the library writes those that it knows anew. */
const AS_IT_IS = '-as-it-is'
/** As many as the library takes. */
const MAX_DEPTH = 50

/**
 * The library ends every line of a file that is attached as it is with LF, and adds one. As base64 it keeps the bytes.
 */
export function encodePlainFiles(text: string): string {
  const { header, body } = splitPart(text)
  return header + encodeBody(body, readHeader(header), 0)
}

/** The type of an attachment as its mail says it. */
export function nameType(type: string): string {
  return type.endsWith(AS_IT_IS) ? type.slice(0, -AS_IT_IS.length) : type
}

interface Header {
  type?: string
  boundary?: string
  isFile: boolean
  isEncoded: boolean
}

function readHeader(header: string): Header {
  const lines = header.replace(/\r?\n[ \t]+/g, ' ')
  const [, type, rest] = /^content-type:[ \t]*"?([^;\s"]+)([^\r\n]*)/im.exec(lines) ?? []
  const [, quoted, plain] = /;\s*boundary\s*=\s*(?:"([^"\r\n]{1,200})"|([^\s;"]{1,200}))/i.exec(rest ?? '') ?? []
  return {
    type: type?.toLowerCase(),
    boundary: (quoted ?? plain)?.trimEnd(),
    isFile: /^content-disposition:[ \t]*attachment\b/im.test(lines),
    isEncoded: /^content-transfer-encoding:[ \t]*"?(?:base64|quoted-printable)/im.test(lines),
  }
}

/** The header with the empty line that ends it. */
function splitPart(part: string): { header: string; body: string } {
  const end = /^\r?\n|\r?\n\r?\n/.exec(part)
  const length = end ? end.index + end[0].length : part.length
  return { header: part.slice(0, length), body: part.slice(length) }
}

function encodeBody(body: string, { type = '', boundary }: Header, depth: number): string {
  if (!type.startsWith('multipart/') || boundary === undefined || depth >= MAX_DEPTH) return body
  const usual = type === 'multipart/digest' ? 'message/rfc822' : 'text/plain'
  const marks = [...body.matchAll(/^--([^\r\n]{1,210})(?:\r?\n|$)/gm)].filter(([, mark]) => {
    const line = mark!.trimEnd()
    return line === boundary || line === `${boundary}--`
  })
  const last = marks.findIndex(([, mark]) => mark!.trimEnd() !== boundary)
  const parts = last === -1 ? marks : marks.slice(0, last)
  const starts = parts.map(({ 0: mark, index }) => index + mark.length)
  const encoded = parts.map(({ index }, order) => {
    const next = marks[order + 1]?.index ?? body.length
    const isEnded = marks[order + 1] !== undefined
    return body.slice(index, starts[order]) + encodePart(body.slice(starts[order], next), { usual, isEnded }, depth + 1)
  })
  const rest = last === -1 ? body.length : marks[last]!.index
  return body.slice(0, marks[0]?.index ?? body.length) + encoded.join('') + body.slice(rest)
}

interface Place {
  /** The type of parts that name none. */
  usual: string
  /** Whether a line of the boundary follows, to which the line end before it belongs. */
  isEnded: boolean
}

function encodePart(part: string, { usual, isEnded }: Place, depth: number): string {
  const { header, body } = splitPart(part)
  const read = readHeader(header)
  const type = read.type ?? usual
  if (type.startsWith('multipart/')) return header + encodeBody(body, read, depth)
  if (!read.isFile && (type === 'text/plain' || type === 'text/html')) return part
  const kept = header.replace(CALENDAR, `$1${AS_IT_IS}`)
  if (read.isEncoded) return kept + body
  const bytes = Buffer.from(isEnded ? body.replace(/\r?\n$/, '') : body, 'latin1')
  const lines = bytes.toString('base64').replace(/.{76}/g, '$&\r\n')
  const fields = kept.replace(/(^|\r?\n)\r?\n$/, '$1').replace(ENCODING, '')
  return `${fields}Content-Transfer-Encoding: base64\r\n\r\n${lines}\r\n`
}
