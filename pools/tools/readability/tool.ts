import { isUtf8 } from 'node:buffer'
import { readFile } from 'node:fs/promises'
import type { DominoDocument, DominoElement } from '@mixmark-io/domino'
import { isProbablyReaderable, Readability } from '@mozilla/readability'
import { Problem } from '#kit'
import { guessLegacyCharset } from '../../../tasks/formats/charsets/guess.ts'
import { detectByteOrderMark } from '../../../tasks/formats/charsets/utf16.ts'
import { findDeclaredCharset } from '../../../tasks/formats/html/charset.ts'
import { escapeXml } from '../../../tasks/formats/svg/drawing.ts'
import { parseHtml } from '../html/tree.ts'
import { speedUpQueries } from './element-lists.ts'
import { toMarkdown, toText } from './markdown.ts'
import { type PageMetadata, readMetadata } from './metadata.ts'
import {
  collectImages,
  collectLinks,
  makeAbsolute,
  markFirstHeadings,
  pruneContent,
  renameMistypedTags,
  restoreFirstHeadings,
  UNKNOWN,
} from './tree.ts'

export function bind() {
  return { extract }
}

interface ExtractOptions {
  /** Where the page is from, to make its links absolute; without it they stay as they are. */
  url?: string
  contentType: string
  /** Take the elements that match instead of the main content. */
  selector?: string
  include: { links: boolean; images: boolean; tables: boolean; code: boolean }
  format: 'markdown' | 'html' | 'text'
  /** It is no HTML: the text is given as it is. */
  isPlain?: boolean
}

interface ExtractedArticle extends PageMetadata {
  /** HTML is not cleaned yet. */
  content: string
  text: string
  links: { text: string; url: string }[]
  images: { url: string; alt: string }[]
  /** Whether the page looks like an article. */
  readable: boolean
  isSelectorFound: boolean
  /** Where neither the server nor the page names one and it is not UTF-8. */
  guessedCharset?: string
}

type PageInput = { html: string } | { bytes: Uint8Array } | { path: string }

/** Finds the main content of a page, without running its scripts. */
async function extract(source: PageInput, options: ExtractOptions): Promise<ExtractedArticle> {
  const { url, include, format, selector } = options
  const { text: html, guessedCharset } = await readHtml(source, options.contentType)
  if (options.isPlain)
    return { ...PLAIN, content: format === 'html' ? escapeXml(html) : html, text: html, guessedCharset }
  const { document, base } = openDocument(html, url)
  const metadata = readMetadata(document, base)
  const openAgain = () => openDocument(html, url).document
  const { content, ...main } = selector === undefined ? findMain(document, openAgain) : selectMain(document, selector)
  pruneContent(content, include)
  const text = toText(content.outerHTML)
  return {
    ...fillMetadata(metadata, main.article),
    content: format === 'text' ? text : format === 'html' ? content.innerHTML : toMarkdown(content, include.tables),
    text,
    links: include.links ? collectLinks(content) : [],
    images: include.images ? collectImages(content) : [],
    readable: main.isLikely && text.length > 0,
    isSelectorFound: main.isFound,
    guessedCharset,
  }
}

function openDocument(html: string, url = UNKNOWN): { document: DominoDocument; base: string } {
  const document = speedUpQueries(parseHtml(html))
  if (document.querySelectorAll('*').length > MAX_ELEMENTS)
    throw new Problem('HTML_PARSE_FAILED', { detail: `more than ${MAX_ELEMENTS} elements` })
  renameMistypedTags(document)
  const base = makeAbsolute(document, url)
  Object.defineProperty(document, 'baseURI', { value: base })
  Object.defineProperty(document, 'documentURI', { value: url })
  return { document, base }
}

interface Main {
  content: DominoElement
  article?: Article
  isLikely: boolean
  isFound: boolean
}

type Article = NonNullable<ReturnType<Readability<DominoElement>['parse']>>

/** What it does not find in a page it has removed from it, so all of a page that is no article is read anew. */
function findMain(document: DominoDocument, openAgain: () => DominoDocument): Main {
  const isLikely = isProbablyReaderable(document as unknown as Document)
  markFirstHeadings(document)
  const article = new Readability<DominoElement>(document as unknown as Document, PARSING).parse() ?? undefined
  const hasContent = Boolean(article?.content?.firstChild)
  const content = hasContent ? article!.content! : openAgain().body
  restoreFirstHeadings(document, content)
  return { content, article, isLikely: isLikely && hasContent, isFound: true }
}

function selectMain(document: DominoDocument, selector: string): Main {
  const elements = selectElements(document, selector)
  const { body: content } = parseHtml(elements.map(element => element.outerHTML).join('\n'))
  return { content, isLikely: true, isFound: elements.length > 0 }
}

function selectElements(document: DominoDocument, selector: string): DominoElement[] {
  try {
    return Array.from(document.querySelectorAll(selector))
  } catch {
    throw new Problem('INVALID_PARAM', { field: 'selector', given: selector.slice(0, 100) })
  }
}

/** The page's own words win over what was guessed from its text. */
function fillMetadata(metadata: PageMetadata, article: Article | undefined): PageMetadata {
  if (!article) return metadata
  const { title, byline, siteName, publishedTime, lang, dir, excerpt } = article
  const guessed = { title, byline, siteName, publishedAt: publishedTime, lang, dir, excerpt }
  const filled = Object.entries(guessed).map(([name, guess]) => [
    name,
    metadata[name as keyof PageMetadata] || guess?.trim() || undefined,
  ])
  const all = { ...metadata, ...Object.fromEntries(filled) } as PageMetadata
  return { ...all, title: all.title ?? '', excerpt: all.excerpt?.slice(0, EXCERPT_CHARS) }
}

interface Decoded {
  text: string
  guessedCharset?: string
}

async function readHtml(source: PageInput, contentType: string): Promise<Decoded> {
  if ('html' in source) return { text: source.html }
  return decode('bytes' in source ? source.bytes : await readFile(source.path), contentType)
}

const PLAIN = { title: '', links: [], images: [], isPaywalled: false, readable: true, isSelectorFound: true }
const EXCERPT_CHARS = 300
const MAX_ELEMENTS = 100_000
const PARSING = {
  ...{ maxElemsToParse: MAX_ELEMENTS, charThreshold: 250, keepClasses: false, disableJSONLD: true },
  serializer: (content: Node) => content as unknown as DominoElement,
}

/** A byte order mark wins, then the server's word, then the page's own. */
function decode(bytes: Uint8Array, contentType: string): Decoded {
  const [, stated] = /charset\s*=\s*["']?([\w:.-]+)/i.exec(contentType) ?? []
  const decoder =
    openDecoder(detectByteOrderMark(bytes)) ?? openDecoder(stated) ?? openDecoder(findDeclaredCharset(bytes))
  return decoder ? { text: decoder.decode(bytes) } : guess(bytes)
}

function openDecoder(label: string | undefined): TextDecoder | undefined {
  try {
    return label === undefined ? undefined : new TextDecoder(label)
  } catch {
    // Not the name of a charset: as if none were stated.
    return undefined
  }
}

function guess(bytes: Uint8Array): Decoded {
  if (isUtf8(bytes)) return { text: new TextDecoder().decode(bytes) }
  const guessedCharset = guessLegacyCharset(bytes)
  return { text: new TextDecoder(guessedCharset).decode(bytes), guessedCharset }
}
