import hljs from 'highlight.js'
import MarkdownIt from 'markdown-it'
import { full as emojiPlugin } from 'markdown-it-emoji'
import footnotePlugin from 'markdown-it-footnote'
import { addAnchors, addTaskLists, type TocEntry } from './markdown-rules.ts'

export function bind() {
  return { render }
}

export interface MarkdownOptions {
  flavor: 'commonmark' | 'gfm'
  /** Whether HTML in the text is passed on; cleaning it is the caller's matter. */
  rawHtml: boolean
  breaks: boolean
  anchors: boolean
  highlight: boolean
  footnotes: boolean
  taskLists: boolean
  emoji: boolean
}

export interface RenderedMarkdown {
  html: string
  toc: TocEntry[]
}

async function render(text: string, options: MarkdownOptions): Promise<RenderedMarkdown> {
  const isGfm = options.flavor === 'gfm'
  const markdown = new MarkdownIt(isGfm ? 'default' : 'commonmark', {
    html: options.rawHtml,
    breaks: options.breaks,
    linkify: isGfm,
    ...(options.highlight && { highlight: highlighted }),
  })
  if (options.footnotes) markdown.use(footnotePlugin)
  if (options.emoji) markdown.use(emojiPlugin)
  if (options.taskLists) addTaskLists(markdown)
  const toc: TocEntry[] = []
  addAnchors(markdown, toc, options.anchors)
  return { html: markdown.render(text), toc }
}

const MOST_HIGHLIGHTED = 100_000

/** Only by the language that the text names; guessing takes a hundred times as long. */
function highlighted(code: string, language: string): string {
  if (!hljs.getLanguage(language) || code.length > MOST_HIGHLIGHTED) return ''
  return hljs.highlight(code, { language, ignoreIllegals: true }).value
}
