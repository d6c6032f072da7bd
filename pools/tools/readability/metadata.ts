import type { DominoDocument } from '@mixmark-io/domino'
import { squeeze } from './tree.ts'

export interface PageMetadata {
  title: string
  byline?: string
  siteName?: string
  publishedAt?: string
  modifiedAt?: string
  lang?: string
  dir?: string
  excerpt?: string
  leadImage?: string
  favicon?: string
  canonicalUrl?: string
  /** The page says that readers must pay for it. */
  isPaywalled: boolean
}

const MAX_CHARS = 1000

/** What the head of a page says about it: meta tags, links and JSON-LD. */
export function readMetadata(document: DominoDocument, base: string): PageMetadata {
  const metas = collectMetas(document)
  const meta = (...names: string[]) => names.map(name => metas.get(name)).find(Boolean)
  const data = readJsonLd(document)
  const address = (text: string | null | undefined) => (text && URL.parse(text, base)?.href) || undefined
  const link = (rel: string) => address(document.querySelector(`link[rel~="${rel}"][href]`)?.getAttribute('href'))
  const title = meta('og:title', 'twitter:title') ?? data.headline ?? squeeze(document.title ?? '')
  return {
    title: title.slice(0, MAX_CHARS),
    byline: data.author ?? meta('author', 'article:author', 'dc.creator', 'twitter:creator'),
    siteName: meta('og:site_name') ?? data.publisher,
    publishedAt: meta('article:published_time', 'date', 'dc.date', 'pubdate') ?? data.datePublished,
    modifiedAt: meta('article:modified_time', 'og:updated_time', 'last-modified') ?? data.dateModified,
    lang: document.querySelector('html')?.getAttribute('lang') || undefined,
    dir: readDirection(document),
    excerpt: meta('og:description', 'description', 'twitter:description') ?? data.description,
    leadImage: address(meta('og:image', 'twitter:image', 'og:image:url') ?? data.image),
    favicon: link('icon') ?? address('/favicon.ico'),
    canonicalUrl: link('canonical') ?? address(meta('og:url')),
    isPaywalled: data.isFree === false || Boolean(document.querySelector('.paywall, [class*="paywall"], #paywall')),
  }
}

function readDirection(document: DominoDocument): string | undefined {
  return document.querySelector('html[dir], body[dir]')?.getAttribute('dir') ?? undefined
}

function collectMetas(document: DominoDocument): Map<string, string> {
  const metas = new Map<string, string>()
  for (const element of Array.from(document.querySelectorAll('meta[content]'))) {
    const name = element.getAttribute('property') ?? element.getAttribute('name') ?? element.getAttribute('itemprop')
    const content = squeeze(element.getAttribute('content')!)
    if (name && content !== '' && !metas.has(name.toLowerCase()))
      metas.set(name.toLowerCase(), content.slice(0, MAX_CHARS))
  }
  return metas
}

interface LinkedData {
  headline?: string
  author?: string
  publisher?: string
  datePublished?: string
  dateModified?: string
  description?: string
  image?: string
  isFree?: boolean
}

const ARTICLE = /(Article|BlogPosting|Report)$/
const MAX_SCRIPT_CHARS = 200_000

function readJsonLd(document: DominoDocument): LinkedData {
  for (const script of Array.from(document.querySelectorAll('script[type="application/ld+json"]'))) {
    if (script.textContent.length > MAX_SCRIPT_CHARS) continue
    const article = findArticle(parse(script.textContent), 0)
    if (article) return describe(article)
  }
  return {}
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

function findArticle(value: unknown, depth: number): Record<string, unknown> | undefined {
  if (typeof value !== 'object' || value === null || depth > 4) return undefined
  const node = value as Record<string, unknown>
  if ([node['@type']].flat().some(type => typeof type === 'string' && ARTICLE.test(type))) return node
  const inside = Array.isArray(value) ? value : Array.isArray(node['@graph']) ? node['@graph'] : []
  for (const item of inside.slice(0, 100)) {
    const found = findArticle(item, depth + 1)
    if (found) return found
  }
  return undefined
}

function describe(node: Record<string, unknown>): LinkedData {
  const text = (value: unknown) =>
    typeof value === 'string' && value.trim() !== '' ? squeeze(value).slice(0, MAX_CHARS) : undefined
  const name = (value: unknown): string | undefined => {
    const names = [value].flat().map(item => text(item) ?? text((item as { name?: unknown } | null)?.name))
    return names.filter(Boolean).join(', ') || undefined
  }
  const image = [node.image].flat()[0]
  const isFree = node.isAccessibleForFree
  return {
    headline: text(node.headline),
    author: name(node.author),
    publisher: name(node.publisher),
    datePublished: text(node.datePublished),
    dateModified: text(node.dateModified),
    description: text(node.description),
    image: text(image) ?? text((image as { url?: unknown } | undefined)?.url),
    ...(isFree !== undefined && { isFree: isFree === true || /^true$/i.test(String(isFree)) }),
  }
}
