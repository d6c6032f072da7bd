import { type Html, html } from './html.ts'

/** Text with `code` in backticks, the only markup that summaries, descriptions and the changelog use. */
export function renderCodeSpans(text: string): Html[] {
  return text.split('`').map((part, index) => (index % 2 === 1 ? html`<code>${part}</code>` : html`${part}`))
}
