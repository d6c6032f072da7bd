/** The elements of a driving licence or an identity card of North America, by their codes of three letters. */
export interface AamvaCard {
  kind: 'driving-licence' | 'id-card'
  elements: Record<string, string>
}

const HEADER = /(?:ANSI |AAMVA)\d{6}/
const ELEMENT = /^(?:(?:DL|ID|EN)(?=D[A-D][A-Z]))?([DZ][A-Z]{2})(.*)$/

/** Reads the text of the barcode; undefined if it is another one. */
export function readAamva(text: string): AamvaCard | undefined {
  const header = HEADER.exec(text)
  if (!header) return undefined
  const body = text.slice(header.index + header[0].length)
  const start = body.search(/(?:DL|ID|EN)D[A-D][A-Z]/)
  if (start < 0) return undefined
  const kind = body.slice(start, start + 2) === 'ID' ? 'id-card' : 'driving-licence'
  const entries = body
    .slice(start)
    .split(/[\n\r\p{Cc}]+/u)
    .flatMap(line => {
      const [, code, value = ''] = ELEMENT.exec(line.trim()) ?? []
      return code && value.trim() !== '' ? [[code, value.trim().slice(0, 200)]] : []
    })
  return entries.length > 0 ? { kind, elements: Object.fromEntries(entries) as Record<string, string> } : undefined
}

/** Dates are month first in the United States, and year first in Canada. */
export function readAamvaDate(text: string | undefined): string | undefined {
  const [, a = '', b = '', c = '', d = ''] = /^(\d\d)(\d\d)(\d\d)(\d\d)$/.exec(text ?? '') ?? []
  const isYearFirst = Number(a) > 12
  const value = isYearFirst ? `${a}${b}-${c}-${d}` : `${c}${d}-${a}-${b}`
  return isRealDate(value) ? value : undefined
}

export function isRealDate(text: string): boolean {
  const date = new Date(`${text}T00:00:00Z`)
  return !Number.isNaN(date.getTime()) && date.toISOString().startsWith(text)
}
