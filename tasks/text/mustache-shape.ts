import { Problem } from '#kit'
import { type Escape, escapeFor } from './escape-shape.ts'

export interface MustacheOrder {
  template: string
  partials: Record<string, string>
  strictVariables: boolean
  escape: Escape
  scopes: readonly object[]
}

type Node =
  | { kind: 'text'; text: string }
  | { kind: 'value'; name: string; isRaw: boolean; line: number }
  | { kind: 'section' | 'inverted'; name: string; body: Node[]; line: number }
  | { kind: 'partial'; name: string; line: number }

const MOST_DEPTH = 8
const MOST_LETTERS = 4 * 2 ** 20

/** Mustache without its lambdas: values, sections, inverted sections, partials, comments, other delimiters. */
export function renderMustache({ template, partials, scopes, ...manner }: MustacheOrder): string[] {
  const sources = new Map(Object.entries(partials))
  const parsed = new Map<string, Node[]>()
  const partial = (name: string, line: number) => {
    const source = sources.get(name)
    if (source === undefined) throw new Problem('TEMPLATE_SYNTAX', { line, detail: `no partial ${name.slice(0, 100)}` })
    const nodes = parsed.get(name) ?? parse(source)
    parsed.set(name, nodes)
    return nodes
  }
  const nodes = parse(template)
  return scopes.map(scope => new Renderer(manner, partial).render(nodes, [scope]))
}

const TAG_KINDS = '#^/&>!={'

const STANDING_ALONE = '#^/>!='

interface Tag {
  sign: string
  name: string
  end: number
}

function parse(template: string): Node[] {
  const tree = new Tree()
  let [from, line] = [0, 1]
  let [left, right] = ['{{', '}}']
  for (let at = template.indexOf(left); at >= 0; at = template.indexOf(left, from)) {
    const text = template.slice(from, at)
    line += newlines(text)
    const tag = readTag(template, at, left, right, line)
    const isAlone = tag.sign !== '' && STANDING_ALONE.includes(tag.sign) && standsAlone(template, at, tag.end)
    tree.add({ kind: 'text', text: isAlone ? text.replace(/[ \t]+$/, '') : text })
    from = isAlone ? tag.end + REST_OF_LINE.exec(template.slice(tag.end, tag.end + 1000))![0].length : tag.end
    if (tag.sign === '=') [left, right] = delimiters(tag.name, line)
    else tree.addTag(tag, line)
    line += newlines(template.slice(at, from))
  }
  tree.add({ kind: 'text', text: template.slice(from) })
  return tree.finished()
}

const REST_OF_LINE = /^[ \t]*(?:\r?\n|$)/

/** The nodes read so far, and the sections that are open. */
class Tree {
  private readonly open: { name: string; outer: Node[]; line: number }[] = []
  private body: Node[] = []

  add(node: Node): void {
    this.body.push(node)
  }

  addTag({ sign, name }: Tag, line: number): void {
    if (sign === '#' || sign === '^') this.begin(sign === '#' ? 'section' : 'inverted', name, line)
    else if (sign === '/') this.end(name, line)
    else if (sign === '>') this.add({ kind: 'partial', name, line })
    else if (sign !== '!') this.add({ kind: 'value', name, isRaw: sign !== '', line })
  }

  finished(): Node[] {
    const last = this.open.at(-1)
    if (last) throw new Problem('TEMPLATE_SYNTAX', { line: last.line, detail: `no end of ${last.name.slice(0, 100)}` })
    return this.body
  }

  private begin(kind: 'section' | 'inverted', name: string, line: number): void {
    const inner: Node[] = []
    this.add({ kind, name, body: inner, line })
    this.open.push({ name, outer: this.body, line })
    const isTooDeep = this.open.length > MOST_DEPTH
    if (isTooDeep) throw new Problem('TEMPLATE_SYNTAX', { line, detail: `sections deeper than ${MOST_DEPTH}` })
    this.body = inner
  }

  private end(name: string, line: number): void {
    const last = this.open.pop()
    if (last?.name !== name) {
      throw new Problem('TEMPLATE_SYNTAX', { line, detail: `unexpected end of ${name.slice(0, 100)}` })
    }
    this.body = last.outer
  }
}

function newlines(text: string): number {
  return text.match(/\n/g)?.length ?? 0
}

function readTag(template: string, at: number, left: string, right: string, line: number) {
  const start = at + left.length
  const first = template[start] ?? ''
  const sign = TAG_KINDS.includes(first) ? first : ''
  const close = sign === '{' ? `}${right}` : sign === '=' ? `=${right}` : right
  const end = template.indexOf(close, start + sign.length)
  if (end < 0) throw new Problem('TEMPLATE_SYNTAX', { line, detail: 'a tag without its end' })
  return { sign, name: template.slice(start + sign.length, end).trim(), end: end + close.length }
}

/** A line with nothing but such a tag leaves nothing behind. */
function standsAlone(template: string, at: number, end: number): boolean {
  const before = template.slice(template.lastIndexOf('\n', at - 1) + 1, at)
  return /^[ \t]*$/.test(before) && REST_OF_LINE.test(template.slice(end, end + 1000))
}

function delimiters(text: string, line: number): [string, string] {
  const [left, right, ...rest] = text.split(/\s+/)
  if (!left || !right || rest.length > 0) throw new Problem('TEMPLATE_SYNTAX', { line, detail: 'delimiters' })
  return [left, right]
}

class Renderer {
  private readonly strict: boolean
  private readonly write: (value: unknown) => string
  private readonly raw = escapeFor('none')
  private readonly partial: (name: string, line: number) => Node[]
  private letters = 0

  constructor(
    { strictVariables, escape: manner }: Pick<MustacheOrder, 'strictVariables' | 'escape'>,
    partial: (name: string, line: number) => Node[],
  ) {
    this.strict = strictVariables
    this.write = escapeFor(manner)
    this.partial = partial
  }

  render(nodes: readonly Node[], scopes: readonly unknown[], depth = 0): string {
    if (depth > MOST_DEPTH * 4) throw new Problem('TEMPLATE_SYNTAX', { detail: 'partials within partials without end' })
    let text = ''
    for (const node of nodes) {
      const piece = this.renderNode(node, scopes, depth)
      this.letters += node.kind === 'text' || node.kind === 'value' ? piece.length : 1
      if (this.letters > MOST_LETTERS) throw new Problem('OUTPUT_TOO_LARGE', { limit: MOST_LETTERS })
      text += piece
    }
    return text
  }

  private renderNode(node: Node, scopes: readonly unknown[], depth: number): string {
    if (node.kind === 'text') return node.text
    if (node.kind === 'partial') return this.render(this.partial(node.name, node.line), scopes, depth + 1)
    const value = lookUp(node.name, scopes)
    if (node.kind === 'value') return this.writeValue(value, node)
    const isEmpty = !value || (Array.isArray(value) && value.length === 0)
    if (isEmpty !== (node.kind === 'inverted')) return ''
    if (isEmpty) return this.render(node.body, scopes, depth + 1)
    const items = Array.isArray(value) ? value : [value]
    return items.map(item => this.render(node.body, [...scopes, item], depth + 1)).join('')
  }

  private writeValue(value: unknown, { name, line, isRaw }: Node & { kind: 'value' }): string {
    if (value === undefined && this.strict) throw new Problem('TEMPLATE_VARIABLE', { name, line })
    return (isRaw ? this.raw : this.write)(value)
  }
}

/** Own properties only, so that no template reaches what an object inherits. */
function lookUp(name: string, scopes: readonly unknown[]): unknown {
  if (name === '.') return scopes.at(-1)
  const [first, ...rest] = name.split('.')
  const holder = scopes.findLast(scope => owns(scope, first!))
  return rest.reduce((value, key) => own(value, key), own(holder, first!))
}

function owns(value: unknown, key: string): boolean {
  return typeof value === 'object' && value !== null && Object.hasOwn(value, key)
}

function own(value: unknown, key: string): unknown {
  return owns(value, key) ? (value as Record<string, unknown>)[key] : undefined
}
