import { strikethrough, tables, taskListItems } from '@joplin/turndown-plugin-gfm'
import type { DominoDocument, DominoElement } from '@mixmark-io/domino'
import { convert as convertPlain, type HtmlToTextOptions } from 'html-to-text'
import TurndownService from 'turndown'
import { Problem } from '#kit'
import { treeOf } from './html-tree.ts'

export function bind() {
  return { convert }
}

export interface TextOptions {
  mode: 'plain' | 'markdown'
  /** 0 does not wrap. */
  wordwrap: number
  links: 'inline' | 'footnote' | 'ignore'
  images: 'alt' | 'ignore'
  include: readonly string[]
  exclude: readonly string[]
  tables: boolean
  baseUrl?: string
}

export interface PlainText {
  text: string
  title: string
  links: { text: string; url: string }[]
}

const UNREAD = 'script, style, noscript, template, iframe, object, svg, math, head'

/** What a reader sees of a page. */
async function convert(html: string, options: TextOptions): Promise<PlainText> {
  const document = treeOf(html)
  const title = (document.title ?? '').trim()
  const base = baseOf(document, options.baseUrl)
  for (const element of Array.from(document.querySelectorAll(UNREAD))) element.remove()
  for (const selector of options.exclude) for (const element of find(document, selector, 'exclude')) element.remove()
  const roots = rootsOf(document, options.include)
  const links = roots.flatMap(root => readLinks(root, base))
  for (const root of roots) simplify(document, root, options)
  const source = roots.map(root => root.outerHTML).join('\n')
  const text = options.mode === 'markdown' ? asMarkdown(source, options) : asPlain(source, options)
  return { text, title, links: links.slice(0, MOST_LINKS) }
}

const MOST_LINKS = 10_000

function baseOf(document: DominoDocument, given: string | undefined): string | undefined {
  const own = document.querySelector('base[href]')?.getAttribute('href') ?? undefined
  return own === undefined ? given : absolute(own, given)
}

function absolute(url: string, base: string | undefined): string {
  return URL.parse(url.trim(), base)?.href ?? url.trim()
}

function find(document: DominoDocument, selector: string, field: string): DominoElement[] {
  try {
    return Array.from(document.querySelectorAll(selector))
  } catch {
    throw new Problem('INVALID_PARAM', { field: `selectors.${field}`, given: selector.slice(0, 100) })
  }
}

/** The outermost of what is included, in the order of the page. */
function rootsOf(document: DominoDocument, include: readonly string[]): DominoElement[] {
  if (include.length === 0) return [document.body]
  for (const selector of include) find(document, selector, 'include')
  const chosen = new Set(find(document, include.join(', '), 'include'))
  return [...chosen].filter(element => {
    for (let above = element.parentNode; above; above = above.parentNode) if (chosen.has(above)) return false
    return true
  })
}

function readLinks(root: DominoElement, base: string | undefined): PlainText['links'] {
  const links: PlainText['links'] = []
  for (const element of Array.from(root.querySelectorAll('a[href]'))) {
    const url = absolute(element.getAttribute('href')!, base)
    if (/^(?:javascript|vbscript|data):/i.test(url)) element.removeAttribute('href')
    else {
      element.setAttribute('href', url)
      links.push({ text: element.textContent.replace(/\s+/g, ' ').trim(), url })
    }
  }
  return links
}

/** Preformatted text is code, also where the page does not say so. */
function markCode(root: DominoElement): void {
  for (const block of Array.from(root.querySelectorAll('pre'))) {
    if (!block.querySelector('code')) block.innerHTML = `<code>${block.innerHTML}</code>`
  }
}

function simplify(document: DominoDocument, root: DominoElement, { mode, links, images }: TextOptions): void {
  for (const image of Array.from(root.querySelectorAll('img'))) {
    image.replaceWith(document.createTextNode(images === 'alt' ? (image.getAttribute('alt') ?? '') : ''))
  }
  if (mode === 'markdown') markCode(root)
  const anchors = Array.from(root.querySelectorAll('a[href]'))
  if (links === 'ignore') for (const anchor of anchors) anchor.removeAttribute('href')
  if (links !== 'footnote' || mode === 'markdown' || anchors.length === 0) return
  const notes = anchors.map((anchor, index) => {
    const note = `[${index + 1}] ${anchor.getAttribute('href')}`
    anchor.appendChild(document.createTextNode(`[${index + 1}]`))
    anchor.removeAttribute('href')
    return note
  })
  const block = `<p>${notes.map(note => note.replace(/&/g, '&amp;').replace(/</g, '&lt;')).join('<br>')}</p>`
  root.innerHTML += block
}

function asPlain(html: string, { wordwrap, tables: hasTables }: TextOptions): string {
  const headings = ['h1', 'h2', 'h3', 'h4', 'h5', 'h6'].map(selector => ({ selector, options: { uppercase: false } }))
  const options: HtmlToTextOptions = {
    wordwrap: wordwrap === 0 ? false : wordwrap,
    preserveNewlines: false,
    limits: { maxInputLength: undefined },
    selectors: [
      ...headings,
      { selector: 'a', options: { hideLinkHrefIfSameAsText: true } },
      { selector: 'table', format: hasTables ? 'dataTable' : 'block', options: { uppercaseHeaderCells: false } },
    ],
  }
  return convertPlain(html, options)
}

function asMarkdown(html: string, { links, tables: hasTables }: TextOptions): string {
  const turndown = new TurndownService({
    headingStyle: 'atx',
    hr: '---',
    bulletListMarker: '-',
    codeBlockStyle: 'fenced',
    linkStyle: links === 'footnote' ? 'referenced' : 'inlined',
  })
  turndown.use([strikethrough, taskListItems])
  if (hasTables) turndown.use(tables)
  return turndown.turndown(html)
}
