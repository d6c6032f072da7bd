import { Problem } from '#kit'

/** An element, without its namespace if not asked otherwise. Text between the elements of mixed content is joined. */
export interface XmlElement {
  name: string
  attributes: Record<string, string>
  children: XmlElement[]
  text: string
}

const MAX_DEPTH = 60
const MAX_TOKENS = 1_000_000
const TOKEN =
  /<!--[\s\S]*?-->|<\?[\s\S]*?\?>|<!\[CDATA\[(?<data>[\s\S]*?)\]\]>|<\/(?<closing>[^\s>]+)\s*>|<(?<opening>[^\s/>!?]+)(?<attributes>[^>"']*(?:(?:"[^"]*"|'[^']*')[^>"']*){0,200})>|(?<plain>[^<]+)/y
const ATTRIBUTE = /(?<!\S)([^\s=]+)\s*=\s*(?:"([^"]*)"|'([^']*)')/g

/** Reads a document without types: entities of its own are never expanded, because a DOCTYPE is refused. */
export function parseXml(text: string, nameOf: (name: string) => string = localName): XmlElement {
  const root = createElement('', '', nameOf)
  const open = [root]
  TOKEN.lastIndex = 0
  for (let count = 0; TOKEN.lastIndex < text.length; count++) {
    const token = TOKEN.exec(text)
    if (!token) throw invalid('is not well formed')
    if (count > MAX_TOKENS || open.length > MAX_DEPTH) throw invalid('is too large')
    applyToken(open, token.groups!, nameOf)
  }
  const isOne = open.length === 1 && root.children.length === 1 && root.text.trim() === ''
  if (!isOne) throw invalid('is not well formed')
  return root.children[0]!
}

/** `open` has the elements that are not closed yet, the innermost last. */
function applyToken(
  open: XmlElement[],
  token: Record<string, string | undefined>,
  nameOf: (name: string) => string,
): void {
  const { data, closing, opening, attributes = '', plain } = token
  const parent = open.at(-1)!
  if (data !== undefined) parent.text += data
  else if (plain !== undefined) parent.text += decodeEntities(plain)
  else if (closing !== undefined) closeElement(open, nameOf(closing))
  else if (opening !== undefined) {
    const element = createElement(nameOf(opening), attributes, nameOf)
    parent.children.push(element)
    if (!attributes.endsWith('/')) open.push(element)
  }
}

function closeElement(open: XmlElement[], name: string): void {
  if (open.length === 1 || open.pop()!.name !== name) throw invalid('is not well formed')
}

function createElement(name: string, attributes: string, nameOf: (name: string) => string): XmlElement {
  return { name, attributes: attributes === '' ? {} : readAttributes(attributes, nameOf), children: [], text: '' }
}

function invalid(what: string): Problem {
  return new Problem('DOC_PARSE_FAILED', { detail: `the XML ${what}` })
}

function localName(name: string): string {
  return name.slice(name.indexOf(':') + 1)
}

function readAttributes(text: string, nameOf: (name: string) => string): Record<string, string> {
  return Object.fromEntries(
    [...text.matchAll(ATTRIBUTE)].map(([, name, double, single]) => [nameOf(name!), decodeEntities(double ?? single!)]),
  )
}

const ENTITIES: Record<string, string> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" }

function decodeEntities(text: string): string {
  if (!text.includes('&')) return text
  return text.replaceAll(/&(?:#x([0-9a-fA-F]{1,6})|#(\d{1,7})|(\w+));/g, (whole, hex, decimal, name: string) => {
    if (name !== undefined) return ENTITIES[name] ?? whole
    const code = hex === undefined ? Number(decimal) : Number.parseInt(hex as string, 16)
    return code <= 0x10_ff_ff ? String.fromCodePoint(code) : whole
  })
}

/** Decodes a document by its byte order mark or its declaration. */
export function decodeXml(bytes: Uint8Array): string {
  const head = new TextDecoder('latin1').decode(bytes.subarray(0, 200))
  const isWide = (bytes[0] === 0xfe && bytes[1] === 0xff) || (bytes[0] === 0xff && bytes[1] === 0xfe)
  const wide = bytes[0] === 0xfe ? 'utf-16be' : 'utf-16le'
  const declared = /^\s*<\?xml[^>]*encoding\s*=\s*["']([\w-]+)["']/.exec(head)?.[1] ?? 'utf-8'
  try {
    return new TextDecoder(isWide ? wide : declared).decode(bytes)
  } catch {
    throw new Problem('ENCODING_INVALID', { encoding: declared })
  }
}

/** The elements at a path of names below an element. A name may give alternatives: `A|B`. */
export function findAll(element: XmlElement | undefined, path: string): XmlElement[] {
  let found = element ? [element] : []
  for (const step of path.split('/')) {
    const names = step.split('|')
    found = found.flatMap(({ children }) => children.filter(({ name }) => names.includes(name)))
  }
  return found
}

export function findFirst(element: XmlElement | undefined, path: string): XmlElement | undefined {
  return findAll(element, path)[0]
}

export function readText(element: XmlElement | undefined, path: string): string | undefined {
  return findAll(element, path)
    .map(({ text }) => text.trim())
    .find(text => text !== '')
}
