type BlockKind = 'prose' | 'heading' | 'table' | 'code'

/** A part of a text. The blocks of a text follow each other without a gap; the empty lines after one belong to it. */
export interface Block {
  kind: BlockKind
  start: number
  end: number
  /** Of a heading: how deep it is, and its words. */
  level?: number
  title?: string
  /** Of a table in Markdown: where its first row begins, after the names of its columns. */
  bodyStart?: number
}

interface Line {
  start: number
  /** After its line break. */
  end: number
  text: string
}

/** More of a line is not looked at: no mark is longer. */
const MAX_MARK_CHARS = 4_096

/** Finds the headings, tables and code blocks of Markdown; all else is prose, a block for each paragraph. */
export function listBlocks(text: string): Block[] {
  const reader = new BlockReader(text)
  return reader.read()
}

class BlockReader {
  readonly #text: string
  readonly #lines: Line[]
  #at = 0

  constructor(text: string) {
    this.#text = text
    this.#lines = listLines(text)
  }

  read(): Block[] {
    const blocks: Block[] = []
    while (this.#at < this.#lines.length) {
      const block = this.#readBlock()
      this.#skipBlank()
      const { start } = this.#lines[this.#at] ?? { start: this.#text.length }
      blocks.push({ ...block, end: start })
    }
    return blocks
  }

  #readBlock(): Omit<Block, 'end'> {
    const { start, text } = this.#lines[this.#at]!
    const fence = readFence(text)
    if (fence) return this.#readCode(start, fence)
    const heading = readHeading(text)
    if (heading) {
      this.#at += 1
      return { kind: 'heading', start, ...heading }
    }
    if (this.#beginsTable()) return this.#readTable(start)
    if (/^ {0,3}<table[\s>]/i.test(text)) return this.#readHtmlTable(start)
    return this.#readParagraph(start)
  }

  /** A fence that is never closed holds the rest, as Markdown says. */
  #readCode(start: number, fence: string): Omit<Block, 'end'> {
    this.#at += 1
    while (this.#at < this.#lines.length && !closesFence(this.#lines[this.#at]!.text, fence)) this.#at += 1
    this.#at += 1
    return { kind: 'code', start }
  }

  #beginsTable(): boolean {
    const [head, rule] = [this.#lines[this.#at], this.#lines[this.#at + 1]]
    return head!.text.includes('|') && rule !== undefined && isRule(rule.text)
  }

  #readTable(start: number): Omit<Block, 'end'> {
    this.#at += 2
    const bodyStart = this.#lines[this.#at]?.start ?? this.#text.length
    while (this.#lines[this.#at]?.text.includes('|')) this.#at += 1
    return { kind: 'table', start, bodyStart }
  }

  #readHtmlTable(start: number): Omit<Block, 'end'> {
    while (this.#at < this.#lines.length) {
      const { text } = this.#lines[this.#at]!
      if (text.trim() === '') break
      this.#at += 1
      if (/<\/table>/i.test(text)) break
    }
    return { kind: 'table', start }
  }

  #readParagraph(start: number): Omit<Block, 'end'> {
    do this.#at += 1
    while (this.#at < this.#lines.length && !this.#beginsBlock())
    return { kind: 'prose', start }
  }

  #beginsBlock(): boolean {
    const { text } = this.#lines[this.#at]!
    if (text.trim() === '' || readFence(text) !== undefined || readHeading(text) !== undefined) return true
    return this.#beginsTable() || /^ {0,3}<table[\s>]/i.test(text)
  }

  #skipBlank(): void {
    while (this.#at < this.#lines.length && this.#lines[this.#at]!.text.trim() === '') this.#at += 1
  }
}

/** A line ends with a line feed, a carriage return or both. */
function listLines(text: string): Line[] {
  const lines: Line[] = []
  const breaks = /\r\n?|\n/g
  let start = 0
  while (start < text.length) {
    const found = breaks.exec(text)
    const end = found ? breaks.lastIndex : text.length
    const until = Math.min(found ? found.index : end, start + MAX_MARK_CHARS)
    lines.push({ start, end, text: text.slice(start, until) })
    start = end
  }
  return lines
}

function readFence(line: string): string | undefined {
  return /^ {0,3}(`{3,}(?=[^`]*$)|~{3,})/.exec(line)?.[1]
}

function closesFence(line: string, fence: string): boolean {
  const found = /^ {0,3}(`{3,}|~{3,})[ \t]*$/.exec(line)?.[1]
  return found !== undefined && found[0] === fence[0] && found.length >= fence.length
}

function readHeading(line: string): { level: number; title: string } | undefined {
  const found = /^ {0,3}(#{1,6})(?:[ \t]+|$)/.exec(line)
  if (!found) return undefined
  const title = line
    .slice(found[0].length)
    .trim()
    .replace(/[ \t]#+$/, '')
  return { level: found[1]!.length, title: title.slice(0, MAX_TITLE_CHARS).toWellFormed() }
}

const MAX_TITLE_CHARS = 200

/** The line between the names of the columns and the rows. */
function isRule(line: string): boolean {
  return line.includes('-') && line.includes('|') && /^[\s|:-]+$/.test(line)
}
