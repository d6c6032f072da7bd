import { tables as gfmTables, strikethrough, taskListItems } from '@joplin/turndown-plugin-gfm'
import { convert } from 'html-to-text'
import TurndownService from 'turndown'

/** Markdown with fenced code, tables and footnote marks. */
export function toMarkdown(html: string, hasTables: boolean): string {
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
  return turndown.turndown(html).trim()
}

export function toText(html: string): string {
  const headings = ['h1', 'h2', 'h3', 'h4', 'h5', 'h6'].map(selector => ({ selector, options: { uppercase: false } }))
  return convert(html, {
    wordwrap: false,
    limits: { maxInputLength: undefined },
    selectors: [
      ...headings,
      { selector: 'a', options: { ignoreHref: true } },
      { selector: 'img', format: 'skip' },
      { selector: 'table', format: 'dataTable', options: { uppercaseHeaderCells: false } },
    ],
  }).trim()
}
