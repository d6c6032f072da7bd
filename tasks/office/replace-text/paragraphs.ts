import type { TextMarkup } from './parts.ts'
import { readTokens, type Token } from './tokens.ts'

/** A stretch of text between two tags. */
export interface Segment {
  start: number
  end: number
  text: string
  /** The tag of the element that holds it, if only some elements hold text. */
  holder?: Token
}

interface Paragraph {
  segments: Segment[]
  /** A copy of what stands elsewhere, for readers that do not know newer shapes. */
  isFallback: boolean
}

/** A tag that stands for white space, such as a tab, across which no text is found. */
const GAP = '\u0000'

/** Finds the paragraphs, those within others too, with the text that readers see. */
export function collectParagraphs(xml: string, part: string, markup: TextMarkup, hasComments: boolean): Paragraph[] {
  const collector = new ParagraphCollector(xml, markup, hasComments)
  for (const token of readTokens(xml, part)) collector.take(token)
  return collector.paragraphs
}

class ParagraphCollector {
  readonly paragraphs: Paragraph[] = []
  readonly #xml: string
  readonly #markup: TextMarkup
  readonly #hasComments: boolean
  readonly #open: Paragraph[] = []
  #holder: Token | undefined
  #skipped = 0
  #fallbacks = 0

  constructor(xml: string, markup: TextMarkup, hasComments: boolean) {
    this.#xml = xml
    this.#markup = markup
    this.#hasComments = hasComments
  }

  take(token: Token): void {
    if (token.kind === 'text') this.#addText(token)
    else if (token.kind === 'open') this.#enter(token)
    else if (token.kind === 'close') this.#leave(token)
    else this.#addGap(token)
  }

  #enter(token: Token): void {
    if (this.#skipped > 0 || this.#isSkipped(token)) {
      this.#skipped += 1
      return
    }
    if (token.name === FALLBACK) this.#fallbacks += 1
    if (this.#markup.isHolder?.(token.name)) this.#holder = token
    if (this.#markup.isParagraph(token.name)) {
      const paragraph = { segments: [], isFallback: this.#fallbacks > 0 }
      this.#open.push(paragraph)
      this.paragraphs.push(paragraph)
    }
  }

  #leave({ name }: Token): void {
    if (this.#skipped > 0) {
      this.#skipped -= 1
      return
    }
    if (name === FALLBACK) this.#fallbacks -= 1
    if (this.#markup.isHolder?.(name)) this.#holder = undefined
    if (this.#markup.isParagraph(name)) this.#open.pop()
  }

  #addText({ start, end }: Token): void {
    const isText = this.#skipped === 0 && (!this.#markup.isHolder || this.#holder)
    if (!isText) return
    const text = decode(this.#xml.slice(start, end))
    this.#open.at(-1)?.segments.push({ start, end, text, holder: this.#holder })
  }

  #addGap({ kind, name, start, end }: Token): void {
    const isGap = kind === 'empty' && GAPS.test(name)
    if (isGap && this.#skipped === 0) this.#open.at(-1)?.segments.push({ start, end, text: GAP })
  }

  #isSkipped({ name, start, end }: Token): boolean {
    if (!this.#hasComments && this.#markup.isComment?.(name)) return true
    return this.#markup.isSkipped(name, this.#xml.slice(start, end))
  }
}

const FALLBACK = 'mc:Fallback'
const GAPS = /(?:^|:)(?:tab|br|cr|ptab|s|line-break)$/

const ENTITIES: Record<string, string> = { lt: '<', gt: '>', amp: '&', quot: '"', apos: "'" }

function decode(xml: string): string {
  if (!xml.includes('&')) return xml
  return xml.replace(/&(?:#x([\da-fA-F]{1,6})|#(\d{1,7})|(\w+));/g, (whole, hex, decimal, name) => {
    if (name !== undefined) return ENTITIES[name as string] ?? whole
    const code = hex === undefined ? Number(decimal) : Number.parseInt(hex as string, 16)
    return code > 0x10ffff ? whole : String.fromCodePoint(code)
  })
}
