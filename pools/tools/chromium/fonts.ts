import type { Page } from './page.ts'

/** Names that stand for any suitable font, so they are never missing. */
const GENERIC_FAMILIES = [
  'serif',
  'sans-serif',
  'monospace',
  'cursive',
  'fantasy',
  'math',
  'emoji',
  'system-ui',
  'ui-serif',
  'ui-sans-serif',
  'ui-monospace',
  'ui-rounded',
  '-apple-system',
  'BlinkMacSystemFont',
  '-webkit-standard',
  'Times New Roman',
]

/**
 * Finds the first-choice fonts of the page's texts that are not installed. An installed font differs in text width from
 * at least one of two dissimilar fallback fonts. A metric-compatible substitute counts as the font itself.
 */
const FIND_MISSING = `(() => {
  const generic = new Set(${JSON.stringify(GENERIC_FAMILIES.map(name => name.toLowerCase()))})
  const requested = new Set()
  const texts = document.createTreeWalker(document.body ?? document, NodeFilter.SHOW_TEXT)
  for (let remaining = 3000; remaining > 0 && texts.nextNode(); remaining -= 1) {
    const { data, parentElement } = texts.currentNode
    if (data.trim() === '' || !parentElement) continue
    const first = getComputedStyle(parentElement).fontFamily.split(',')[0].trim().replace(/^["']|["']$/g, '')
    if (!generic.has(first.toLowerCase())) requested.add(first)
  }
  const context = document.createElement('canvas').getContext('2d')
  const measure = font => { context.font = '40px ' + font; return context.measureText('mmMwWLliI0fiO&1gjpq').width }
  const isMissing = name => ['monospace', 'serif'].every(base => measure(JSON.stringify(name) + ',' + base) === measure(base))
  return [...requested].slice(0, 20).filter(isMissing)
})()`

export function findMissingFonts(page: Page): Promise<string[]> {
  return page.evaluate<string[]>(FIND_MISSING)
}
