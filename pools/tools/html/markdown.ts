import { strikethrough, tables, taskListItems } from '@joplin/turndown-plugin-gfm'
import TurndownService from 'turndown'
import { BAR_IN_CELL, escapeHeadingEnd, escapeMarkdown } from './markdown-escapes.ts'
import { isComplexTable, prepareForMarkdown } from './markdown-tree.ts'
import './table-rows.ts'
import { parseHtml } from './tree.ts'

/** Writes Markdown that shows the same text as the page when it is rendered. */
export function toMarkdown(html: string, { hasTables, linkStyle }: MarkdownStyle): string {
  const turndown = new TurndownService({
    headingStyle: 'atx',
    hr: '---',
    bulletListMarker: '-',
    codeBlockStyle: 'fenced',
    linkStyle,
  })
  turndown.escape = escapeMarkdown
  turndown.use([strikethrough, taskListItems])
  if (hasTables) turndown.use(tables)
  addRules(turndown)
  const root = parseHtml(html).body as unknown as HTMLElement
  prepareForMarkdown(root, hasTables)
  return turndown.turndown(root).replaceAll(BAR_IN_CELL, String.raw`\|`)
}

interface MarkdownStyle {
  hasTables: boolean
  linkStyle: 'inlined' | 'referenced'
}

function addRules(turndown: TurndownService): void {
  turndown.addRule('heading-in-one-line', {
    filter: ['h1', 'h2', 'h3', 'h4', 'h5', 'h6'],
    replacement: (content, node) => {
      const line = escapeHeadingEnd(content.replace(/\s*\n\s*/g, ' ').trim())
      return `\n\n${'#'.repeat(Number(node.nodeName[1]))} ${line}\n\n`
    },
  })
  turndown.addRule('emphasis-beside-letters', {
    filter: ['em', 'i'],
    replacement: (content, node) => mark(content, node, isBesideLetter(node) ? '*' : '_', 'em'),
  })
  turndown.addRule('strong-beside-letters', {
    filter: ['strong', 'b'],
    replacement: (content, node) => mark(content, node, '**', 'strong'),
  })
  turndown.addRule('strikethrough-beside-letters', {
    filter: node => ['DEL', 'S', 'STRIKE'].includes(node.nodeName),
    replacement: (content, node) => mark(content, node, '~~', 'del'),
  })
  turndown.addRule('raised-and-lowered', {
    filter: ['sup', 'sub'],
    replacement: (content, node) =>
      content.includes('\n') ? content : wrapInTag(content, node.nodeName.toLowerCase()),
  })
  turndown.addRule('summary-and-term', {
    filter: node => node.nodeName === 'SUMMARY' || node.nodeName === 'DT',
    replacement: content => {
      const line = content.trim()
      return line === '' || /\n|\*\*|^#/.test(line) ? `\n\n${line}\n\n` : `\n\n**${line}**\n\n`
    },
  })
  turndown.addRule('definition', {
    filter: 'dd',
    replacement: content => `\n\n-   ${content.trim().replace(/\n(?=[^\n])/g, '\n    ')}\n\n`,
  })
  turndown.addRule('table-as-html', {
    filter: node => node.nodeName === 'TABLE' && isComplexTable(node),
    replacement: (_, node) => `\n\n${writePlainTable(node as Element)}\n\n`,
  })
}

/** Marks read as marks only between the right characters; elsewhere a tag says the same. */
function mark(content: string, node: Node, sign: string, tag: string): string {
  if (content.trim() === '' || content.includes('\n\n')) return content
  const isOpening = !isPunctuation(content[0]) || !isLetter(neighbour(node, 'previousSibling'))
  const isClosing = !isPunctuation(content.at(-1)) || !isLetter(neighbour(node, 'nextSibling'))
  return isOpening && isClosing ? `${sign}${content}${sign}` : wrapInTag(content, tag)
}

function wrapInTag(content: string, tag: string): string {
  return `<${tag}>${content}</${tag}>`
}

function isBesideLetter(node: Node): boolean {
  return isLetter(neighbour(node, 'previousSibling')) || isLetter(neighbour(node, 'nextSibling'))
}

/** The character beside an element; spaces at its own edge are written outside of the marks. */
function neighbour(node: Node, side: 'previousSibling' | 'nextSibling'): string | undefined {
  const own = node.textContent ?? ''
  const text = node[side]?.textContent ?? ''
  if (side === 'previousSibling') return /^\s/.test(own) ? ' ' : text.at(-1)
  return /\s$/.test(own) ? ' ' : text[0]
}

function isLetter(character: string | undefined): boolean {
  return character !== undefined && !/[\s\p{P}\p{S}]/u.test(character)
}

function isPunctuation(character: string | undefined): boolean {
  return character !== undefined && /[\p{P}\p{S}]/u.test(character)
}

const KEPT_ATTRIBUTES = new Set(['href', 'colspan', 'rowspan', 'start', 'align'])

/** A table with lists or several blocks in a cell stays HTML, which a blank line would end. */
function writePlainTable(table: Element): string {
  for (const element of [table, ...Array.from(table.querySelectorAll('*'))]) {
    const dropped = Array.from(element.attributes).filter(({ name }) => !KEPT_ATTRIBUTES.has(name))
    for (const { name } of dropped) element.removeAttribute(name)
  }
  return table.outerHTML.replace(/\n(?=[ \t]*\n)/g, '&#10;')
}
