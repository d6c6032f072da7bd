const IS_FILE = /^content-disposition:[ \t]*attachment\b/im
const IS_ENCODED = /^content-transfer-encoding:[ \t]*"?(?:base64|quoted-printable)/im
const HAS_PARTS = /^content-type:[ \t]*"?(?:multipart|message)\//im
const HAS_MAILS = /^content-type:[ \t]*"?message\//im
const ENCODING = /^content-transfer-encoding:.*\r?\n(?:[ \t].*\r?\n)*/gim
const DELIMITER = /^--([^\r\n]{1,200})\r?\n?/gm

/**
 * The library ends every line of a file that is attached as it is with LF, and adds one. As base64 it keeps the bytes.
 * Mails within the mail have bytes of their own, which stay.
 */
export function encodePlainFiles(text: string, boundaries: ReadonlySet<string>): string {
  if (HAS_MAILS.test(text)) return text
  const marks = [...text.matchAll(DELIMITER)].filter(([, mark]) => {
    const line = mark!.trimEnd()
    return boundaries.has(line) || (line.endsWith('--') && boundaries.has(line.slice(0, -2)))
  })
  let encoded = ''
  let end = 0
  for (const [order, { 0: mark, index }] of marks.entries()) {
    const start = index + mark.length
    const next = marks[order + 1]?.index ?? start
    encoded += text.slice(end, start) + encodePart(text.slice(start, next))
    end = next
  }
  return encoded + text.slice(end)
}

function encodePart(part: string): string {
  const blank = /\r?\n\r?\n/.exec(part)
  if (!blank) return part
  const header = part.slice(0, blank.index)
  if (!IS_FILE.test(header) || IS_ENCODED.test(header) || HAS_PARTS.test(header)) return part
  const body = part.slice(blank.index + blank[0].length).replace(/\r?\n$/, '')
  const rest = `${header}\r\n`.replace(ENCODING, '')
  const lines = Buffer.from(body, 'latin1').toString('base64').replace(/.{76}/g, '$&\r\n')
  return `${rest}Content-Transfer-Encoding: base64\r\n\r\n${lines}\r\n`
}
