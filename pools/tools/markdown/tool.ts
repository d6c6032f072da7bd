import hljs from 'highlight.js'
import MarkdownIt from 'markdown-it'
import { full as emojiPlugin } from 'markdown-it-emoji'
import footnotePlugin from 'markdown-it-footnote'
import { addBareLinks, escapeFilteredTags } from './gfm.ts'
import { addAnchors, addTaskLists, type TocEntry } from './rules.ts'
import { strikeByTildes } from './struck-text.ts'

export function bind() {
  return { render }
}

interface MarkdownOptions {
  flavor: 'commonmark' | 'gfm'
  /** Keeps HTML that the text contains; the caller must sanitize it. */
  rawHtml: boolean
  /** Escapes the tags that GitHub filters from raw HTML; only in gfm. */
  filterTags: boolean
  breaks: boolean
  anchors: boolean
  highlight: boolean
  footnotes: boolean
  taskLists: boolean
  emoji: boolean
}

interface RenderedMarkdown {
  html: string
  toc: TocEntry[]
}

async function render(text: string, options: MarkdownOptions): Promise<RenderedMarkdown> {
  const isGfm = options.flavor === 'gfm'
  const markdown = new MarkdownIt(isGfm ? 'default' : 'commonmark', {
    html: options.rawHtml,
    breaks: options.breaks,
    linkify: isGfm,
    ...(options.highlight && { highlight: highlightCode }),
  })
  if (isGfm) {
    addBareLinks(markdown)
    strikeByTildes(markdown)
    if (options.filterTags) escapeFilteredTags(markdown)
  }
  if (options.footnotes) markdown.use(footnotePlugin)
  if (options.emoji) markdown.use(emojiPlugin)
  if (options.taskLists) addTaskLists(markdown)
  const toc: TocEntry[] = []
  addAnchors(markdown, toc, options.anchors)
  return { html: markdown.render(text), toc }
}

const MAX_HIGHLIGHTED = 100_000

/** Highlights only code whose language is named; detecting the language takes a hundred times as long. */
function highlightCode(code: string, language: string): string {
  if (!hljs.getLanguage(language) || code.length > MAX_HIGHLIGHTED) return ''
  return hljs.highlight(code, { language, ignoreIllegals: true }).value
}
