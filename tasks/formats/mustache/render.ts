import { Problem } from '#kit'
import { createEscaper, type Escape } from './escape.ts'

// Decision 0052: choose the engines of the text operations.

export interface TemplateOptions {
  template: string
  partials: Record<string, string>
  strictVariables: boolean
  escape: Escape
  /** One text is rendered for each. */
  scopes: readonly object[]
}

interface PartialNode {
  kind: 'partial'
  name: string
  line: number
  /** The white space before a partial that is alone on its line: every line of the partial begins with it. */
  indent: string
}

type Node =
  | { kind: 'text'; text: string }
  | { kind: 'value'; name: string; isRaw: boolean; line: number }
  | { kind: 'section' | 'inverted'; name: string; body: Node[]; line: number }
  | PartialNode

const MAX_DEPTH = 8
const MAX_OUTPUT_LENGTH = 4 * 2 ** 20
/** Of all partials with their indentation. */
const MAX_PARSED_LENGTH = 16 * 2 ** 20

/** Renders Mustache without lambdas: values, sections, inverted sections, partials, comments and custom delimiters. */
export function renderMustache({ template, partials, scopes, ...options }: TemplateOptions): string[] {
  const sources = new Map(Object.entries(partials))
  const parsed = new Map<string, Node[]>()
  let parsedLength = 0
  const partial = ({ name, line, indent }: PartialNode) => {
    const source = sources.get(name)
    if (source === undefined)
      throw new Problem('TEMPLATE_SYNTAX', { line, detail: `partial ${name.slice(0, 100)} is not given` })
    const key = `${indent}${name}`
    const known = parsed.get(key)
    if (known) return known
    parsedLength += source.length + (indent === '' ? 0 : (countNewlines(source) + 1) * indent.length)
    if (parsedLength > MAX_PARSED_LENGTH) throw new Problem('OUTPUT_TOO_LARGE', { limit: MAX_PARSED_LENGTH })
    const nodes = parse(indentLines(source, indent))
    parsed.set(key, nodes)
    return nodes
  }
  const nodes = parse(template)
  return scopes.map(scope => new Renderer(options, partial).render(nodes, [scope]))
}

function indentLines(source: string, indent: string): string {
  return indent === '' ? source : source.replace(/(^|\n)(?=[^\r\n])/g, `$1${indent}`)
}

const TAG_KINDS = '#^/&>!={'

const STANDALONE_SIGNS = '#^/>!='

interface Tag {
  sign: string
  name: string
  end: number
}

function parse(template: string): Node[] {
  const tree = new TreeBuilder()
  let [from, line] = [0, 1]
  let [left, right] = ['{{', '}}']
  for (let at = template.indexOf(left); at >= 0; at = template.indexOf(left, from)) {
    const text = template.slice(from, at)
    line += countNewlines(text)
    const tag = readTag(template, at, left, right, line)
    const isAlone = tag.sign !== '' && STANDALONE_SIGNS.includes(tag.sign) && isStandalone(template, at, tag.end)
    const indent = isAlone ? readIndent(text) : ''
    tree.add({ kind: 'text', text: text.slice(0, text.length - indent.length) })
    from = isAlone ? tag.end + REST_OF_LINE.exec(template.slice(tag.end, tag.end + 1000))![0].length : tag.end
    if (tag.sign === '=') [left, right] = parseDelimiters(tag.name, line)
    else tree.addTag(tag, line, indent)
    line += countNewlines(template.slice(at, from))
  }
  tree.add({ kind: 'text', text: template.slice(from) })
  return tree.finish()
}

function readIndent(text: string): string {
  let start = text.length
  while (start > 0 && (text[start - 1] === ' ' || text[start - 1] === '\t')) start--
  return text.slice(start)
}

const REST_OF_LINE = /^[ \t]*(?:\r?\n|$)/

/** Collects the parsed nodes and tracks the open sections. */
class TreeBuilder {
  readonly #openSections: { name: string; outer: Node[]; line: number }[] = []
  #body: Node[] = []

  add(node: Node): void {
    this.#body.push(node)
  }

  addTag({ sign, name }: Tag, line: number, indent: string): void {
    if (sign === '#' || sign === '^') this.#openSection(sign === '#' ? 'section' : 'inverted', name, line)
    else if (sign === '/') this.#closeSection(name, line)
    else if (sign === '>') this.add({ kind: 'partial', name, line, indent })
    else if (sign !== '!') this.add({ kind: 'value', name, isRaw: sign !== '', line })
  }

  finish(): Node[] {
    const last = this.#openSections.at(-1)
    if (last)
      throw new Problem('TEMPLATE_SYNTAX', {
        line: last.line,
        detail: `section ${last.name.slice(0, 100)} is not closed`,
      })
    return this.#body
  }

  #openSection(kind: 'section' | 'inverted', name: string, line: number): void {
    const inner: Node[] = []
    this.add({ kind, name, body: inner, line })
    this.#openSections.push({ name, outer: this.#body, line })
    const isTooDeep = this.#openSections.length > MAX_DEPTH
    if (isTooDeep)
      throw new Problem('TEMPLATE_SYNTAX', { line, detail: `sections are nested deeper than ${MAX_DEPTH}` })
    this.#body = inner
  }

  #closeSection(name: string, line: number): void {
    const last = this.#openSections.pop()
    if (last?.name !== name) {
      throw new Problem('TEMPLATE_SYNTAX', { line, detail: `unexpected end of ${name.slice(0, 100)}` })
    }
    this.#body = last.outer
  }
}

function countNewlines(text: string): number {
  return text.match(/\n/g)?.length ?? 0
}

function readTag(template: string, at: number, left: string, right: string, line: number) {
  const start = at + left.length
  const first = template[start] ?? ''
  const sign = TAG_KINDS.includes(first) ? first : ''
  const close = sign === '{' ? `}${right}` : sign === '=' ? `=${right}` : right
  const end = template.indexOf(close, start + sign.length)
  if (end < 0) throw new Problem('TEMPLATE_SYNTAX', { line, detail: 'a tag is not closed' })
  return { sign, name: template.slice(start + sign.length, end).trim(), end: end + close.length }
}

/** A tag that is alone on its line is removed together with the line. */
function isStandalone(template: string, at: number, end: number): boolean {
  const before = template.slice(template.lastIndexOf('\n', at - 1) + 1, at)
  return /^[ \t]*$/.test(before) && REST_OF_LINE.test(template.slice(end, end + 1000))
}

function parseDelimiters(text: string, line: number): [string, string] {
  const [left, right, ...rest] = text.split(/\s+/)
  if (!left || !right || rest.length > 0) throw new Problem('TEMPLATE_SYNTAX', { line, detail: 'invalid delimiters' })
  return [left, right]
}

class Renderer {
  readonly #isStrict: boolean
  readonly #escape: (value: unknown) => string
  readonly #toText = createEscaper('none')
  readonly #findPartial: (node: PartialNode) => Node[]
  #outputLength = 0

  constructor(
    { strictVariables, escape: escaping }: Pick<TemplateOptions, 'strictVariables' | 'escape'>,
    partial: (node: PartialNode) => Node[],
  ) {
    this.#isStrict = strictVariables
    this.#escape = createEscaper(escaping)
    this.#findPartial = partial
  }

  render(nodes: readonly Node[], scopes: readonly unknown[], depth = 0): string {
    if (depth > MAX_DEPTH * 4) throw new Problem('TEMPLATE_SYNTAX', { detail: 'partials are nested too deeply' })
    let text = ''
    for (const node of nodes) {
      const piece = this.#renderNode(node, scopes, depth)
      this.#outputLength += node.kind === 'text' || node.kind === 'value' ? piece.length : 1
      if (this.#outputLength > MAX_OUTPUT_LENGTH) throw new Problem('OUTPUT_TOO_LARGE', { limit: MAX_OUTPUT_LENGTH })
      text += piece
    }
    return text
  }

  #renderNode(node: Node, scopes: readonly unknown[], depth: number): string {
    if (node.kind === 'text') return node.text
    if (node.kind === 'partial') return this.render(this.#findPartial(node), scopes, depth + 1)
    const value = lookUp(node.name, scopes)
    if (node.kind === 'value') return this.#renderValue(value, node)
    const isEmpty = !value || (Array.isArray(value) && value.length === 0)
    if (isEmpty !== (node.kind === 'inverted')) return ''
    if (isEmpty) return this.render(node.body, scopes, depth + 1)
    const items = Array.isArray(value) ? value : [value]
    return items.map(item => this.render(node.body, [...scopes, item], depth + 1)).join('')
  }

  #renderValue(value: unknown, { name, line, isRaw }: Node & { kind: 'value' }): string {
    if (value === undefined && this.#isStrict) throw new Problem('TEMPLATE_VARIABLE', { name, line })
    return (isRaw ? this.#toText : this.#escape)(value)
  }
}

/** Looks at own properties only, so that no template reaches inherited ones. */
function lookUp(name: string, scopes: readonly unknown[]): unknown {
  if (name === '.') return scopes.at(-1)
  const [first, ...rest] = name.split('.')
  const owner = scopes.findLast(scope => hasOwn(scope, first!))
  return rest.reduce((value, key) => getOwn(value, key), getOwn(owner, first!))
}

function hasOwn(value: unknown, key: string): boolean {
  return typeof value === 'object' && value !== null && Object.hasOwn(value, key)
}

function getOwn(value: unknown, key: string): unknown {
  return hasOwn(value, key) ? (value as Record<string, unknown>)[key] : undefined
}
