/** Stands for an exclamation mark before a link, which would make it an image. A character that no page has. */
export const MARK_BEFORE_LINK = '\ufdd0'
/** Stands for a bar within a cell of a table. */
export const BAR_IN_CELL = '\ufdd1'

const INLINE: readonly [RegExp, string][] = [
  [/[\\*`[\]~]/g, String.raw`\$&`],
  [/(?<![\p{L}\p{N}])_|_(?![\p{L}\p{N}])/gu, String.raw`\$&`],
  [/<(?=[a-z/!?])/gi, String.raw`\<`],
  [/&(?=#\d{1,7};|#x[\da-f]{1,6};|[a-z][a-z\d]*;)/gi, String.raw`\&`],
]

const AT_START: readonly [RegExp, string][] = [
  [/^(\s*)(#{1,6}(?:\s|$)|>|[-+](?:\s|$)|=+\s*$)/, String.raw`$1\$2`],
  [/^(\s*)(-(?:\s*-)+\s*$)/, String.raw`$1\$2`],
  [/^(\s*\d{1,9})([.)])(?=\s|$)/, String.raw`$1\$2`],
]

/** The line below the head of a table, which would make a table of the lines around it. */
const TABLE_RULE = /^\s*\|?\s*:?-+:?\s*(?:\|\s*:?-+:?\s*)*\|?\s*$/

/** Escapes what Markdown reads as markup, as HTML or as an entity. The text begins a line or continues one. */
export function escapeMarkdown(text: string): string {
  const isTableRule = text.length < 1000 && text.includes('|') && TABLE_RULE.test(text)
  if (isTableRule) return text.replace('-', String.raw`\-`)
  const inline = INLINE.reduce((escaped, [pattern, by]) => escaped.replace(pattern, by), text)
  const started = AT_START.reduce((escaped, [pattern, by]) => escaped.replace(pattern, by), inline)
  return started.replaceAll(MARK_BEFORE_LINK, String.raw`\!`)
}

/** Number signs at the end of a heading would be taken for its end. */
export function escapeHeadingEnd(content: string): string {
  return content.replace(/(^|\s)(#+)$/, String.raw`$1\$2`)
}
