import type { DominoDocument, DominoElement } from '@mixmark-io/domino'

const MAX_LISTED = 1000
const NAME = /^[A-Za-z_][\w:.-]*$/
const ADDRESSES: Record<string, readonly string[]> = {
  ...{ a: ['href'], area: ['href'], img: ['src'], source: ['src'], video: ['src', 'poster'], audio: ['src'] },
}
const ADDRESSED = Object.keys(ADDRESSES).join(', ')

/** The address of a page of which nobody says where it is from: relative addresses in it stay as they are. */
export const UNKNOWN = 'about:blank'

/** Makes spans of mistyped tags, such as `<b"c>`: a parser keeps them, but copying them fails. */
export function renameMistypedTags(document: DominoDocument): void {
  for (const element of Array.from(document.querySelectorAll('*'))) {
    if (NAME.test(element.localName)) continue
    const span = document.createElement('span')
    while (element.firstChild) span.appendChild(element.firstChild)
    element.replaceWith(span)
  }
}

/** Makes every address of a page absolute, takes what late images will show, and returns the page's base. */
export function makeAbsolute(document: DominoDocument, url: string): string {
  const stated = document.querySelector('base[href]')?.getAttribute('href') ?? undefined
  const base = (stated && URL.parse(stated, url)?.href) || url
  for (const element of Array.from(document.querySelectorAll(ADDRESSED))) {
    if (element.localName === 'img') showLateImage(element)
    for (const attribute of ADDRESSES[element.localName] ?? []) resolveAddress(element, attribute, base)
  }
  return base
}

const SCHEME = /^[a-z][a-z\d+.-]*:/i
const KEPT_SCHEMES = /^(https?|mailto|tel|data):$/

function resolveAddress(element: DominoElement, attribute: string, base: string): void {
  const address = element.getAttribute(attribute)?.trim()
  if (address === undefined || address.startsWith('#') || (base === UNKNOWN && isRelative(address))) return
  const absolute = URL.parse(address, base)
  if (!absolute || !KEPT_SCHEMES.test(absolute.protocol)) element.removeAttribute(attribute)
  else element.setAttribute(attribute, absolute.href)
}

function isRelative(address: string): boolean {
  return !URL.canParse(address) && !SCHEME.test(address)
}

const LATE_SOURCES = ['data-src', 'data-original', 'data-lazy-src']

function showLateImage(image: DominoElement): void {
  const late = LATE_SOURCES.map(name => image.getAttribute(name)).find(Boolean)
  const source = image.getAttribute('src') ?? ''
  if (late && (source === '' || source.startsWith('data:'))) image.setAttribute('src', late)
}

interface Included {
  links: boolean
  images: boolean
  tables: boolean
  code: boolean
}

const NEVER = 'script, style, noscript, template, iframe, object, embed, form, input, button, select, textarea, svg'

export function pruneContent(content: DominoElement, { links, images, tables, code }: Included): void {
  const drop = [
    NEVER,
    ...(images ? [] : ['img, picture, figure']),
    ...(tables ? [] : ['table']),
    ...(code ? [] : ['pre']),
  ]
  for (const element of Array.from(content.querySelectorAll(drop.join(', ')))) element.remove()
  if (links) return
  for (const anchor of Array.from(content.querySelectorAll('a'))) anchor.removeAttribute('href')
}

export function collectLinks(content: DominoElement): { text: string; url: string }[] {
  return Array.from(content.querySelectorAll('a[href]'))
    .map(anchor => ({ text: squeeze(anchor.textContent), url: anchor.getAttribute('href')! }))
    .filter(({ url }) => isListed(url))
    .slice(0, MAX_LISTED)
}

export function collectImages(content: DominoElement): { url: string; alt: string }[] {
  return Array.from(content.querySelectorAll('img[src]'))
    .map(image => ({ url: image.getAttribute('src')!, alt: squeeze(image.getAttribute('alt') ?? '') }))
    .filter(({ url }) => isListed(url))
    .slice(0, MAX_LISTED)
}

function isListed(address: string): boolean {
  return /^https?:/.test(address) || (!address.startsWith('#') && isRelative(address))
}

export function squeeze(text: string): string {
  return text.replace(/\s+/g, ' ').trim()
}

const LEVEL = 'data-heading-level'

/** Readability makes second headings of all first ones; what was a first one is marked before. */
export function markFirstHeadings(document: DominoDocument): void {
  for (const heading of Array.from(document.querySelectorAll('h1'))) heading.setAttribute(LEVEL, '1')
}

export function restoreFirstHeadings(document: DominoDocument, content: DominoElement): void {
  for (const heading of Array.from(content.querySelectorAll(`[${LEVEL}]`))) {
    const first = document.createElement('h1')
    first.innerHTML = heading.innerHTML
    heading.replaceWith(first)
  }
}
