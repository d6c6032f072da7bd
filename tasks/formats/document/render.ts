import type { TextBlock } from '../../formats/document/blocks.ts'

/** What belongs to the page and not to the text. */
export const RUNNING_TYPES: ReadonlySet<string> = new Set(['header', 'footer', 'page-number'])

export function renderText(blocks: readonly TextBlock[]): string {
  return blocks.map(({ text }) => text).join('\n\n')
}

/** Without running headers and footers, which are no part of the text. */
export function renderMarkdown(blocks: readonly TextBlock[]): string {
  return body(blocks)
    .map(({ type, level = 1, text }) => {
      const escaped = text.replaceAll(/[\\`*_[\]<>]/g, '\\$&')
      if (type === 'title' || type === 'heading') return `${'#'.repeat(level)} ${escaped}`
      if (type === 'list') return escaped.replaceAll(/^\s*[•◦▪▸‣●○■□–]\s+/gm, '- ')
      return type === 'caption' ? `*${escaped}*` : escaped.replace(/^(#{1,6}\s|[-+]\s|>|\d+[.)]\s)/, '\\$&')
    })
    .join('\n\n')
}

const ENTITIES: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' }

export function renderHtml(blocks: readonly TextBlock[]): string {
  return body(blocks)
    .map(({ type, level = 1, text }) => {
      const escaped = text.replaceAll(/[&<>"]/g, character => ENTITIES[character]!)
      if (type === 'title' || type === 'heading') return `<h${level}>${escaped}</h${level}>`
      if (type === 'list') return `<ul>${escaped.split('\n').map(renderItem).join('')}</ul>`
      return type === 'caption' ? `<p><em>${escaped}</em></p>` : `<p>${escaped}</p>`
    })
    .join('\n')
}

function renderItem(text: string): string {
  return `<li>${text.replace(/^\s*[•◦▪▸‣●○■□*–-]\s+/, '')}</li>`
}

function body(blocks: readonly TextBlock[]): TextBlock[] {
  return blocks.filter(({ type }) => !RUNNING_TYPES.has(type))
}
