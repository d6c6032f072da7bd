/** A piece of text as a page shows it, in points from the top left corner. */
export interface Span {
  parts: Part[]
  text: string
  left: number
  top: number
  right: number
  bottom: number
  size: number
  isMono: boolean
}

/** Text of one look. */
export interface Part {
  text: string
  bold: boolean
  italic: boolean
  href?: string
}

export interface Paper {
  page: number
  width: number
  height: number
  spans: Span[]
}

const TAGS = /<(page|fontspec)\s([^>]*)>|<(text)\s([^>]*)>([\s\S]*?)<\/text>/g

interface FontLook {
  size: number
  isBold: boolean
  isItalic: boolean
  isMono: boolean
}

const PLAIN: FontLook = { size: 10, isBold: false, isItalic: false, isMono: false }

/** Reads what `pdftohtml -xml` writes: one program's fixed form, not any XML. */
export function papersIn(xml: string): Paper[] {
  const papers: Paper[] = []
  const fonts = new Map<string, FontLook>()
  for (const [, head, about, text, place, inner = ''] of xml.matchAll(TAGS)) {
    const tag = head ?? text
    const value = (name: string) => new RegExp(`\\b${name}="([^"]*)"`).exec(about ?? place ?? '')?.[1] ?? ''
    if (tag === 'page')
      papers.push({
        page: Number(value('number')),
        width: Number(value('width')),
        height: Number(value('height')),
        spans: [],
      })
    if (tag === 'fontspec') fonts.set(value('id'), lookOf(value('family'), Number(value('size'))))
    if (tag === 'text') addSpan(papers.at(-1), inner, value, fonts.get(value('font')) ?? PLAIN)
  }
  return papers
}

function lookOf(family: string, size: number): FontLook {
  return {
    size,
    isBold: /bold|black|heavy|semibold/i.test(family),
    isItalic: /italic|oblique/i.test(family),
    isMono: /mono|courier|consol|menlo|typewriter|code/i.test(family),
  }
}

function addSpan(paper: Paper | undefined, inner: string, value: (name: string) => string, look: FontLook): void {
  const parts = partsIn(inner, look)
  const text = parts.map(part => part.text).join('')
  if (!paper || text.trim() === '') return
  const [left, top, width, height] = ['left', 'top', 'width', 'height'].map(name => Number(value(name))) as [
    number,
    number,
    number,
    number,
  ]
  const size = Math.max(1, look.size)
  paper.spans.push({ parts, text, left, top, right: left + width, bottom: top + height, size, isMono: look.isMono })
}

/** Bold, italic and links are nested tags; nothing else is. */
function partsIn(inner: string, look: FontLook): Part[] {
  const parts: Part[] = []
  const open = new Map<string, string>()
  for (const [, closing, tag, address = '', text] of inner.matchAll(
    /<(\/?)(b|i|a)(?:\s+href="([^"]*)")?[^>]*>|([^<]+)/g,
  )) {
    if (tag && closing) open.delete(tag)
    else if (tag) open.set(tag, plain(address))
    else parts.push(partOf(plain(text ?? ''), open, look))
  }
  return parts.filter(part => part.text !== '')
}

function partOf(text: string, open: ReadonlyMap<string, string>, look: FontLook): Part {
  const href = open.get('a') ?? ''
  const style = { bold: look.isBold || open.has('b'), italic: look.isItalic || open.has('i') }
  return { text, ...style, ...(isOutside(href) ? { href } : {}) }
}

function isOutside(href: string): boolean {
  return /^(https?:|mailto:)/i.test(href)
}

const ENTITIES: Record<string, string> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'", nbsp: ' ' }
const LIGATURES: Record<string, string> = { ﬀ: 'ff', ﬁ: 'fi', ﬂ: 'fl', ﬃ: 'ffi', ﬄ: 'ffl', ﬅ: 'ft', ﬆ: 'st' }

function plain(text: string): string {
  const decoded = text.replaceAll(/&(?:#(\d+)|#x([\da-f]+)|(\w+));/gi, (whole, decimal, hex, name) => {
    if (name) return ENTITIES[name] ?? whole
    return String.fromCodePoint(decimal ? Number(decimal) : Number.parseInt(hex, 16))
  })
  return decoded
    .replaceAll(/[ﬀ-ﬆ]/g, found => LIGATURES[found]!)
    .replaceAll(/[\u00a0\u2007\u202f]/g, ' ')
    .replaceAll('\u00ad', '')
}
