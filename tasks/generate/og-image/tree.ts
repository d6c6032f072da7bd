import { Type } from 'typebox'
import { Problem } from '#kit'
import { embedImage, escapeXml } from '../../formats/svg/drawing.ts'

/** Elements of text, boxes, lists and tables. What loads, embeds or runs something is not among them. */
const ELEMENTS = new Set([
  ...[
    'div',
    'span',
    'p',
    'h1',
    'h2',
    'h3',
    'h4',
    'h5',
    'h6',
    'strong',
    'b',
    'em',
    'i',
    'u',
    's',
    'small',
    'sub',
    'sup',
  ],
  ...[
    'mark',
    'code',
    'pre',
    'ul',
    'ol',
    'li',
    'table',
    'tbody',
    'tr',
    'td',
    'th',
    'br',
    'hr',
    'img',
    'header',
    'footer',
  ],
  ...['section', 'main', 'article', 'figure', 'figcaption', 'blockquote'],
])
const VOID = new Set(['br', 'hr', 'img'])
/** Of these styles a number is a number; of the others it is in pixels, as in React. */
const UNITLESS =
  /^(opacity|zIndex|order|flex|flexGrow|flexShrink|fontWeight|lineHeight|lineClamp|WebkitLineClamp|aspectRatio|zoom|orphans|widows|columnCount|gridRow|gridColumn|gridArea)$/
const [MAX_NODES, MAX_DEPTH, MAX_TEXT] = [1_000, 40, 20_000]
const INLINE_IMAGE = /^data:image\/(png|jpeg|gif|webp|svg\+xml|avif);base64,[A-Za-z0-9+/=]+$/

type Art = Partial<Record<string, Uint8Array>>

/** The field that takes a tree. */
export const CustomTree = Type.Record(Type.String(), Type.Unknown(), {
  description:
    'For the template custom: an element {type, props: {style, children}}, as JSX compiles to and satori takes. ' +
    'Styles are those of CSS; a div is a flex box; src of an img is logo, avatar, image or a data: address.',
})

/** Writes a tree of elements, in the form that JSX compiles to and satori takes, as HTML. */
export function renderTree(tree: unknown, art: Art): string {
  if (!isObject(tree)) throw invalid('custom', 'custom is one element')
  return new TreeWriter(art).renderElement(tree, 'custom', 1)
}

class TreeWriter {
  readonly #art: Art
  #nodes = 0
  #characters = 0

  constructor(art: Art) {
    this.#art = art
  }

  renderElement(element: Record<string, unknown>, path: string, depth: number): string {
    if (++this.#nodes > MAX_NODES) throw invalid(path, `the tree has more than ${MAX_NODES} elements`)
    if (depth > MAX_DEPTH) throw invalid(path, `the tree is deeper than ${MAX_DEPTH} elements`)
    const { type, children, attributes } = readElement(element, path)
    const opened = `<${type}${renderAttributes(type, attributes, `${path}.props`, this.#art)}>`
    if (!VOID.has(type)) return `${opened}${this.#renderChild(children, `${path}.props.children`, depth + 1)}</${type}>`
    if (children !== undefined) throw invalid(`${path}.props.children`, `${type} has no children`)
    return opened
  }

  #renderChild(child: unknown, path: string, depth: number): string {
    if (Array.isArray(child))
      return child.map((item, index) => this.#renderChild(item, `${path}[${index}]`, depth)).join('')
    if (isObject(child)) return this.renderElement(child, path, depth)
    // As in JSX, what a condition left out is nothing.
    if (child === null || child === undefined || typeof child === 'boolean') return ''
    const text = String(child)
    this.#characters += text.length
    if (this.#characters > MAX_TEXT) throw invalid(path, `the tree has more than ${MAX_TEXT} characters`)
    return escapeXml(text)
  }
}

function readElement(element: Record<string, unknown>, path: string) {
  const { type, props = {}, ...others } = element
  const unknown = Object.keys(others)[0]
  if (unknown !== undefined) throw invalid(`${path}.${unknown}`, 'an element has type and props')
  if (typeof type !== 'string' || !ELEMENTS.has(type))
    throw invalid(`${path}.type`, `the type is one of ${[...ELEMENTS].join(', ')}`)
  if (!isObject(props)) throw invalid(`${path}.props`, 'props is an object')
  const { children, ...attributes } = props
  return { type, children, attributes }
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function renderAttributes(type: string, attributes: Record<string, unknown>, path: string, art: Art): string {
  return Object.entries(attributes)
    .map(([name, value]) => {
      if (name === 'style') return ` style="${escapeXml(renderStyle(value, `${path}.style`))}"`
      if (name === 'src' && type === 'img') return ` src="${findImage(value, art, `${path}.src`)}"`
      const isPlain = typeof value === 'string' || typeof value === 'number'
      if (!isPlain || !isAttribute(type, name)) throw invalid(`${path}.${name}`, `${type} does not take ${name}`)
      return ` ${name.toLowerCase()}="${escapeXml(String(value))}"`
    })
    .join('')
}

function isAttribute(type: string, name: string): boolean {
  if (name === 'dir' || name === 'lang') return true
  if (type === 'img') return name === 'width' || name === 'height' || name === 'alt'
  return (type === 'td' || type === 'th') && (name === 'colSpan' || name === 'rowSpan')
}

function renderStyle(style: unknown, path: string): string {
  if (!isObject(style)) throw invalid(path, 'style is an object of properties')
  return Object.entries(style)
    .map(([name, value]) => {
      const isValue = typeof value === 'number' || (typeof value === 'string' && value.length <= 1_000)
      if (!isValue || !/^[a-zA-Z]+$/.test(name)) throw invalid(`${path}.${name}`, 'a style is a text or a number')
      const property = name.replace(/[A-Z]/g, letter => `-${letter.toLowerCase()}`)
      return `${property}:${typeof value === 'number' && !UNITLESS.test(name) ? `${value}px` : value}`
    })
    .join(';')
}

function findImage(source: unknown, art: Art, path: string): string {
  const file = typeof source === 'string' ? art[source] : undefined
  if (file) return embedImage('image/png', file)
  if (typeof source === 'string' && INLINE_IMAGE.test(source)) return source
  throw invalid(path, 'src is logo, avatar or image, sent with the call, or a data: address of an image')
}

function invalid(path: string, message: string): Problem {
  return new Problem('INVALID_PARAM', { field: path, reason: message })
}
