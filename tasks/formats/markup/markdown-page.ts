const FRONT_MATTER = /^---[ \t]*\r?\n([\s\S]*?)(?:\r?\n)?^(?:---|\.\.\.)[ \t]*(?:\r?\n|$)/m

/** Separates the front matter, which stands between two lines of hyphens at the start of the text. */
export function splitFrontMatter(text: string): { frontMatter?: string; body: string } {
  const match = text.startsWith('---') ? FRONT_MATTER.exec(text) : null
  if (match?.index !== 0) return { body: text }
  return { frontMatter: match[1]!.replace(/\r?\n$/, ''), body: text.slice(match[0].length) }
}

const ESCAPES: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;' }

export function wrapInDocument(fragment: string, title: string, styles?: string): string {
  const head = styles === undefined ? '' : `<style>\n${styles}\n</style>\n`
  return (
    '<!doctype html>\n<html>\n<head>\n<meta charset="utf-8">\n' +
    '<meta name="viewport" content="width=device-width, initial-scale=1">\n' +
    `<title>${escapeText(title)}</title>\n${head}</head>\n<body>\n${fragment}</body>\n</html>\n`
  )
}

export function escapeText(text: string): string {
  return text.replace(/[&<>]/g, character => ESCAPES[character]!)
}
