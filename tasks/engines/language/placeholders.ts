const PRINTF_SIZE = String.raw`%(?:\d+\$)?[-+0#]*(?:\d+|\*)?(?:\.(?:\d+|\*))?(?:hh?|ll?|[qzjt])?`
const NAME = String.raw`(?:=\d+|\w+)`
/** Longer forms come before those that they begin with. */
const FORMS = [
  String.raw`<\/?[a-zA-Z][^<>\n]*>`,
  ...[
    String.raw`\{\{\{[^{}\n]*\}\}\}`,
    String.raw`\{\{[^{}\n]*\}\}`,
    String.raw`\{%[^%\n]*%\}`,
    String.raw`\$\{[^{}\n]*\}`,
  ],
  String.raw`\{[\w.]*\}`,
  // Of ICU messages only the frame: what stands in the forms of a plural is translated.
  String.raw`\{\s*\w+\s*,\s*(?:number|date|time|spellout|ordinal|duration)\s*(?:,[^{}]*)?\}`,
  String.raw`\{\s*\w+\s*,\s*(?:plural|select|selectordinal)\s*,\s*(?:offset:\d+\s*)?${NAME}\s*\{`,
  ...[String.raw`\}\s*${NAME}\s*\{`, String.raw`\}\s*\}`],
  ...[`${PRINTF_SIZE}[sdifux@]`, `${PRINTF_SIZE}[cegop](?![a-z])`, '%%', String.raw`%\(\w+\)[sdif]`],
  String.raw`&(?:#\d+|#x[\da-f]+|[a-z]+);`,
  String.raw`https?:\/\/[^\s<>"']+`,
  String.raw`⟦[^⟧\n]*⟧`,
]
const PLACEHOLDER = new RegExp(FORMS.join('|'), 'gi')
const MARK = /⟦(\d+)⟧/g

/** Takes out what must not be translated, and leaves marks: `⟦0⟧`. */
export function maskPlaceholders(text: string): { masked: string; placeholders: string[] } {
  const placeholders: string[] = []
  const masked = text.replace(PLACEHOLDER, found => `⟦${placeholders.push(found) - 1}⟧`)
  return { masked, placeholders }
}

interface Term {
  source: string
  target: string
}

/** Takes out words of a glossary too: their marks are those after the others, and stand for what they are translated to. */
export function maskTerms(
  { masked, placeholders }: ReturnType<typeof maskPlaceholders>,
  terms: readonly Term[],
): ReturnType<typeof maskPlaceholders> {
  if (terms.length === 0) return { masked, placeholders }
  const all = [...placeholders]
  const targets = new Map(terms.map(({ source, target }) => [source, target]))
  const longestFirst = [...targets.keys()].sort((one, other) => other.length - one.length).map(escapePattern)
  const words = new RegExp(`(?<![\\p{L}\\p{N}⟦])(?:${longestFirst.join('|')})(?![\\p{L}\\p{N}⟧])`, 'gu')
  return { masked: masked.replace(words, found => `⟦${all.push(targets.get(found)!) - 1}⟧`), placeholders: all }
}

function escapePattern(text: string): string {
  return text.replaceAll(/[.*+?^${}()|[\]\\/-]/g, '\\$&')
}

/** Puts it back; each must come exactly once. */
export function unmask(text: string, placeholders: readonly string[]): { text: string } | { missing: string[] } {
  const counts = new Array<number>(placeholders.length).fill(0)
  for (const [, index] of text.matchAll(MARK)) if (Number(index) < counts.length) counts[Number(index)]! += 1
  const missing = counts.flatMap((count, index) => (count === 1 ? [] : [`⟦${index}⟧`]))
  return missing.length > 0 ? { missing } : { text: restore(text, placeholders) }
}

function restore(text: string, placeholders: readonly string[]): string {
  return text.replace(MARK, (mark, index: string) => placeholders[Number(index)] ?? mark)
}

/** The same for pieces of a text, in which a mark may be cut in two. */
export function openUnmasking(placeholders: readonly string[]): (piece: string) => string {
  let waiting = ''
  return piece => {
    waiting += piece
    const open = waiting.lastIndexOf('⟦')
    const end = open >= 0 && !waiting.includes('⟧', open) ? open : waiting.length
    const ready = waiting.slice(0, end)
    waiting = waiting.slice(end)
    return restore(ready, placeholders)
  }
}
