import { ListFault } from './fault.ts'

/** An element with what is in it. Prefixes of names are left out. */
export interface XmlElement {
  name: string
  attributes: Readonly<Record<string, string>>
  text: string
  children: XmlElement[]
}

const MAX_TAG = 256 * 1024
const MAX_DEPTH = 50
const MAX_RECORD_PARTS = 200_000
const ENTITIES: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" }

/**
 * Reads an XML file piece by piece, and gives the elements of some names as they end; of others only `onStart` hears. It knows
 * no document types, so no entity can be declared and none can grow.
 */
export class XmlRecords {
  #rest = ''
  #open: string[] = []
  #record: XmlElement[] = []
  #parts = 0
  #hasRoot = false
  readonly #names: ReadonlySet<string>
  readonly #onStart: (element: XmlElement) => void

  constructor(names: readonly string[], onStart: (element: XmlElement) => void = () => undefined) {
    this.#names = new Set(names)
    this.#onStart = onStart
  }

  *write(text: string): Generator<XmlElement> {
    this.#rest += text
    let read = 0
    for (;;) {
      const start = this.#rest.indexOf('<', read)
      const end = start < 0 ? -1 : this.#findEnd(start)
      if (end < 0) break
      this.#addText(this.#rest.slice(read, start))
      const ended = this.#readMarkup(this.#rest.slice(start, end + 1))
      if (ended) yield ended
      read = end + 1
    }
    this.#rest = this.#rest.slice(read)
    if (this.#rest.length > MAX_TAG) throw new ListFault('A tag or a text of the XML is too long, or does not end.')
  }

  /** Throws if the file ended before its root did. */
  end(): void {
    if (!this.#hasRoot || this.#open.length > 0 || this.#rest.trim() !== '')
      throw new ListFault('The XML ends before its end: the file is truncated.')
  }

  #findEnd(start: number): number {
    if (this.#rest.startsWith('<!--', start)) return endOf(this.#rest.indexOf('-->', start + 4), 2)
    if (this.#rest.startsWith('<![CDATA[', start)) return endOf(this.#rest.indexOf(']]>', start + 9), 2)
    // What begins like one of those may go on in the next piece.
    if (this.#rest.startsWith('<!', start) && this.#rest.length - start < 9) return -1
    for (let at = start + 1; at < this.#rest.length; at++) {
      const mark = this.#rest[at]!
      if (mark === '>') return at
      if (mark !== '"' && mark !== "'") continue
      at = this.#rest.indexOf(mark, at + 1)
      if (at < 0) return -1
    }
    return -1
  }

  #readMarkup(markup: string): XmlElement | undefined {
    if (markup.startsWith('<!--') || markup.startsWith('<?')) return undefined
    if (markup.startsWith('<![CDATA[')) {
      this.#addRaw(markup.slice(9, -3))
      return undefined
    }
    if (markup.startsWith('<!')) throw new ListFault('The XML declares a document type, which is not read.')
    if (markup.startsWith('</')) return this.#close(readName(markup.slice(2, -1)))
    const isEmpty = markup.endsWith('/>')
    this.#start(markup.slice(1, isEmpty ? -2 : -1))
    return isEmpty ? this.#close(this.#open.at(-1)!) : undefined
  }

  #start(tag: string): void {
    if (this.#hasRoot && this.#open.length === 0) throw new ListFault('The XML has more than one root.')
    const name = readName(tag)
    const element = { name, attributes: readAttributes(tag), text: '', children: [] }
    this.#hasRoot = true
    if (this.#open.push(name) > MAX_DEPTH) throw new ListFault('The XML is nested too deeply.')
    const parent = this.#record.at(-1)
    if (!parent && !this.#names.has(name)) {
      this.#onStart(element)
      return
    }
    if (!parent) this.#parts = 0
    else if (++this.#parts > MAX_RECORD_PARTS) throw new ListFault('An entry of the XML is too large.')
    parent?.children.push(element)
    this.#record.push(element)
  }

  #close(name: string): XmlElement | undefined {
    if (this.#open.pop() !== name) throw new ListFault(`The XML closes ${name.slice(0, 50)}, which is not open.`)
    const element = this.#record.pop()
    if (element) element.text = element.text.trim()
    return this.#record.length === 0 ? element : undefined
  }

  #addText(text: string): void {
    if (this.#record.length > 0) this.#addRaw(decode(text))
  }

  #addRaw(text: string): void {
    const element = this.#record.at(-1)
    if (element) element.text += text
  }
}

function endOf(at: number, after: number): number {
  return at < 0 ? -1 : at + after
}

function readName(tag: string): string {
  const [, name] = /^(?:[\w.-]+:)?([\w.-]+)/.exec(tag) ?? []
  if (!name) throw new ListFault('The XML has a tag without a name.')
  return name
}

function readAttributes(tag: string): Record<string, string> {
  const found: Record<string, string> = {}
  for (const [, name, double, single] of tag.matchAll(/([\w.-]+)\s*=\s*(?:"([^"]*)"|'([^']*)')/g))
    found[name!] = decode(double ?? single ?? '')
  return found
}

function decode(text: string): string {
  if (!text.includes('&')) return text
  return text.replace(
    /&(?:#(\d{1,7})|#x([0-9a-fA-F]{1,6})|(\w+));/g,
    (_whole, decimal, hex, name: string | undefined) => {
      if (name !== undefined) return readEntity(name)
      const point = decimal ? Number(decimal) : Number.parseInt(hex, 16)
      return point <= 0x10ffff ? String.fromCodePoint(point) : ''
    },
  )
}

function readEntity(name: string): string {
  const known = ENTITIES[name]
  if (known === undefined)
    throw new ListFault(`The XML has the entity ${name.slice(0, 50)}, which is none of XML itself.`)
  return known
}

/** The text of the first child with a name; empty if there is none. */
export function textOf(element: XmlElement | undefined, name: string): string {
  return childOf(element, name)?.text ?? ''
}

export function childOf(element: XmlElement | undefined, name: string): XmlElement | undefined {
  return element?.children.find(child => child.name === name)
}

export function childrenOf(element: XmlElement | undefined, name: string): XmlElement[] {
  return element?.children.filter(child => child.name === name) ?? []
}
