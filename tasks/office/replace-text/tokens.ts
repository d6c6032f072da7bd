import { Problem } from '#kit'

export interface Token {
  kind: 'open' | 'empty' | 'close' | 'text' | 'other'
  /** Of an element, with its prefix. */
  name: string
  start: number
  end: number
}

/** The parts of markup that are no text. Each alternative ends at the first place that can end it. */
const MARKUP =
  /<!--[\s\S]*?-->|<!\[CDATA\[[\s\S]*?\]\]>|<\?[\s\S]*?\?>|<(\/?)([^\s"'<>/!?]+)(?:[^"'<>/]|\/(?!>)|"[^"<]*"|'[^'<]*')*(\/?)>/gy

/** Splits XML at its tags. Throws if tags do not match, or at a document type, which Office never writes. */
export function* readTokens(xml: string, part: string): Generator<Token> {
  const open: string[] = []
  for (let at = 0; at < xml.length; ) {
    const token = xml[at] === '<' ? readMarkup(xml, at) : readText(xml, at)
    if (!token || !follow(open, token))
      throw new Problem('OFFICE_PARSE_FAILED', { part, detail: `The XML is broken at character ${at}.` })
    yield token
    at = token.end
  }
  if (open.length > 0) throw new Problem('OFFICE_PARSE_FAILED', { part, detail: `The XML ends within ${open.at(-1)}.` })
}

/** Keeps the list of open elements. Returns whether the tag fits it. */
function follow(open: string[], { kind, name }: Token): boolean {
  if (kind === 'open') open.push(name)
  return kind !== 'close' || open.pop() === name
}

function readText(xml: string, at: number): Token {
  const next = xml.indexOf('<', at)
  return { kind: 'text', name: '', start: at, end: next < 0 ? xml.length : next }
}

function readMarkup(xml: string, at: number): Token | undefined {
  MARKUP.lastIndex = at
  const found = MARKUP.exec(xml)
  if (!found) return undefined
  const [whole, slash, name, emptySlash] = found
  const place = { start: at, end: at + whole.length }
  if (name === undefined) return { kind: 'other', name: '', ...place }
  return { kind: slash ? 'close' : emptySlash ? 'empty' : 'open', name, ...place }
}
