/** A piece of text on a page; positions are in points from the top left corner. */
export interface Span {
  runs: TextRun[]
  text: string
  left: number
  top: number
  right: number
  bottom: number
  size: number
  isMono: boolean
}

/** Text of one style. */
export interface TextRun {
  text: string
  bold: boolean
  italic: boolean
  href?: string
}

export interface PageSpans {
  page: number
  width: number
  height: number
  spans: Span[]
}

const TAGS = /<(page|fontspec)\s([^>]*)>|<(text)\s([^>]*)>([\s\S]*?)<\/text>/g

interface FontStyle {
  size: number
  isBold: boolean
  isItalic: boolean
  isMono: boolean
}

const DEFAULT_FONT: FontStyle = { size: 10, isBold: false, isItalic: false, isMono: false }

/** Parses the output of `pdftohtml -xml`. It has a fixed form, so a full XML parser is not needed. */
export function parsePages(xml: string): PageSpans[] {
  const pages: PageSpans[] = []
  const fonts = new Map<string, FontStyle>()
  for (const [, tagName, tagAttributes, textTag, textAttributes, inner = ''] of xml.matchAll(TAGS)) {
    const tag = tagName ?? textTag
    const attribute = (name: string) =>
      new RegExp(`\\b${name}="([^"]*)"`).exec(tagAttributes ?? textAttributes ?? '')?.[1] ?? ''
    if (tag === 'page')
      pages.push({
        page: Number(attribute('number')),
        width: Number(attribute('width')),
        height: Number(attribute('height')),
        spans: [],
      })
    if (tag === 'fontspec') fonts.set(attribute('id'), parseFont(attribute('family'), Number(attribute('size'))))
    if (tag === 'text') addSpan(pages.at(-1), inner, attribute, fonts.get(attribute('font')) ?? DEFAULT_FONT)
  }
  return pages
}

function parseFont(family: string, size: number): FontStyle {
  return {
    size,
    isBold: /bold|black|heavy|semibold/i.test(family),
    isItalic: /italic|oblique/i.test(family),
    isMono: /mono|courier|consol|menlo|typewriter|code/i.test(family),
  }
}

function addSpan(
  page: PageSpans | undefined,
  inner: string,
  attribute: (name: string) => string,
  font: FontStyle,
): void {
  const runs = parseRuns(inner, font)
  const text = runs.map(run => run.text).join('')
  if (!page || text.trim() === '') return
  const [left, top, width, height] = ['left', 'top', 'width', 'height'].map(name => Number(attribute(name))) as [
    number,
    number,
    number,
    number,
  ]
  const size = Math.max(1, font.size)
  page.spans.push({
    runs,
    text,
    left,
    top,
    right: left + width,
    bottom: top + height,
    size,
    isMono: font.isMono,
  })
}

/** Only bold, italic and links are nested tags. */
function parseRuns(inner: string, font: FontStyle): TextRun[] {
  const runs: TextRun[] = []
  const open = new Map<string, string>()
  for (const [, closing, tag, address = '', text] of inner.matchAll(
    /<(\/?)(b|i|a)(?:\s+href="([^"]*)")?[^>]*>|([^<]+)/g,
  )) {
    if (tag && closing) open.delete(tag)
    else if (tag) open.set(tag, decodeText(address))
    else runs.push(createRun(decodeText(text ?? ''), open, font))
  }
  return runs.filter(run => run.text !== '')
}

function createRun(text: string, open: ReadonlyMap<string, string>, font: FontStyle): TextRun {
  const href = open.get('a') ?? ''
  const style = { bold: font.isBold || open.has('b'), italic: font.isItalic || open.has('i') }
  return { text, ...style, ...(isWebAddress(href) ? { href } : {}) }
}

function isWebAddress(href: string): boolean {
  return /^(https?:|mailto:)/i.test(href)
}

const ENTITIES: Record<string, string> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'", nbsp: ' ' }
const LIGATURES: Record<string, string> = { ﬀ: 'ff', ﬁ: 'fi', ﬂ: 'fl', ﬃ: 'ffi', ﬄ: 'ffl', ﬅ: 'ft', ﬆ: 'st' }

function decodeText(text: string): string {
  const decoded = text.replaceAll(/&(?:#(\d+)|#x([\da-f]+)|(\w+));/gi, (whole, decimal, hex, name) => {
    if (name) return ENTITIES[name] ?? whole
    return String.fromCodePoint(decimal ? Number(decimal) : Number.parseInt(hex, 16))
  })
  return decoded
    .replaceAll(/[ﬀ-ﬆ]/g, found => LIGATURES[found]!)
    .replaceAll(/[\u00a0\u2007\u202f]/g, ' ')
    .replaceAll('\u00ad', '')
}
