const TAG = /<(\/?)table:(?:table-cell|covered-table-cell|table-row)(?=[\s/>])((?:[^>"']|"[^"]*"|'[^']*')*?)(\/?)>/g
const COUNT = /\stable:number-(?:columns|rows)-repeated\s*=\s*["'](\d{1,9})["']/
/** What repeated cells may add to a document. */
const MAX_ADDED = 4 * 2 ** 20

/**
 * Writes each cell and row of an OpenDocument text as often as it says that it is repeated. Returns nothing if they are not
 * closed, or become too many.
 */
export function writeRepeatedCells(xml: string): string | undefined {
  const open = [{ text: '', count: 1 }]
  let left = MAX_ADDED
  let from = 0
  for (const match of xml.matchAll(TAG)) {
    const [tag, slash, attributes = '', isEmpty] = match
    open.at(-1)!.text += xml.slice(from, match.index)
    from = match.index + tag.length
    if (!slash) open.push({ text: '', count: Number(COUNT.exec(attributes)?.[1] ?? 1) })
    open.at(-1)!.text += tag.replace(COUNT, '')
    if (!slash && !isEmpty) continue
    const { text, count } = open.pop()!
    left -= text.length * (count - 1)
    if (open.length === 0 || left < 0) return undefined
    open.at(-1)!.text += text.repeat(count)
  }
  return open.length === 1 ? open[0]!.text + xml.slice(from) : undefined
}
