import type { Page } from './chromium-page.ts'

/** Words that name no font of their own; whatever stands for them is right. */
const GENERIC = [
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
 * The fonts that texts of the page ask for first and do not get. A font that is there makes letters of another width
 * than at least one of two fonts that have nothing in common; a stand-in with the same widths counts as the font.
 */
const MISSING = `(() => {
  const generic = new Set(${JSON.stringify(GENERIC.map(name => name.toLowerCase()))})
  const asked = new Set()
  const texts = document.createTreeWalker(document.body ?? document, NodeFilter.SHOW_TEXT)
  for (let left = 3000; left > 0 && texts.nextNode(); left -= 1) {
    const { data, parentElement } = texts.currentNode
    if (data.trim() === '' || !parentElement) continue
    const first = getComputedStyle(parentElement).fontFamily.split(',')[0].trim().replace(/^["']|["']$/g, '')
    if (!generic.has(first.toLowerCase())) asked.add(first)
  }
  const pen = document.createElement('canvas').getContext('2d')
  const widthIn = font => { pen.font = '40px ' + font; return pen.measureText('mmMwWLliI0fiO&1gjpq').width }
  const isMissing = name => ['monospace', 'serif'].every(base => widthIn(JSON.stringify(name) + ',' + base) === widthIn(base))
  return [...asked].slice(0, 20).filter(isMissing)
})()`

export function missingFonts(page: Page): Promise<string[]> {
  return page.evaluate<string[]>(MISSING)
}
