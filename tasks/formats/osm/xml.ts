import { OsmParseError, type OsmVisitor, type OsmWay } from './element.ts'

const MAX_TAG_CHARACTERS = 64 * 1024
const QUOTE_OR_END = /["'>]/g
const ENTITIES: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" }

/**
 * Reads a file of OpenStreetMap in XML, chunk by chunk. It knows what such files consist of: elements whose data are
 * attributes. Text and comments are skipped; entities are the five of XML and characters by number.
 */
export class OsmXmlReader {
  #rest = ''
  #way: { nodes: number[]; tags: Record<string, string> } | undefined
  #hasRoot = false
  readonly #visitor: OsmVisitor

  constructor(visitor: OsmVisitor) {
    this.#visitor = visitor
  }

  write(text: string): void {
    this.#rest += text
    let read = 0
    for (;;) {
      const start = this.#rest.indexOf('<', read)
      if (start < 0) break
      const end = this.#findEnd(start)
      if (end < 0) {
        if (this.#rest.length - start > MAX_TAG_CHARACTERS) throw new OsmParseError('an element does not end')
        read = start
        this.#rest = this.#rest.slice(read)
        return
      }
      this.#readTag(this.#rest.slice(start + 1, end))
      read = end + 1
    }
    this.#rest = ''
  }

  end(): void {
    if (!this.#hasRoot || this.#rest.length > 0 || this.#way)
      throw new OsmParseError('the file ends early, or is no XML of OpenStreetMap')
  }

  /** The end of a tag; a value in quotes may have a `>`. */
  #findEnd(start: number): number {
    if (this.#rest.startsWith('<!--', start)) {
      const end = this.#rest.indexOf('-->', start + 4)
      return end < 0 ? -1 : end + 2
    }
    for (let at = start + 1; ; ) {
      QUOTE_OR_END.lastIndex = at
      const found = QUOTE_OR_END.exec(this.#rest)
      if (!found || found[0] === '>') return found ? found.index : -1
      at = this.#rest.indexOf(found[0], found.index + 1) + 1
      if (at === 0) return -1
    }
  }

  #readTag(tag: string): void {
    const name = /^\/?[\w.-]+/.exec(tag)?.[0]
    if (name === 'osm') this.#hasRoot = true
    else if (name && !this.#hasRoot) throw new OsmParseError('this is no XML of OpenStreetMap')
    else if (name === 'node') this.#readNode(tag)
    else if (name === 'way') this.#way = { nodes: [], tags: {} }
    else if (this.#way) this.#readPart(name, tag, this.#way)
    if (name === '/way' || (name === 'way' && tag.endsWith('/'))) this.#endWay()
  }

  #readNode(tag: string): void {
    const { node } = this.#visitor
    if (!node) return
    const { id, lat, lon } = readAttributes(tag)
    // A node that was deleted has no coordinates.
    if (id !== undefined && lat !== undefined && lon !== undefined) node(Number(id), Number(lat), Number(lon))
  }

  #readPart(name: string | undefined, tag: string, way: OsmWay & { tags: Record<string, string> }): void {
    if (name === 'nd') {
      const { ref } = readAttributes(tag)
      if (ref !== undefined) way.nodes.push(Number(ref))
    } else if (name === 'tag') {
      const { k, v } = readAttributes(tag)
      if (k !== undefined && v !== undefined) way.tags[k] = v
    }
  }

  #endWay(): void {
    if (this.#way) this.#visitor.way?.(this.#way)
    this.#way = undefined
  }
}

function readAttributes(tag: string): Record<string, string> {
  const found: Record<string, string> = {}
  for (const [, name, double, single] of tag.matchAll(/([\w:.-]+)\s*=\s*(?:"([^"]*)"|'([^']*)')/g))
    found[name!] = decode(double ?? single ?? '')
  return found
}

function decode(text: string): string {
  if (!text.includes('&')) return text
  return text.replace(/&(?:#(\d{1,7})|#x([0-9a-fA-F]{1,6})|(\w+));/g, (whole, decimal, hex, name) => {
    if (name) return ENTITIES[name] ?? whole
    const point = decimal ? Number(decimal) : Number.parseInt(hex, 16)
    return point <= 0x10ffff ? String.fromCodePoint(point) : whole
  })
}
