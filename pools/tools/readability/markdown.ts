import { tables as gfmTables, strikethrough, taskListItems } from '@joplin/turndown-plugin-gfm'
import type { DominoElement } from '@mixmark-io/domino'
import { compile } from 'html-to-text'
import TurndownService from 'turndown'
import '../html/table-rows.ts'

/** Markdown with fenced code, tables and footnote marks. */
export function toMarkdown(content: DominoElement, hasTables: boolean): string {
  const turndown = new TurndownService({
    headingStyle: 'atx',
    hr: '---',
    bulletListMarker: '-',
    codeBlockStyle: 'fenced',
  })
  turndown.use([strikethrough, taskListItems])
  if (hasTables) turndown.use(gfmTables)
  turndown.addRule('preformatted', {
    filter: node => node.nodeName === 'PRE' && node.firstChild?.nodeName !== 'CODE',
    replacement: (_, node) => `\n\n\`\`\`\n${(node.textContent ?? '').replace(/\n$/, '')}\n\`\`\`\n\n`,
  })
  return turndown.turndown(content as unknown as HTMLElement).trim()
}

const HEADINGS = ['h1', 'h2', 'h3', 'h4', 'h5', 'h6']

/** Compiled once, because that takes longer than it takes to convert a page. */
const convert = compile({
  wordwrap: false,
  limits: { maxInputLength: undefined },
  selectors: [
    ...HEADINGS.map(selector => ({ selector, options: { uppercase: false } })),
    { selector: 'a', options: { ignoreHref: true } },
    { selector: 'img', format: 'skip' },
    { selector: 'table', format: 'dataTable', options: { uppercaseHeaderCells: false } },
  ],
})

export function toText(html: string): string {
  return convert(html).trim()
}
