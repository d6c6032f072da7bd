import { type Html, html } from './html.ts'

// The engine for Markdown runs in workers only, and whoever asks may be hostile: here is what a question needs of it. Images
// are shown as their addresses, because loading one tells its server who reads, and a link shows where it leads.

const INLINE = /`([^`\n]+)`|\*\*([^*\n]+)\*\*|!?\[([^\]\n]*)\]\(([^\s()]+)\)|(https?:\/\/[^\s<>"'`*\])]+)/g

/** Paragraphs, headings, lists, blocks of code, `code`, bold and links; all else is shown as it is. */
export function renderMarkup(text: string): Html[] {
  const parts = text.replaceAll('\r\n', '\n').split(/^```.*$/m)
  return parts.flatMap((part, index) =>
    index % 2 === 1 ? html`<pre tabindex="0"><code>${part.replace(/^\n|\n$/g, '')}</code></pre>` : renderBlocks(part),
  )
}

function renderBlocks(text: string): Html[] {
  const blocks = text.split(/\n[ \t]*\n/).map(block => block.split('\n').filter(line => line.trim() !== ''))
  return blocks.flatMap(lines => (lines.length > 0 ? renderBlock(lines) : []))
}

function renderBlock(lines: readonly string[]): Html {
  const [first] = lines
  if (lines.every(line => /^\s*[-*+] /.test(line))) return html`<ul>${renderItems(lines, /^\s*[-*+] /)}</ul>`
  if (lines.every(line => /^\s*\d{1,3}[.)] /.test(line))) return html`<ol>${renderItems(lines, /^\s*\d+[.)] /)}</ol>`
  if (lines.length === 1 && /^#{1,6} /.test(first!))
    return html`<p><strong>${renderInline(first!.replace(/^#+ /, ''))}</strong></p>`
  return html`<p>${lines.map((line, index) => html`${index > 0 && html`<br>`}${renderInline(line)}`)}</p>`
}

function renderItems(lines: readonly string[], mark: RegExp): Html[] {
  return lines.map(line => html`<li>${renderInline(line.replace(mark, ''))}</li>`)
}

function renderInline(text: string): Html[] {
  const found: Html[] = []
  let end = 0
  for (const match of text.matchAll(INLINE)) {
    const [whole, code, bold, label, target, address] = match
    found.push(html`${text.slice(end, match.index)}`)
    end = match.index + whole.length
    if (code !== undefined) found.push(html`<code>${code}</code>`)
    else if (bold !== undefined) found.push(html`<strong>${bold}</strong>`)
    else if (address !== undefined) found.push(renderLink(address))
    else found.push(html`${label} (${whole.startsWith('!') ? target : renderTarget(target!)})`)
  }
  return [...found, html`${text.slice(end)}`]
}

function renderTarget(target: string): Html | string {
  return /^(https?:\/\/|mailto:)/i.test(target) && URL.canParse(target) ? renderLink(target) : target
}

function renderLink(address: string): Html {
  return html`<a href="${address}" rel="nofollow noopener noreferrer">${address}</a>`
}
