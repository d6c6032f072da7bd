import type { DominoDocument, DominoElement } from '@mixmark-io/domino'
import { convert as convertPlain, type HtmlToTextOptions } from 'html-to-text'
import { Problem } from '#kit'
import { toMarkdown } from './markdown.ts'
import { parseHtml } from './tree.ts'

export function bind() {
  return { convert }
}

interface TextOptions {
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

interface ExtractedText {
  text: string
  title: string
  links: { text: string; url: string }[]
}

const HIDDEN_ELEMENTS = 'script, style, noscript, template, iframe, object, svg, math, head'

/** Converts the visible content of a page. */
async function convert(html: string, options: TextOptions): Promise<ExtractedText> {
  const document = parseHtml(html)
  const title = (document.title ?? '').trim()
  const base = resolveBase(document, options.baseUrl)
  for (const element of Array.from(document.querySelectorAll(HIDDEN_ELEMENTS))) element.remove()
  for (const selector of options.exclude)
    for (const element of selectElements(document, selector, 'exclude')) element.remove()
  const roots = findRoots(document, options.include)
  const links = roots.flatMap(root => readLinks(root, base))
  for (const root of roots) simplify(document, root, options)
  const source = roots.map(root => root.outerHTML).join('\n')
  const text = options.mode === 'markdown' ? writeMarkdown(source, options) : toPlainText(source, options)
  return { text, title, links: links.slice(0, MAX_LINKS) }
}

const MAX_LINKS = 10_000

function resolveBase(document: DominoDocument, baseUrl: string | undefined): string | undefined {
  const documentBase = document.querySelector('base[href]')?.getAttribute('href') ?? undefined
  return documentBase === undefined ? baseUrl : toAbsoluteUrl(documentBase, baseUrl)
}

function toAbsoluteUrl(url: string, base: string | undefined): string {
  return URL.parse(url.trim(), base)?.href ?? url.trim()
}

function selectElements(document: DominoDocument, selector: string, field: string): DominoElement[] {
  try {
    return Array.from(document.querySelectorAll(selector))
  } catch {
    throw new Problem('INVALID_PARAM', { field: `selectors.${field}`, given: selector.slice(0, 100) })
  }
}

/** The outermost matching elements, in document order. */
function findRoots(document: DominoDocument, include: readonly string[]): DominoElement[] {
  if (include.length === 0) return [document.body]
  for (const selector of include) selectElements(document, selector, 'include')
  const included = new Set(selectElements(document, include.join(', '), 'include'))
  return [...included].filter(element => {
    for (let ancestor = element.parentNode; ancestor; ancestor = ancestor.parentNode)
      if (included.has(ancestor)) return false
    return true
  })
}

function readLinks(root: DominoElement, base: string | undefined): ExtractedText['links'] {
  const links: ExtractedText['links'] = []
  for (const element of Array.from(root.querySelectorAll('a[href]'))) {
    const url = toAbsoluteUrl(element.getAttribute('href')!, base)
    if (/^(?:javascript|vbscript|data):/i.test(url)) element.removeAttribute('href')
    else {
      element.setAttribute('href', url)
      links.push({ text: readLinkText(element), url })
    }
  }
  return links
}

/** A link that holds only a picture is known by what the picture shows. */
function readLinkText(link: DominoElement): string {
  const images = Array.from(link.querySelectorAll('img[alt]')).map(image => image.getAttribute('alt'))
  const joinSpaces = (text: string) => text.replace(/\s+/g, ' ').trim()
  return joinSpaces(link.textContent) || joinSpaces(images.join(' '))
}

function simplify(document: DominoDocument, root: DominoElement, { mode, links, images }: TextOptions): void {
  for (const image of Array.from(root.querySelectorAll('img'))) {
    image.replaceWith(document.createTextNode(images === 'alt' ? (image.getAttribute('alt') ?? '') : ''))
  }
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

function toPlainText(html: string, { wordwrap, tables: hasTables }: TextOptions): string {
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

function writeMarkdown(html: string, { links, tables: hasTables }: TextOptions): string {
  return toMarkdown(html, { hasTables, linkStyle: links === 'footnote' ? 'referenced' : 'inlined' })
}
