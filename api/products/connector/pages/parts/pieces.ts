import { type Html, html } from '../../../../pages/parts/html.ts'

const TEXTS: Record<string, string> = {
  'mcp:read': 'Read your jobs, their results and your balance.',
  'mcp:write': 'Call tools, which spends from your balance, upload files and cancel jobs.',
}

/** What a connector may do, in words. To write includes to read. */
export function renderScopes(scopes: readonly string[]): Html {
  const shown = scopes.includes('mcp:write') ? ['mcp:read', 'mcp:write'] : scopes
  return html`<ul class="plain">${shown.map(scope => html`<li>${TEXTS[scope] ?? scope}</li>`)}</ul>`
}
